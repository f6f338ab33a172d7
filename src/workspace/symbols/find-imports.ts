/**
 * Which files a source says it takes names from, as paths without endings: where a name is defined in several files,
 * those are meant. It reads lines, not grammar: a line in a remark does no harm, because it only chooses among files
 * that define the name anyway.
 */
import { posix } from "node:path";

type FindSpecifiers = (source: string) => readonly string[];

/** Every group of every match. */
function groupsOf(pattern: RegExp): FindSpecifiers {
  return (source) =>
    [...source.matchAll(pattern)].flatMap((match) => match.slice(1).filter((text) => text !== undefined));
}

const script = groupsOf(/\b(?:from|import|require)[ \t]*\(?[ \t]*["']([^"'\n]{1,300})["']/g);
const include = groupsOf(/^[ \t]*#[ \t]*include[ \t]*["<]([^">\n]{1,300})[">]/gm);
const goLine = groupsOf(/^[ \t]*(?:import[ \t]+)?(?:[\w.]+[ \t]+)?"([^"\n]{1,300})"[ \t]*(?:\/\/.*)?$/gm);
const rustUse = groupsOf(/\b(?:use|mod)[ \t]+([\w:]{1,300})/g);
const javaImport = groupsOf(/^[ \t]*import[ \t]+(?:static[ \t]+)?([\w.]{1,300})/gm);
const csharpUsing = groupsOf(
  /^[ \t]*(?:global[ \t]+)?using[ \t]+(?:static[ \t]+)?(?:\w+[ \t]*=[ \t]*)?([\w.]{1,300})/gm,
);
const rubyRequire = groupsOf(/^[ \t]*require[ \t]*\(?[ \t]*["']([^"'\n]{1,300})["']/gm);
const rubyRelative = groupsOf(/^[ \t]*require_relative[ \t]*\(?[ \t]*["']([^"'\n]{1,300})["']/gm);
const phpUse = groupsOf(/^[ \t]*use[ \t]+(?:function[ \t]+|const[ \t]+)?\\?([\w\\]{1,300})/gm);
const phpRequire = groupsOf(/\b(?:require|include)(?:_once)?[ \t]*\(?[^"'\n;]{0,80}["']([^"'\n]{1,300})["']/g);

const dotted =
  (find: FindSpecifiers): FindSpecifiers =>
  (source) =>
    find(source).map((text) => text.replaceAll(/[.\\]|::/g, "/"));

const FINDERS: Readonly<Record<string, FindSpecifiers>> = {
  typescript: script,
  tsx: script,
  javascript: script,
  python: findPythonImports,
  go: goLine,
  rust: (source) => dotted(rustUse)(source).map((path) => path.replace(/^(?:(?:crate|self|super)\/)+/, "")),
  java: dotted(javaImport),
  cpp: (source) => include(source).flatMap((path) => [path, `./${path}`]),
  "c-sharp": dotted(csharpUsing),
  ruby: (source) => [...rubyRequire(source), ...rubyRelative(source).map((path) => `./${path}`)],
  php: (source) => [...dotted(phpUse)(source), ...phpRequire(source).map((path) => path.replace(/^\//, ""))],
};

const MOST_IMPORTS = 500;

/** As they are written, in their order: those that begin with a dot are meant from the file's own folder. */
export function findImports(grammar: string, source: string): readonly string[] {
  const found = FINDERS[grammar]?.(source) ?? [];
  return [...new Set(found)].filter((path) => /[\p{L}\p{N}]/u.test(path)).slice(0, MOST_IMPORTS);
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

/** Names that stand for their folder. */
const FOLDER_FILES = /\/(?:index|__init__|mod|lib|main|package-info)$/;

/** By what others may call a file: its path without an ending, and its folder where that is meant. */
export function placesOf(path: string): readonly string[] {
  const stem = withoutEnding(path);
  return [...new Set([path, stem, stem.replace(FOLDER_FILES, ""), posix.dirname(path)])];
}

/** Tells by its places whether a file is one of those that another imports. */
export function createImportTest(from: string, imports: readonly string[]): (places: readonly string[]) => boolean {
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
      (place) => exact.has(place) || byLastName.get(posix.basename(place))?.some((path) => endsAlike(place, path)),
    );
}

/** Whether one path is the end of the other, name by name. */
function endsAlike(place: string, specifier: string): boolean {
  return place === specifier || place.endsWith(`/${specifier}`) || specifier.endsWith(`/${place}`);
}

function withoutEnding(path: string): string {
  return path.replace(/(?<=[^/])\.\w{1,5}$/, "");
}
