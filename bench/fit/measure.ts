/**
 * Measures one contestant on some histories in its own process, and prints its figures as JSON. Times are CPU times,
 * because other processes may run.
 */
import { readFileSync } from "node:fs";
import { decodeInput } from "../../src/core/message/formats/decode-input.ts";
import { requireFormat } from "../../src/core/message/formats/formats.ts";
import type { Message } from "../../src/core/message/message.ts";
import { countMessage } from "../../src/core/tokens/count-message.ts";
import { loadCounter } from "../../src/counters/load-counter.ts";
import { median } from "../shared/averages.ts";
import type { FitContestant } from "./contestant.ts";

export interface FitTask {
  readonly moduleUrl: string;
  /** JSON lists of messages, one history on each line. */
  readonly historiesFile: string;
  readonly budgetTokens: number;
}

export interface FitFigures {
  readonly name: string;
  readonly version: string;
  readonly keeps: string;
  /** The first call of the process, on the first history. */
  readonly coldMs: number;
  /** The median of five more calls, by history. */
  readonly warmMs: readonly number[];
  /** Calls over the last messages of each history, one by one as it grows: the median of all. */
  readonly growingMs: number;
  /** The share of those calls whose result begins with the previous result. */
  readonly continued: number;
  /** Tokens of each result by o200k, for all contestants. */
  readonly tokens: readonly number[];
}

const WARM_CALLS = 5;
const GROWING_CALLS = 24;
/** No further call on a history starts after this much time. */
const MAX_TOTAL_MS = 5_000;

async function measure({ moduleUrl, historiesFile, budgetTokens }: FitTask): Promise<FitFigures> {
  const { contestant }: { readonly contestant: FitContestant } = await import(moduleUrl);
  const { format, name, version, keeps, prepare = (history) => history } = contestant;
  const lines = readFileSync(historiesFile, "utf8").trim().split("\n");
  const histories = lines.map((line) => prepare(encode(JSON.parse(line), format)));
  const counter = await loadCounter("o200k");
  const [warmMs, growing, tokens]: [number[], number[], number[]] = [[], [], []];
  let coldMs: number | undefined;
  let continued = 0;
  for (const history of histories) {
    const call = await contestant.start({ budgetTokens });
    const first = await time(() => call(history));
    coldMs ??= first.ms;
    const fresh = await contestant.start({ budgetTokens });
    const again: number[] = [];
    for (let index = 0; index < WARM_CALLS && sum(again) < MAX_TOTAL_MS; index += 1) {
      again.push((await time(() => fresh(history))).ms);
    }
    warmMs.push(median(again));
    tokens.push(count(first.result, { format, countOne: (message) => countMessage(message, counter) }));
    const grow = await contestant.start({ budgetTokens });
    let before: readonly unknown[] | undefined;
    let spentMs = 0;
    for (let length = history.length - GROWING_CALLS; length <= history.length && spentMs < MAX_TOTAL_MS; length += 1) {
      const { ms, result } = await time(() => grow(history.slice(0, length)));
      spentMs += ms;
      if (before !== undefined) {
        growing.push(ms);
        if (isContinued(before, result)) continued += 1;
      }
      before = result;
    }
  }
  const figures = { coldMs: coldMs ?? Number.NaN, warmMs, growingMs: median(growing), tokens };
  return { name, version, keeps, ...figures, continued: continued / growing.length };
}

function encode(messages: readonly Message[], format: FitContestant["format"]): readonly unknown[] {
  return format === "palimpsest" ? messages : requireFormat(format).encode(messages);
}

async function time<Result>(work: () => Promise<Result>): Promise<{ readonly ms: number; readonly result: Result }> {
  const start = process.cpuUsage();
  const result = await work();
  const { user, system } = process.cpuUsage(start);
  return { ms: (user + system) / 1_000, result };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** Ignores the last message, which may be a stand-in for a pending result. */
function isContinued(before: readonly unknown[], after: readonly unknown[]): boolean {
  return before.slice(0, -1).every((message, index) => JSON.stringify(message) === JSON.stringify(after[index]));
}

interface CountOptions {
  readonly format: FitContestant["format"];
  readonly countOne: (message: Message) => number;
}

function count(messages: readonly unknown[], { format, countOne }: CountOptions): number {
  const decoded = decodeInput(messages, { format, fallbackId: (index) => `m${index}` }).messages.flat();
  return decoded.reduce((sum, message) => sum + countOne(message), 0);
}

process.stdout.write(JSON.stringify(await measure(JSON.parse(process.argv[2] ?? "{}"))));
