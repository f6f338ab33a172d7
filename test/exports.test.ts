/** The entry points of the package: each has a built file with types and a source. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { repositoryRoot } from "./support/read-repository.ts";

interface EntryPoint {
  readonly types: string;
  readonly default: string;
}

interface Manifest {
  readonly exports: Readonly<Record<string, EntryPoint>>;
  readonly bin: Readonly<Record<string, string>>;
  readonly files: readonly string[];
}

const manifest: Manifest = JSON.parse(readFileSync(join(repositoryRoot, "package.json"), "utf8"));

const sources = {
  ".": "src/index.ts",
  "./ai-sdk": "src/integrations/ai-sdk/index.ts",
  "./client": "src/client/index.ts",
  "./core": "src/core/public/index.ts",
  "./fit": "src/compose/fit.ts",
  "./jobs/pg-boss": "src/jobs/pg-boss-jobs.ts",
  "./langchain": "src/integrations/langchain/index.ts",
  "./mastra": "src/integrations/mastra/index.ts",
  "./mcp": "src/mcp/index.ts",
  "./openai-agents": "src/integrations/openai-agents/index.ts",
  "./ports": "src/ports/index.ts",
  "./server": "src/server/index.ts",
  "./stores/d1": "src/stores/d1/open-d1-store.ts",
  "./stores/jsonl": "src/stores/jsonl/jsonl-store.ts",
  "./stores/memory": "src/stores/memory/memory-store.ts",
  "./stores/postgres": "src/stores/postgres/open-postgres-store.ts",
  "./stores/sqlite": "src/stores/sqlite/open-sqlite-store.ts",
  "./telemetry": "src/telemetry/instrument.ts",
  "./testing": "src/testing/public/index.ts",
  "./workspace": "src/workspace/index.ts",
};

describe("the package's exports", () => {
  test("are exactly the entry points that are listed here", () => {
    expect(Object.keys(manifest.exports)).toEqual(Object.keys(sources));
  });

  test.each(Object.entries(sources))("%s resolves to the build of %s, types first", (subpath, source) => {
    const built = source.replace(/^src/, "./dist").replace(/\.ts$/, "");
    expect(Object.entries(manifest.exports[subpath] ?? {})).toEqual([
      ["types", `${built}.d.ts`],
      ["default", `${built}.js`],
    ]);
    expect(existsSync(join(repositoryRoot, source)), `${source} exists`).toBe(true);
  });

  test("are accompanied by one command, which runs the build of src/cli/main.ts", () => {
    expect(manifest.bin).toEqual({ palimpsest: "dist/cli/main.js" });
    expect(readFileSync(join(repositoryRoot, "src/cli/main.ts"), "utf8")).toMatch(/^#!\/usr\/bin\/env node\n/);
  });

  test("are the production entries in knip.json, with the command, the worker threads and the page", () => {
    const { entry }: { readonly entry: readonly string[] } = JSON.parse(
      readFileSync(join(repositoryRoot, "knip.json"), "utf8"),
    );
    // knip marks entries of production code with `!`. The entry point for tests is not one of them.
    const reaching = entry.filter((path) => path.endsWith("!")).map((path) => path.slice(0, -1));
    const threads = [
      "src/cli/replay/replay-worker.ts",
      "src/compose/threads/summary-worker.ts",
      "src/stores/sqlite/batch-worker.ts",
      "src/workspace/worker-thread.ts",
    ];
    const others = ["src/cli/main.ts", ...threads, "web/main.tsx", "web/public/theme.js"];
    const entryPoints = Object.values(sources).filter((source) => source !== "src/testing/public/index.ts");
    expect(reaching.toSorted()).toEqual([...entryPoints, ...others].toSorted());
  });

  test("are in the folder dist, which is packed", () => {
    expect(manifest.files).toContain("dist");
  });

  test.each(Object.values(sources))("%s has named exports only", (source) => {
    expect(readFileSync(join(repositoryRoot, source), "utf8")).not.toMatch(/^export default\b|^export \* from/m);
  });
});
