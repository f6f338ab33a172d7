/**
 * `npm run build` compiles src into an empty dist, so that no file of an earlier build is packed. A folder as the
 * argument replaces dist. The command is made executable: `npx palimpsest` in a clone does that only the first time.
 */
import { chmodSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { runTool } from "./run-tool.ts";

const folder = resolve(process.argv[2] ?? resolve(import.meta.dirname, "../dist"));
rmSync(folder, { recursive: true, force: true });
process.exitCode = runTool("tsc", { args: ["-p", "tsconfig.build.json", "--outDir", folder] });
if (process.exitCode === 0) {
  chmodSync(resolve(folder, "cli/main.js"), 0o755);
  writeImports();
}

/** The nearest package.json decides what `#…` means. That of the repository names sources, so dist gets its own. */
function writeImports(): void {
  const text = readFileSync(resolve(import.meta.dirname, "../package.json"), "utf8");
  const { imports } = JSON.parse(text, (_, value: unknown) =>
    typeof value === "string" ? value.replace(/^\.\/src\/(.*)\.ts$/, "./$1.js") : value,
  );
  writeFileSync(resolve(folder, "package.json"), `${JSON.stringify({ type: "module", imports }, undefined, 2)}\n`);
}
