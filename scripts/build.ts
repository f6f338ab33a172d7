/**
 * `npm run build` compiles src into an empty dist, so that no file of an earlier build is packed. A folder as the
 * argument replaces dist. The command is made executable: `npx palimpsest` in a clone does that only the first time.
 */
import { chmodSync, rmSync } from "node:fs";
import { resolve } from "node:path";
import { runTool } from "./run-tool.ts";

const folder = resolve(process.argv[2] ?? resolve(import.meta.dirname, "../dist"));
rmSync(folder, { recursive: true, force: true });
process.exitCode = runTool("tsc", { args: ["-p", "tsconfig.build.json", "--outDir", folder] });
if (process.exitCode === 0) chmodSync(resolve(folder, "cli/main.js"), 0o755);
