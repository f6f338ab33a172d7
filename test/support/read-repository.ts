/** Reads the files of this repository: path from the root with forward slashes, and text. */
import { globSync, readFileSync } from "node:fs";
import { resolve } from "node:path";

export const repositoryRoot = resolve(import.meta.dirname, "../..");

export function readSources(...patterns: readonly string[]): ReadonlyMap<string, string> {
  const files = globSync(patterns, { cwd: repositoryRoot, exclude: ["**/node_modules/**", "**/dist/**"] });
  return new Map(
    files
      .map((file) => file.replaceAll("\\", "/"))
      .sort()
      .map((file) => [file, readFileSync(resolve(repositoryRoot, file), "utf8")]),
  );
}
