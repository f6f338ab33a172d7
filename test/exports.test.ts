/** The public doors: each leads to a built file with types, and each of those has a source. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { repositoryRoot } from "./support/read-repository.ts";

interface Door {
  readonly types: string;
  readonly default: string;
}

const manifest: { readonly exports: Readonly<Record<string, Door>>; readonly files: readonly string[] } = JSON.parse(
  readFileSync(join(repositoryRoot, "package.json"), "utf8"),
);

const sources = {
  ".": "src/index.ts",
  "./core": "src/core/index.ts",
  "./ports": "src/ports/index.ts",
  "./stores/memory": "src/stores/memory/memory-store.ts",
  "./telemetry": "src/telemetry/instrument.ts",
  "./testing": "src/testing/index.ts",
};

describe("exports", () => {
  test("has exactly the doors that are promised", () => {
    expect(Object.keys(manifest.exports)).toEqual(Object.keys(sources));
  });

  test.each(Object.entries(sources))("%s leads to the build of %s, types first", (subpath, source) => {
    const built = source.replace(/^src/, "./dist").replace(/\.ts$/, "");
    expect(Object.entries(manifest.exports[subpath] ?? {})).toEqual([
      ["types", `${built}.d.ts`],
      ["default", `${built}.js`],
    ]);
    expect(existsSync(join(repositoryRoot, source)), `${source} exists`).toBe(true);
  });

  test("point only into what is packed", () => {
    expect(manifest.files).toContain("dist");
  });

  test.each(Object.values(sources))("%s has named exports only", (source) => {
    expect(readFileSync(join(repositoryRoot, source), "utf8")).not.toMatch(/^export default\b|^export \* from/m);
  });
});
