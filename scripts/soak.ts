/**
 * `npm run soak` runs every test file with properties (it imports `test/support/property-runs.ts`) with 500 times as
 * many histories as `npm test`, different ones every time, and all recorded conversations. It takes a long time and
 * finds rare failures. Arguments go to vitest: `npm run soak -- -t "law 6"`.
 */
import { readSources } from "../test/support/read-repository.ts";
import { runTool } from "./run-tool.ts";

const files = [...readSources("src/**/*.test.ts", "test/**/*.test.ts")]
  .filter(([, source]) => source.includes("/property-runs.ts"))
  .map(([file]) => file);
process.stdout.write(`${files.length} files with properties\n`);
process.exitCode = runTool("vitest", {
  args: ["run", ...process.argv.slice(2), ...files],
  env: { PALIMPSEST_SOAK: "1" },
});
