/**
 * `npm run faults -- F1` brings a fault about on purpose, as often as the promise about it says, and tells what became
 * of what was acknowledged. Without a name it lists the faults; `all` runs every one. `--rounds 40` and `--minutes 2`
 * bound a run, `--seed 7` repeats one. It starts and ends processes of its own only, and speaks to this machine only.
 */
import { parseArgs } from "node:util";
import { complaintOf, type FaultOptions, type Tally } from "../test/faults/fault.ts";
import { FAULTS } from "../test/faults/faults.ts";

const LONGEST_MINUTES = 15;
const PROGRESS_EVERY_MS = 2_000;

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { rounds: { type: "string" }, minutes: { type: "string" }, seed: { type: "string" } },
  });
  if (positionals.length === 0) return list();
  const names = positionals.includes("all") ? Object.keys(FAULTS) : positionals;
  const unknown = names.find((name) => FAULTS[name] === undefined);
  if (unknown !== undefined) {
    process.stderr.write(`There is no fault ${unknown}. There are: ${Object.keys(FAULTS).join(", ")}, all.\n`);
    return 1;
  }
  const seed = readNumber(values.seed, Date.now() % 1_000_000);
  const longestMs = readNumber(values.minutes, LONGEST_MINUTES) * 60_000;
  process.stdout.write(`seed ${seed}\n`);
  const tallies: Tally[] = [];
  for (const name of names) tallies.push(...(await run(name, { seed, longestMs, rounds: values.rounds })));
  return report(tallies);
}

function list(): number {
  const rows = Object.entries(FAULTS).map(([name, { title, rounds }]) => `  ${name.padEnd(6)} ${title} (${rounds})`);
  process.stdout.write(
    `npm run faults -- <name> [--rounds <count>] [--minutes <most>] [--seed <number>]\n\n${rows.join("\n")}\n` +
      "  all    every one of them\n\nIn brackets: the rounds of the full size.\n",
  );
  return 0;
}

function readNumber(text: string | undefined, otherwise: number): number {
  const value = text === undefined ? otherwise : Number(text);
  if (Number.isFinite(value) && value >= 0) return value;
  throw new TypeError(`Expected a number, found ${text}.`);
}

interface Wish extends Pick<FaultOptions, "seed" | "longestMs"> {
  readonly rounds: string | undefined;
}

async function run(name: string, { rounds, ...wish }: Wish): Promise<readonly Tally[]> {
  const fault = FAULTS[name];
  if (fault === undefined) return [];
  process.stdout.write(`\n${name}: ${fault.title}\n`);
  const startedAt = performance.now();
  let toldAt = 0;
  const onProgress = (text: string): void => {
    if (performance.now() - toldAt < PROGRESS_EVERY_MS) return;
    toldAt = performance.now();
    process.stdout.write(`  ${text}\n`);
  };
  try {
    const tallies = await fault.run({ ...wish, rounds: readNumber(rounds, fault.rounds), onProgress });
    return tallies.map((tally) => ({ ...tally, name: `${name} ${tally.name}` }));
  } catch (error) {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return [{ name, rounds: 0, acknowledged: 0, lost: 0, duplicated: 0, violations: [text] }];
  } finally {
    process.stdout.write(`  ${((performance.now() - startedAt) / 1_000).toFixed(0)} s\n`);
  }
}

function report(tallies: readonly Tally[]): number {
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
  const complaints = tallies.flatMap((tally) => complaintOf(tally) ?? []);
  for (const complaint of complaints) process.stderr.write(`${complaint}\n`);
  return complaints.length === 0 ? 0 : 1;
}

process.exitCode = await main();
