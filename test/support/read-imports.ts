/**
 * Reads every import of a source file: `import` and `export … from` with and without `type`, `import()` and
 * `require()`. It needs neither a compiler nor a file that compiles.
 */
import { maskSource } from "./mask-source.ts";

export interface Import {
  /** `type` is erased, `static` is loaded with the file, `dynamic` when its line runs. */
  readonly kind: "static" | "type" | "dynamic";
  /** Undefined if the specifier is computed. */
  readonly specifier: string | undefined;
}

const names = String.raw`(?:\*\s*as\s+[\w$]+|\{[^{}]*\})`;
const clause = String.raw`(?:\*|${names}|[\w$]+(?:\s*,\s*${names})?)\s*from\s*`;
const statement = new RegExp(String.raw`\b(?:import|export)\s*(?:\b(type)\b\s*)?(?:${clause})?"(\d+)"`, "g");
const call = /\b(import|require)\s*\(\s*(?:"(\d+)"\s*[,)])?/g;

export function readImports(source: string): readonly Import[] {
  const { code, strings } = maskSource(source);
  const found: Import[] = [];
  for (const [, type, index] of code.matchAll(statement)) {
    found.push({ kind: type === undefined ? "static" : "type", specifier: strings[Number(index)] });
  }
  for (const [, word, index] of code.matchAll(call)) {
    const specifier = index === undefined ? undefined : strings[Number(index)];
    if (word === "import") found.push({ kind: "dynamic", specifier });
    else if (specifier !== undefined) found.push({ kind: "static", specifier });
  }
  return found;
}
