/**
 * Measures how far each counter is from the exact tokenizer, how fast it is, what its table costs to load, and how long
 * the longest step of a hostile text blocks the event loop. The reference is o200k on the whole text, without windows.
 */
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { countText, countTextInSteps } from "../src/core/tokens/count-text.ts";
import type { Counter } from "../src/core/tokens/counter.ts";
import { loadCounter } from "../src/counters/load-counter.ts";
import { hugeTexts } from "../src/testing/hostile-texts.ts";
import type { BenchRequest, BenchResult } from "./bench.ts";
import { generateSamples, type TextSample } from "./tokens/generate-samples.ts";
import { readDataSamples } from "./tokens/read-data-samples.ts";

const SEED = 20_261;
const WARM_UP_SEED = 7;
const COUNTERS = ["estimate", "chars4", "words13", "cl100k", "o200k"] as const;

export async function run(_request: BenchRequest): Promise<BenchResult> {
  const loads = (["o200k", "cl100k"] as const).map(measureLoad);
  const counters = await Promise.all(COUNTERS.map((name) => loadCounter(name)));
  const exact = await loadCounter("gpt-4o");
  for (const { text } of generateSamples(WARM_UP_SEED)) for (const counter of counters) countText(text, counter);
  const samples = [...generateSamples(SEED), ...readDataSamples()];
  const rows = samples.flatMap((sample) => compareCounters(sample, { counters, exact }));
  const steps = hugeTexts().map(({ name, build }) => measureSteps(build(), { name, counter: exact }));
  return {
    name: "tokens",
    title: "Counters against the exact o200k count of the whole text: error, speed, load, longest step.",
    rows,
    figures: {
      ...Object.fromEntries(loads.flatMap((load) => Object.entries(load))),
      estimateWorstErrorPercent: worstError(rows, "estimate"),
      estimateSlowestMegabytesPerSecond: slowest(rows, "estimate"),
      o200kWindowedWorstErrorPercent: worstError(rows, "o200k"),
      longestStepCpuMs: Math.max(...steps.map(({ longestStepCpuMs }) => longestStepCpuMs)),
    },
    notes: [
      "Speeds are by CPU time. Tokenizers are measured on text that they have not cached.",
      "Errors are signed: a negative error is an undercount, which is the dangerous side.",
      "cl100k is another tokenizer, so its error is a difference and not a mistake.",
      samples.some(({ source }) => source === "data")
        ? 'Rows with the source "data" are real text.'
        : "No folder with data was found.",
    ],
    details: { steps },
  };
}

type Row = Readonly<Record<string, string | number>>;

function compareCounters(
  { kind, source, text }: TextSample,
  { counters, exact }: { readonly counters: readonly Counter[]; readonly exact: Counter },
): readonly Row[] {
  process.stderr.write(`tokens: ${kind}, ${source}\n`);
  const speeds = counters.map((counter) => measureSpeed(text, counter));
  const exactTokens = exact.countWindow(text);
  return counters.map((counter, index) => {
    const tokens = countText(text, counter);
    return {
      text: kind,
      source,
      counter: counter.id,
      tokens,
      errorPercent: round((tokens / exactTokens - 1) * 100, 2),
      megabytesPerSecond: round(speeds[index] ?? 0, 1),
    };
  });
}

const SPEED_RUNS = 5;

/**
 * Returns millions of UTF-8 bytes per second of CPU time. A tokenizer caches what it has seen, so only its first pass
 * shows its speed on new text. The other counters cache nothing, so the median of several passes is used.
 */
function measureSpeed(text: string, counter: Counter): number {
  const passes = Array.from({ length: counter.startTally === undefined ? 1 : SPEED_RUNS }, () =>
    cpuMs(() => countText(text, counter)),
  );
  return Buffer.byteLength(text) / 1_000 / Math.max(MIN_MEASURED_MS, median(passes));
}

/** Below this, the clock is too coarse. */
const MIN_MEASURED_MS = 0.05;

/** CPU time, so that other processes are not counted. */
function cpuMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

const LOAD_RUNS = 3;

/** Each table is loaded in a new process, because a module is loaded only once. */
function measureLoad(name: "o200k" | "cl100k"): Readonly<Record<string, number>> {
  process.stderr.write(`tokens: loading ${name}\n`);
  const script = fileURLToPath(new URL("tokens/load-table.ts", import.meta.url));
  const runs = Array.from({ length: LOAD_RUNS }, (): { readonly loadMs: number; readonly memoryMb: number } =>
    JSON.parse(execFileSync(process.execPath, ["--expose-gc", script, name], { encoding: "utf8" })),
  );
  return {
    [`${name}LoadMs`]: round(median(runs.map(({ loadMs }) => loadMs)), 0),
    [`${name}MemoryMb`]: round(median(runs.map(({ memoryMb }) => memoryMb)), 0),
  };
}

function measureSteps(text: string, { name, counter }: { readonly name: string; readonly counter: Counter }) {
  process.stderr.write(`tokens: steps of ${name}\n`);
  const steps = countTextInSteps(text, counter);
  const times: number[] = [];
  for (let done = false; !done; ) {
    const time = cpuMs(() => {
      done = steps.next().done === true;
    });
    times.push(time);
  }
  return {
    name,
    steps: times.length,
    longestStepCpuMs: round(Math.max(...times), 1),
    totalCpuMs: round(sum(times), 0),
  };
}

function worstError(rows: readonly Row[], counter: string): number {
  const errors = rows.filter((row) => row.counter === `${counter}@1`).map((row) => Number(row.errorPercent));
  return errors.toSorted((left, right) => Math.abs(right) - Math.abs(left))[0] ?? 0;
}

function slowest(rows: readonly Row[], counter: string): number {
  return Math.min(...rows.filter((row) => row.counter === `${counter}@1`).map((row) => Number(row.megabytesPerSecond)));
}

function median(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? 0;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
