/**
 * `npm run build` compiles src into dist, from nothing, so that no file of an earlier build is packed. A folder given
 * as an argument takes the place of dist.
 */
import { rmSync } from "node:fs";
import { resolve } from "node:path";
import { runTool } from "./run-tool.ts";

const folder = resolve(process.argv[2] ?? resolve(import.meta.dirname, "../dist"));
rmSync(folder, { recursive: true, force: true });
process.exitCode = runTool("tsc", { args: ["-p", "tsconfig.build.json", "--outDir", folder] });
