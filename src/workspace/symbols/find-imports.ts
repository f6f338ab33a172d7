/**
 * Finds which files a source imports, with patterns instead of a parser: the result only decides between files that
 * define the same name.
 */
import { posix } from "node:path";

type FindSpecifiers = (source: string) => readonly string[];

/** Returns a finder for all groups of all matches. */
function matchGroups(pattern: RegExp): FindSpecifiers {
  return (source) =>
    [...source.matchAll(pattern)].flatMap((match) => match.slice(1).filter((text) => text !== undefined));
}

const script = matchGroups(/\b(?:from|import|require)[ \t]*\(?[ \t]*["']([^"'\n]{1,300})["']/g);
const include = matchGroups(/^[ \t]*#[ \t]*include[ \t]*["<]([^">\n]{1,300})[">]/gm);
const goLine = matchGroups(/^[ \t]*(?:import[ \t]+)?(?:[\w.]+[ \t]+)?"([^"\n]{1,300})"[ \t]*(?:\/\/.*)?$/gm);
const rustUse = matchGroups(/\b(?:use|mod)[ \t]+([\w:]{1,300})/g);
const javaImport = matchGroups(/^[ \t]*import[ \t]+(?:static[ \t]+)?([\w.]{1,300})/gm);
const csharpUsing = matchGroups(
  /^[ \t]*(?:global[ \t]+)?using[ \t]+(?:static[ \t]+)?(?:\w+[ \t]*=[ \t]*)?([\w.]{1,300})/gm,
);
const rubyRequire = matchGroups(/^[ \t]*require[ \t]*\(?[ \t]*["']([^"'\n]{1,300})["']/gm);
const rubyRelative = matchGroups(/^[ \t]*require_relative[ \t]*\(?[ \t]*["']([^"'\n]{1,300})["']/gm);
const phpUse = matchGroups(/^[ \t]*use[ \t]+(?:function[ \t]+|const[ \t]+)?\\?([\w\\]{1,300})/gm);
const phpRequire = matchGroups(/\b(?:require|include)(?:_once)?[ \t]*\(?[^"'\n;]{0,80}["']([^"'\n]{1,300})["']/g);

const toPaths =
  (find: FindSpecifiers): FindSpecifiers =>
  (source) =>
    find(source).map((text) => text.replaceAll(/[.\\]|::/g, "/"));

const FINDERS: Readonly<Record<string, FindSpecifiers>> = {
  typescript: script,
  tsx: script,
  javascript: script,
  python: findPythonImports,
  go: goLine,
  rust: (source) => toPaths(rustUse)(source).map((path) => path.replace(/^(?:(?:crate|self|super)\/)+/, "")),
  java: toPaths(javaImport),
  cpp: (source) => include(source).flatMap((path) => [path, `./${path}`]),
  "c-sharp": toPaths(csharpUsing),
  ruby: (source) => [...rubyRequire(source), ...rubyRelative(source).map((path) => `./${path}`)],
  php: (source) => [...toPaths(phpUse)(source), ...phpRequire(source).map((path) => path.replace(/^\//, ""))],
};

const MAX_IMPORTS = 500;

/** Returns import specifiers as written, in order; those that start with a dot are relative to the file's folder. */
export function findImports(grammar: string, source: string): readonly string[] {
  const found = FINDERS[grammar]?.(source) ?? [];
  return [...new Set(found)].filter((path) => /[\p{L}\p{N}]/u.test(path)).slice(0, MAX_IMPORTS);
}

const PYTHON =
  /^[ \t]*(?:from[ \t]+([.\w]{1,300})[ \t]+import[ \t]+\(?([^\n#()]{0,1000})|import[ \t]+([^\n#]{1,1000}))/gm;

function findPythonImports(source: string): readonly string[] {
  return [...source.matchAll(PYTHON)].flatMap(([, from, names = "", modules = ""]) => {
    const list = (from === undefined ? modules : names).split(",").map((name) => name.trim().split(/\s/)[0] ?? "");
    if (from === undefined) return list.map((name) => name.replaceAll(".", "/"));
    const dots = /^\.*/.exec(from)?.[0].length ?? 0;
    const up = dots === 0 ? "" : dots === 1 ? "./" : "../".repeat(dots - 1);
    const base = `${up}${from.slice(dots).replaceAll(".", "/")}`;
    return [
      base,
      ...list
        .map((name) => posix.join(base === "" ? "." : base, name))
        .map((path) => (up === "./" ? `./${path}` : path)),
    ];
  });
}

/** Files that can be imported by the name of their folder. */
const FOLDER_FILES = /\/(?:index|__init__|mod|lib|main|package-info)$/;

/** Lists the paths by which a file may be imported: without its extension, and as its folder where that applies. */
export function listImportPaths(path: string): readonly string[] {
  const stem = withoutEnding(path);
  return [...new Set([path, stem, stem.replace(FOLDER_FILES, ""), posix.dirname(path)])];
}

/** Returns a function that checks whether `from` imports a file that has the given import paths. */
export function createImportMatcher(from: string, imports: readonly string[]): (places: readonly string[]) => boolean {
  const exact = new Set<string>();
  const byLastName = new Map<string, string[]>();
  for (const specifier of imports) {
    if (/^\.{1,2}(?:\/|$)/.test(specifier)) {
      const wanted = posix.join(posix.dirname(from), specifier);
      exact.add(wanted).add(withoutEnding(wanted));
      continue;
    }
    for (const path of new Set([specifier, withoutEnding(specifier)])) {
      const name = posix.basename(path);
      byLastName.set(name, [...(byLastName.get(name) ?? []), path]);
    }
  }
  return (places) =>
    places.some(
      (place) => exact.has(place) || byLastName.get(posix.basename(place))?.some((path) => sharesSuffix(place, path)),
    );
}

/** Returns whether one path is a suffix of the other, by whole names. */
function sharesSuffix(place: string, specifier: string): boolean {
  return place === specifier || place.endsWith(`/${specifier}`) || specifier.endsWith(`/${place}`);
}

function withoutEnding(path: string): string {
  return path.replace(/(?<=[^/])\.\w{1,5}$/, "");
}
