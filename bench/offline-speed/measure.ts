/** Measures one conversation in its own process, and prints its figures as JSON. */
import type { Message } from "../../src/core/message/message.ts";
import { summarizeOffline, summarizeOfflineInSteps } from "../../src/core/summary/offline/summarize-offline.ts";
import type { SummaryRecord } from "../../src/core/summary/record/record.ts";
import { countTokens } from "../../src/core/tokens/count-tokens.ts";
import { median } from "../shared/averages.ts";
import { type SpeedKind, writeConversation } from "./conversations.ts";

export interface SpeedTask {
  readonly kind: SpeedKind;
  readonly bytes: number;
  readonly budgetTokens: number;
}

export interface SpeedFigures {
  readonly messages: number;
  readonly firstMs: number;
  readonly recordMs: number;
  readonly countMs: number;
  readonly longestStepMs: number;
  readonly heapMegabytes: number;
  readonly lateFoldRatio: number;
}

const CALLS = 5;
const RUNS_OF_STEPS = 7;

function measure({ kind, bytes, budgetTokens }: SpeedTask): SpeedFigures {
  const messages = writeConversation(kind, { bytes });
  const heapMegabytes = measureHeap(messages, budgetTokens);
  const summarise = (): unknown => summarizeOffline(messages, { budgetTokens });
  const firstMs = processorMs(summarise);
  return {
    messages: messages.length,
    firstMs,
    recordMs: median(Array.from({ length: CALLS }, () => processorMs(summarise))),
    countMs: median(Array.from({ length: CALLS }, () => processorMs(() => countTokens(messages)))),
    longestStepMs: longestStep(messages, budgetTokens),
    heapMegabytes,
    lateFoldRatio: lateFold(kind, budgetTokens),
  };
}

function processorMs(work: () => unknown): number {
  const start = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1_000;
}

/**
 * Wall-clock time, because the CPU clock is too coarse for steps. The best run counts, because another process may run
 * in the middle of a step.
 */
function longestStep(messages: readonly Message[], budgetTokens: number): number {
  let best: readonly number[] | undefined;
  for (let run = 0; run < RUNS_OF_STEPS; run += 1) {
    const times: number[] = [];
    const steps = summarizeOfflineInSteps(messages, { budgetTokens });
    for (let isDone = false; !isDone; ) {
      const start = performance.now();
      isDone = steps.next().done === true;
      times.push(performance.now() - start);
    }
    best = best?.map((time, step) => Math.min(time, times[step] ?? time)) ?? times;
  }
  return (best ?? []).reduce((longest, time) => Math.max(longest, time), 0);
}

const STEPS_A_LOOK = 50;

function measureHeap(messages: readonly Message[], budgetTokens: number): number {
  const held = (): number => {
    globalThis.gc?.();
    return process.memoryUsage().heapUsed;
  };
  const before = held();
  let most = 0;
  const steps = summarizeOfflineInSteps(messages, { budgetTokens });
  for (let step = 0; steps.next().done !== true; step += 1) {
    if (step % STEPS_A_LOOK === 0) most = Math.max(most, held() - before);
  }
  return most / 1e6;
}

const STRETCH_BYTES = 20_000;
const FOLDS = 40;
const FOLDS_MEASURED = 10;

function lateFold(kind: SpeedKind, budgetTokens: number): number {
  let previous: SummaryRecord | undefined;
  const times: number[] = [];
  for (let fold = 0; fold < FOLDS; fold += 1) {
    const stretch = writeConversation(kind, { bytes: STRETCH_BYTES, seed: fold + 2 });
    const start = performance.now();
    previous = summarizeOffline(stretch, { budgetTokens, previous });
    times.push(performance.now() - start);
  }
  // The first folds have little to do, and the best of ten is least disturbed by other processes.
  const early = times.slice(FOLDS_MEASURED, 2 * FOLDS_MEASURED);
  return Math.min(...times.slice(-FOLDS_MEASURED)) / Math.min(...early);
}

process.stdout.write(JSON.stringify(measure(JSON.parse(process.argv[2] ?? "{}"))));
