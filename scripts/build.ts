/**
 * `npm run build` compiles src into an empty dist, so that no file of an earlier build is packed. A folder as the
 * argument replaces dist.
 */
import { rmSync } from "node:fs";
import { resolve } from "node:path";
import { runTool } from "./run-tool.ts";

const folder = resolve(process.argv[2] ?? resolve(import.meta.dirname, "../dist"));
rmSync(folder, { recursive: true, force: true });
process.exitCode = runTool("tsc", { args: ["-p", "tsconfig.build.json", "--outDir", folder] });
