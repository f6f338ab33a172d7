/**
 * The first prompt of an imported session, whose messages are not folded yet: 25,000 and 100,000 messages of 60 tokens
 * on SQLite, each size in its own process. It measures the CPU time of the first and the second prompt, the memory, the
 * longest computation without a yield, and how often progress is reported. It judges no summary.
 *
 * `--quick` uses a tenth of the messages, `--folder <path>` measures the disk of the path.
 */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { BenchRequest, BenchResult } from "./bench.ts";
import type { FirstFoldFigures } from "./first-fold/measure.ts";
import { loadText, machineText, makeFolder, sayAs } from "./shared/surroundings.ts";
import { fillStore } from "./store/fill-store.ts";
import { mustBe, roundFigure } from "./store/part.ts";
import type { RequiredFigure } from "./turn-cost/judge-turn-cost.ts";

const say = sayAs("first-fold");
const SIZES = [25_000, 100_000] as const;
const QUICK_SHARE = 10;
const MAX_FIRST_MS = 3_000;
const MAX_SECOND_MS = 100;
/** Time of the larger size, relative to that of as many messages of the smaller one. */
const MAX_GROWTH = 1.2;
/** Memory for the larger size, relative to that for the smaller one. */
const MAX_MEMORY_GROWTH = 2;
const MAX_STEP_MS = 50;
const MESSAGES_A_REPORT = 10_000;

export interface FirstFoldResult extends BenchResult {
  readonly musts: readonly RequiredFigure[];
}

export async function run({ args }: BenchRequest): Promise<FirstFoldResult> {
  const isQuick = args.includes("--quick");
  const folder = makeFolder(args);
  const measured: Measured[] = [];
  for (const size of SIZES) {
    const messages = isQuick ? size / QUICK_SHARE : size;
    const path = join(folder, `${messages}.db`);
    await fillStore({ path, sessions: [{ id: "long", messages }], say });
    const figures = await measureApart(path);
    say(
      `${messages} messages: first prompt ${figures.firstMs.toFixed(0)} ms, second ${figures.secondMs.toFixed(0)} ms`,
    );
    measured.push({ messages, figures });
  }
  const musts = judge(measured, isQuick);
  return {
    name: "first-fold",
    title: "First prompts of sessions that were imported: milliseconds of CPU time, megabytes of memory.",
    rows: measured.map(rowOf),
    notes: [
      ...musts.map(
        ({ text, target, measured: found, holds }) =>
          `must: ${text} ${target}: ${found}, ${holds ? "holds" : "MISSES"}`,
      ),
      "first ms, second ms: CPU time of all threads, including garbage collection and compilation.",
      "memory MB: the most resident memory during the first prompt, above that before it.",
      `Node ${process.version}, ${machineText()}, load ${loadText()} at the end.`,
    ],
    musts,
  };
}

interface Measured {
  readonly messages: number;
  readonly figures: FirstFoldFigures;
}

function rowOf({ messages, figures }: Measured): BenchResult["rows"][number] {
  return {
    messages,
    "first ms": Math.round(figures.firstMs),
    "second ms": roundFigure(figures.secondMs),
    "memory MB": Math.round(figures.memoryBytes / 1e6),
    "longest step ms": roundFigure(figures.longestStepMs),
    reports: figures.reports,
  };
}

function judge(measured: readonly Measured[], isQuick: boolean): readonly RequiredFigure[] {
  const [few, many] = [measured[0], measured.at(-1)];
  const share = (many?.messages ?? 0) / (few?.messages ?? 1);
  const last = many?.figures;
  const messages = (many?.messages ?? 0).toLocaleString("en-US");
  const growth = last && few && last.firstMs / few.figures.firstMs / share;
  const memory = last && few && last.memoryBytes / few.figures.memoryBytes;
  const all = [
    mustBe({ text: `first prompt of ${messages} messages`, value: last?.firstMs, unit: " ms", atMost: MAX_FIRST_MS }),
    mustBe({ text: "second prompt", value: last?.secondMs, unit: " ms", atMost: MAX_SECOND_MS }),
    mustBe({ text: `time a message, compared with ${few?.messages}`, value: growth, unit: "x", atMost: MAX_GROWTH }),
    mustBe({ text: `memory, compared with ${few?.messages}`, value: memory, unit: "x", atMost: MAX_MEMORY_GROWTH }),
    mustBe({ text: "longest step", value: last?.longestStepMs, unit: " ms", atMost: MAX_STEP_MS }),
    mustBe({
      text: "reports of progress",
      value: last?.reports,
      unit: "",
      atLeast: Math.floor((many?.messages ?? 0) / MESSAGES_A_REPORT),
    }),
  ];
  // The first prompt also loads code and tables, which dominates short sessions.
  return isQuick ? all.slice(0, 2) : all;
}

const MEASURE = fileURLToPath(new URL("first-fold/measure.ts", import.meta.url));

async function measureApart(path: string): Promise<FirstFoldFigures> {
  const { stdout } = await promisify(execFile)(process.execPath, [MEASURE, path]);
  return JSON.parse(stdout);
}
