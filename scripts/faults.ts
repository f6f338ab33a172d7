/**
 * `npm run faults -- F1` causes a fault on purpose, in full size, and reports whether acknowledged messages were lost.
 * Without a name it lists the faults; `all` runs every one. `--rounds 40` and `--minutes 2` limit a run, `--seed 7`
 * repeats one. It starts and ends only its own processes, and connects only to this machine.
 */
import { parseArgs } from "node:util";
import { describeFailedTally, type FaultOptions, type FaultResult, RECONNECT_MS } from "../test/faults/fault.ts";
import { FAULTS } from "../test/faults/faults.ts";

const MAX_MINUTES = 15;
const PROGRESS_EVERY_MS = 2_000;

interface RunRequest extends Pick<FaultOptions, "seed" | "longestMs"> {
  /** Default: the fault's full size. */
  readonly rounds: number | undefined;
}

async function main(): Promise<number> {
  const request = readRequest();
  if (typeof request === "string") {
    process.stderr.write(`${request}\nSee: npm run faults -- --help\n`);
    return 1;
  }
  const { names, wish } = request;
  if (names.length === 0) return list();
  process.stdout.write(`seed ${wish.seed}\n`);
  const tallies: FaultResult[] = [];
  for (const name of names) tallies.push(...(await run(name, wish)));
  return report(tallies);
}

/** Returns the request of the command line, or a message about its mistake. Without names, `main` lists the faults. */
function readRequest(): { readonly names: readonly string[]; readonly wish: RunRequest } | string {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        rounds: { type: "string" },
        minutes: { type: "string" },
        seed: { type: "string" },
        help: { type: "boolean", short: "h" },
      },
    });
    const named = positionals.includes("all") ? Object.keys(FAULTS) : positionals;
    const unknown = named.find((name) => !Object.hasOwn(FAULTS, name));
    if (unknown !== undefined)
      return `Unknown fault ${unknown}. The faults are: ${Object.keys(FAULTS).join(", ")}, all.`;
    const seed = readNumber("seed", values.seed) ?? Date.now() % 1_000_000;
    const longestMs = (readNumber("minutes", values.minutes) ?? MAX_MINUTES) * 60_000;
    const rounds = readNumber("rounds", values.rounds);
    return { names: values.help === true ? [] : named, wish: { seed, longestMs, rounds } };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return error.message;
  }
}

function list(): number {
  const rows = Object.entries(FAULTS).map(([name, { title, rounds }]) => `  ${name.padEnd(6)} ${title} (${rounds})`);
  process.stdout.write(
    `npm run faults -- <name> [--rounds <count>] [--minutes <max>] [--seed <number>]\n\n${rows.join("\n")}\n` +
      "  all    every fault\n\nThe number in brackets is the number of rounds in a full run.\n",
  );
  return 0;
}

function readNumber(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (text.trim() !== "" && Number.isFinite(value) && value >= 0) return value;
  throw new TypeError(`--${name}: expected a number of at least 0, found ${JSON.stringify(text)}.`);
}

async function run(name: string, { rounds, ...wish }: RunRequest): Promise<readonly FaultResult[]> {
  const fault = FAULTS[name];
  if (fault === undefined) return [];
  process.stdout.write(`\n${name}: ${fault.title}\n`);
  const startedAt = performance.now();
  let reportedAt = 0;
  const onProgress = (text: string): void => {
    if (performance.now() - reportedAt < PROGRESS_EVERY_MS) return;
    reportedAt = performance.now();
    process.stdout.write(`  ${text}\n`);
  };
  try {
    const tallies = await fault.run({ ...wish, rounds: rounds ?? fault.rounds, reconnectMs: RECONNECT_MS, onProgress });
    return tallies.map((tally) => ({ ...tally, name: `${name} ${tally.name}` }));
  } catch (error) {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return [{ name, rounds: 0, acknowledged: 0, lost: 0, duplicated: 0, violations: [text] }];
  } finally {
    process.stdout.write(`  ${((performance.now() - startedAt) / 1_000).toFixed(0)} s\n`);
  }
}

function report(tallies: readonly FaultResult[]): number {
  const rows = tallies.map((tally) => {
    const { name, rounds, acknowledged, lost, duplicated, violations, remarks = "" } = tally;
    return [name, rounds, acknowledged, lost, duplicated, violations.length, remarks].map(String);
  });
  const heading = ["fault", "rounds", "acknowledged", "lost", "duplicated", "violations", ""];
  const widths = heading.map((_, column) => Math.max(...[heading, ...rows].map((row) => row[column]?.length ?? 0)));
  for (const row of [heading, ...rows]) {
    const cells = row.map((cell, column) =>
      column > 0 && column < heading.length - 1 ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
    );
    process.stdout.write(`${cells.join("  ").trimEnd()}\n`);
  }
  const complaints = tallies.flatMap((tally) => describeFailedTally(tally) ?? []);
  for (const complaint of complaints) process.stderr.write(`${complaint}\n`);
  return complaints.length === 0 ? 0 : 1;
}

process.exitCode = await main();
