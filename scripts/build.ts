/**
 * `npm run build` compiles src into an empty dist, so that no file of an earlier build is packed, and joins the modules
 * into fewer files. A folder as the argument replaces dist. The command is made executable: `npx palimpsest` in a clone
 * does that only the first time.
 */
import { chmodSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { bundleModules } from "./bundle-modules.ts";
import { runTool } from "./run-tool.ts";

/** Modules that are started or imported by their path: threads, and those that `imports` of package.json names. */
const LOADED_BY_PATH = [
  "compose/threads/summary-worker.js",
  "cli/replay/replay-worker.js",
  "stores/sqlite/batch-worker.js",
  "workspace/worker-thread.js",
  "core/message/sha256.js",
  "core/message/sha256-node.js",
];

const folder = resolve(process.argv[2] ?? resolve(import.meta.dirname, "../dist"));
rmSync(folder, { recursive: true, force: true });
process.exitCode = runTool("tsc", { args: ["-p", "tsconfig.build.json", "--outDir", folder] });
if (process.exitCode === 0) {
  await bundleModules(folder, [...listEntries(), ...LOADED_BY_PATH]);
  chmodSync(resolve(folder, "cli/main.js"), 0o755);
  writeImports();
}

/** The nearest package.json decides what `#…` means. That of the repository names sources, so dist gets its own. */
function writeImports(): void {
  const { imports } = JSON.parse(readManifest(), (_, value: unknown) =>
    typeof value === "string" ? value.replace(/^\.\/src\/(.*)\.ts$/, "./$1.js") : value,
  );
  writeFileSync(resolve(folder, "package.json"), `${JSON.stringify({ type: "module", imports }, undefined, 2)}\n`);
}

/** Returns the files of dist that package.json names as entry points and commands. */
function listEntries(): readonly string[] {
  const found = new Set<string>();
  const { exports, bin } = JSON.parse(readManifest());
  JSON.stringify([exports, bin], (_, value: unknown) => {
    const [, file] = typeof value === "string" ? (/^(?:\.\/)?dist\/(.+\.js)$/.exec(value) ?? []) : [];
    if (file !== undefined) found.add(file);
    return value;
  });
  return [...found];
}

function readManifest(): string {
  return readFileSync(resolve(import.meta.dirname, "../package.json"), "utf8");
}
