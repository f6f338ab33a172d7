/** The map in src/core/summary/README.md names every folder, and no folder imports one that is below it in the map. */
import { readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { findWrongImports } from "./support/check-folders.ts";
import { readSources, repositoryRoot } from "./support/read-repository.ts";

const ROOT = resolve(repositoryRoot, "src/core/summary");
const MAP = readFileSync(resolve(ROOT, "README.md"), "utf8");
const FOLDERS = [...MAP.matchAll(/^\| `([a-z]+)` +\|/gm)].map(([, folder = ""]) => folder);

test("the map of core/summary lists every folder once", () => {
  const folders = readdirSync(ROOT, { withFileTypes: true }).filter((item) => item.isDirectory());
  expect(FOLDERS.toSorted()).toEqual(folders.map(({ name }) => name).toSorted());
});

test("every file that the map of core/summary names exists", () => {
  const files = [...MAP.matchAll(/`([a-z]+\/[a-z-]+\.ts)`/g)].map(([, file = ""]) => file);
  expect(files.length).toBeGreaterThan(0);
  expect(files.filter((file) => !readSources("src/core/summary/**/*.ts").has(`src/core/summary/${file}`))).toEqual([]);
});

test("a folder of core/summary imports only itself and the folders above it in the map", () => {
  const files = readSources("src/core/summary/**/*.ts");
  expect(findWrongImports("src/core/summary", ["weights.ts", ...FOLDERS], files)).toEqual([]);
});
