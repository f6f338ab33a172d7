/**
 * Finds tests that reach no public surface. A test file reaches one if it, or a test helper that it uses, imports a
 * value that an entry point exports, or runs the command. It reads no files: its input is the path and text of every
 * file.
 */
import { posix } from "node:path";
import { maskSource } from "../test/support/mask-source.ts";

export type SourceFiles = ReadonlyMap<string, string>;

interface NamedImport {
  readonly file: string;
  /** The imported name; undefined if the whole module is imported. */
  readonly name: string | undefined;
}

/** Matches code that runs the command or an example, and so reaches an entry point without an import. */
const RUNS_COMMAND = /src\/cli\/main\.ts|examples\/worker/;

/** Files that compose what the entry points export; tests may import them instead of an entry point. */
const SURFACE_FILES = ["src/compose.ts", "src/server/start.ts", "src/cli/run-cli.ts"];

/** Returns the test files that reach no entry point. */
export function findInsideTests(files: SourceFiles, entries: readonly string[]): ReadonlySet<string> {
  const surfaces = new Set([...entries, ...SURFACE_FILES]);
  const exported = listExported(files, entries);
  const known = new Map<string, boolean>();
  const isOutside = (file: string): boolean => {
    const found = known.get(file);
    if (found !== undefined) return found;
    known.set(file, false);
    const source = files.get(file) ?? "";
    const outside =
      RUNS_COMMAND.test(source) ||
      readNamedImports(file, source).some(({ file: target, name }) => {
        if (surfaces.has(target) || exported.has(keyOf(target, name))) return true;
        return isHelper(target) && isOutside(target);
      });
    known.set(file, outside);
    return outside;
  };
  return new Set([...files.keys()].filter((file) => file.endsWith(".test.ts") && !isOutside(file)));
}

function isHelper(file: string): boolean {
  return file.startsWith("test/") || file.startsWith("src/testing/");
}

function keyOf(file: string, name: string | undefined): string {
  return `${file} ${name ?? "*"}`;
}

/** Returns every value that an entry point exports, with the file that defines it. */
function listExported(files: SourceFiles, entries: readonly string[]): ReadonlySet<string> {
  const exported = new Set<string>();
  const add = (file: string, name: string): void => {
    const key = keyOf(file, name);
    if (exported.has(key)) return;
    exported.add(key);
    for (const again of readReexports(file, files.get(file) ?? "")) if (again.name === name) add(again.file, name);
  };
  for (const entry of entries)
    for (const { file, name } of readReexports(entry, files.get(entry) ?? "")) add(file, name);
  return exported;
}

interface Reexport {
  readonly file: string;
  readonly name: string;
}

function readReexports(file: string, source: string): readonly Reexport[] {
  const { code, strings } = maskSource(source);
  return [...code.matchAll(/\bexport\s*\{([^{}]*)\}\s*from\s*"(\d+)"/g)].flatMap(([, list = "", index]) =>
    readNames(list).map((name) => ({ file: resolve(file, strings[Number(index)]), name })),
  );
}

/** Returns imports of values. An import of a type runs no code. */
function readNamedImports(file: string, source: string): readonly NamedImport[] {
  const { code, strings } = maskSource(source);
  const named = [...code.matchAll(/\bimport\s*\{([^{}]*)\}\s*from\s*"(\d+)"/g)].flatMap(([, list = "", index]) =>
    readNames(list).map((name) => ({ file: resolve(file, strings[Number(index)]), name })),
  );
  const whole = [...code.matchAll(/\bimport\s*(?:\*\s*as\s+[\w$]+\s*from\s*|\(\s*)"(\d+)"/g)].map(([, index]) => ({
    file: resolve(file, strings[Number(index)]),
    name: undefined,
  }));
  return [...named, ...whole];
}

/** `a, type B, c as d` imports a and c. Names of constants and error classes are left out: they run no code either. */
function readNames(list: string): readonly string[] {
  return list
    .split(",")
    .map((each) => each.trim())
    .filter((each) => each !== "" && !each.startsWith("type "))
    .map((each) => each.split(/\s+/)[0] ?? each)
    .filter((name) => /^[a-z]/.test(name));
}

function resolve(file: string, specifier: string | undefined): string {
  return specifier?.startsWith(".") === true ? posix.join(posix.dirname(file), specifier) : (specifier ?? "");
}
