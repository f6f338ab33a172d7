/**
 * Measures how fast a summary by code is, and how its time grows: conversations of 0.25 to 2 MB (people talking, an
 * agent at work, one huge message) are summarized in 4,000 tokens, each in its own process. Times are CPU times,
 * including garbage collection and compilation, next to the time for counting the tokens of the same messages, so that
 * a slower machine changes both. It judges no summary.
 *
 * `--quick` leaves out the largest size.
 */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { BenchRequest, BenchResult } from "./bench.ts";
import { CONVERSATION_KINDS, type SpeedKind } from "./offline-speed/conversations.ts";
import type { SpeedFigures, SpeedTask } from "./offline-speed/measure.ts";
import { mustBe } from "./store/part.ts";
import type { RequiredFigure } from "./turn-cost/judge-turn-cost.ts";

const MEGABYTE = 1_000_000;
const SIZES = [0.25, 0.5, 1, 2].map((share) => share * MEGABYTE);
const BUDGET_TOKENS = 4_000;

/** Limits for 1 MB of the slowest kind. */
const MAX_RECORD_MS = 250;
const MAX_TIMES_COUNTING = 10;

export interface SpeedResults extends BenchResult {
  readonly musts: readonly RequiredFigure[];
}

export async function run({ args }: BenchRequest): Promise<SpeedResults> {
  const sizes = args.includes("--quick") ? SIZES.slice(0, -1) : SIZES;
  const measured: SpeedResult[] = [];
  for (const kind of CONVERSATION_KINDS) {
    for (const bytes of sizes) {
      const figures = await measureApart({ kind, bytes, budgetTokens: BUDGET_TOKENS });
      measured.push({ kind, bytes, figures });
      process.stderr.write(`offline-speed: ${kind}, ${bytes / MEGABYTE} MB: ${figures.recordMs.toFixed(0)} ms\n`);
    }
  }
  const atOne = measured.filter(({ bytes }) => bytes === MEGABYTE);
  const musts = judge(atOne.map(({ figures }) => figures));
  return {
    musts,
    name: "offline-speed",
    title: `Summaries of ${BUDGET_TOKENS} tokens by code alone: CPU time, memory and longest step.`,
    rows: measured.map(rowOf),
    figures: {
      "1 MB, slowest kind, ms": Math.max(...atOne.map(({ figures }) => figures.recordMs)),
      "1 MB, slowest kind, first call of a process, ms": Math.max(...atOne.map(({ figures }) => figures.firstMs)),
      "longest step, ms": Math.max(...measured.map(({ figures }) => figures.longestStepMs)),
      "1 MB, most heap over the input, MB": Math.max(...atOne.map(({ figures }) => figures.heapMegabytes)),
      "time at the largest size over its share of the smallest": Math.max(...CONVERSATION_KINDS.map(growth(measured))),
      "folding a stretch after 40 folds over after ten": Math.max(
        ...measured.map(({ figures }) => figures.lateFoldRatio),
      ),
    },
    notes: [
      ...musts.map(
        ({ text, target, measured: found, holds }) =>
          `must: ${text} ${target}: ${found}, ${holds ? "holds" : "MISSES"}`,
      ),
      "record: summarizeOffline, with its verification; the median of five calls after a first one.",
      "longest step: between two yields, by the clock; each step's best of seven runs, because the steps are the same in each.",
      "heap: the most at any yield, with a garbage collection every 50 steps, relative to the size of the messages.",
      "late fold: a stretch of 20 kB as the last of 40, over one after the first ten; the best of ten each.",
    ],
  };
}

function judge(atOne: readonly SpeedFigures[]): readonly RequiredFigure[] {
  const slowest = Math.max(...atOne.map(({ recordMs }) => recordMs));
  const times = Math.max(...atOne.map(({ recordMs, countMs }) => recordMs / countMs));
  return [
    mustBe({ text: "1 MB, slowest kind", value: slowest, unit: " ms", atMost: MAX_RECORD_MS }),
    mustBe({ text: "1 MB, compared with counting its tokens", value: times, unit: "x", atMost: MAX_TIMES_COUNTING }),
  ];
}

interface SpeedResult {
  readonly kind: SpeedKind;
  readonly bytes: number;
  readonly figures: SpeedFigures;
}

function rowOf({ kind, bytes, figures }: SpeedResult): BenchResult["rows"][number] {
  return {
    conversation: kind,
    megabytes: bytes / MEGABYTE,
    messages: figures.messages,
    "record ms": figures.recordMs,
    "first call ms": figures.firstMs,
    "counting its tokens ms": figures.countMs,
    "record over counting": figures.recordMs / figures.countMs,
    "longest step ms": figures.longestStepMs,
    "heap MB": figures.heapMegabytes,
    "late fold": figures.lateFoldRatio,
  };
}

/** Returns the time per byte at the largest size over that at the smallest: 1 if the time is linear. */
function growth(measured: readonly SpeedResult[]): (kind: SpeedKind) => number {
  return (kind) => {
    const own = measured.filter((each) => each.kind === kind);
    const [first, last] = [own[0], own.at(-1)];
    if (first === undefined || last === undefined) return Number.NaN;
    return last.figures.recordMs / first.figures.recordMs / (last.bytes / first.bytes);
  };
}

const MEASURE = fileURLToPath(new URL("offline-speed/measure.ts", import.meta.url));

async function measureApart(task: SpeedTask): Promise<SpeedFigures> {
  const args = ["--expose-gc", MEASURE, JSON.stringify(task)];
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 1e7 });
  return JSON.parse(stdout);
}
