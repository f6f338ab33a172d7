/** The time from the start of a process to its help, to an import of the library, and to a server that answers. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { mustBe, roundFigure, type StorePart, timesOf } from "../store/part.ts";
import type { ServerRequest } from "./part.ts";

const TRIES = 5;
const root = fileURLToPath(new URL("../../", import.meta.url));
const CLI = join(root, "src/cli/main.ts");

interface Case {
  readonly name: string;
  readonly atMostMs: number;
  measure(folder: string, round: number): Promise<number>;
}

const CASES: readonly Case[] = [
  { name: "palimpsest --help", atMostMs: 150, measure: async () => timeRun([CLI, "--help"]) },
  {
    name: "import of the library",
    atMostMs: 200,
    measure: async () =>
      timeRun(["--input-type=module", "--eval", `await import(${JSON.stringify(`file://${root}src/index.ts`)})`]),
  },
  { name: "palimpsest serve, ready", atMostMs: 800, measure: timeServer },
];

/** Runs the cases in turn, so that a busy moment affects all; the first run of each fills caches and is not counted. */
export async function measureColdStart({ folder, say }: ServerRequest): Promise<StorePart> {
  const measured = CASES.map((): number[] => []);
  for (let round = 0; round <= TRIES; round += 1) {
    for (const [index, each] of CASES.entries()) {
      const ms = await each.measure(folder, round);
      if (round > 0) measured[index]?.push(ms);
    }
  }
  const times = measured.map(timesOf);
  for (const [index, { name }] of CASES.entries()) say(`${name}: ${times[index]?.p50Ms.toFixed(0)} ms`);
  return {
    rows: CASES.map(({ name }, index) => ({
      part: "start",
      case: name,
      requests: TRIES,
      p50Ms: roundFigure(times[index]?.p50Ms),
      p99Ms: roundFigure(times[index]?.maxMs),
    })),
    musts: CASES.map(({ name, atMostMs }, index) =>
      mustBe({ text: `start: ${name}`, value: times[index]?.p50Ms, unit: " ms", atMost: atMostMs }),
    ),
    notes: [`start: the median of ${TRIES} new processes each, from the sources; p99Ms is the slowest`],
  };
}

function timeRun(args: readonly string[]): number {
  const before = performance.now();
  execFileSync(process.execPath, args, { stdio: "ignore" });
  return performance.now() - before;
}

async function timeServer(folder: string, round: number): Promise<number> {
  const store = `sqlite:${join(folder, `start-${round}.db`)}`;
  const before = performance.now();
  const args = [CLI, "serve", "--json", "--port", "0", "--store", store, "--home", folder];
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env.PATH ?? "" },
    stdio: ["ignore", "pipe", "ignore"],
  });
  await Promise.race([once(child.stdout, "data"), once(child, "close")]);
  const ms = performance.now() - before;
  if (child.exitCode !== null) throw new Error("the server ended before it was ready");
  const closed = once(child, "close");
  child.kill("SIGTERM");
  await closed;
  return ms;
}
