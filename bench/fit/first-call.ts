/** Builds the package, and measures the first `fit` of new processes with it: CPU time and memory. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { median } from "../shared/averages.ts";

export interface FirstCallFigures {
  /** CPU time of the whole process. */
  readonly cpuMs: number;
  readonly rssBytes: number;
}

const TRIES = 5;
const BUILD = fileURLToPath(new URL("../../scripts/build.ts", import.meta.url));
const root = fileURLToPath(new URL("../../", import.meta.url));

/** A conversation that is folded, so that all parts of the package are loaded. */
const PROGRAM = `
  const { fit } = await import(process.argv[1]);
  const history = Array.from({ length: 100 }, (_, index) => ({
    role: index % 2 ? "assistant" : "user",
    content: "Ship " + index + " lies at pier " + (index % 13) + ", and its captain wants to leave before Friday.",
  }));
  await fit(history, { budgetTokens: 1_000 });
  const { user, system } = process.cpuUsage();
  process.stdout.write(JSON.stringify({ cpuMs: (user + system) / 1_000, rssBytes: process.memoryUsage.rss() }));
`;

export function measureFirstCalls(folder: string): FirstCallFigures {
  const built = join(folder, "dist");
  execFileSync(process.execPath, [BUILD, built], { cwd: root, stdio: ["ignore", 2, 2] });
  const entry = pathToFileURL(join(built, "compose/fit.js")).href;
  const args = ["--input-type=module", "--eval", PROGRAM, entry];
  const run = (): FirstCallFigures => JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8" }));
  // The first process fills the caches of the file system.
  run();
  const tries = Array.from({ length: TRIES }, run);
  return { cpuMs: median(tries.map(({ cpuMs }) => cpuMs)), rssBytes: median(tries.map(({ rssBytes }) => rssBytes)) };
}
