/**
 * Turns what was measured into the published result: rows, the ratios people quote, and the musts with whether they
 * hold. It measures nothing, and a must whose figures are missing is left out and named in the notes, never guessed.
 */
import { availableParallelism, cpus } from "node:os";
import type { BenchResult, BenchValue } from "../bench.ts";
import { conversationSeed, messageTokens } from "./conversation.ts";
import type { ContestantResult, SizeRow } from "./run-contestant.ts";

/** The budget that the musts are about; the other is reported. */
const judgedBudget = 32_000;
const comparedSize = 2_000;
const sessionName = "Palimpsest session";
const fitName = "Palimpsest fit";
const exactTrimName = "LangChain trimMessages, exact counter";

export interface Must {
  readonly text: string;
  readonly target: string;
  readonly measured: string;
  readonly holds: boolean;
}

export interface TurnCostResult extends BenchResult {
  readonly musts: readonly Must[];
}

export function judgeTurnCost(
  results: readonly ContestantResult[],
  { withPeers }: { readonly withPeers: boolean },
): TurnCostResult {
  const musts = mustsOf(results);
  return {
    name: "turn-cost",
    title: `Append a message and build the prompt: messages of ${messageTokens} tokens, milliseconds a turn`,
    rows: results.flatMap((result) => result.sizes.map((row) => rowOf(result, row))),
    figures: figuresOf(results),
    notes: [
      ...musts.map(
        ({ text, target, measured, holds }) => `must: ${text} ${target}: ${measured}, ${holds ? "holds" : "FAILS"}`,
      ),
      ...(withPeers ? [] : ["peers were left out by --no-peers: nothing is said about how we compare"]),
      ...methodNotes(),
      ...introductions(results),
    ],
    musts,
  };
}

function rowOf(result: ContestantResult, { messages, figures, stopped }: SizeRow): Record<string, BenchValue> {
  return {
    contestant: result.name,
    budgetTokens: result.budgetTokens,
    messages,
    p50Ms: rounded(figures?.p50Ms),
    p99Ms: rounded(figures?.p99Ms),
    meanMs: rounded(figures?.meanMs),
    maxMs: rounded(figures?.maxMs),
    turns: figures?.turns ?? null,
    promptMessages: figures?.prompt?.messages ?? null,
    promptTokens: figures?.prompt?.tokens ?? null,
    remark: stopped ?? (isOver(result, figures?.prompt?.tokens) ? "over the budget" : null),
  };
}

function figuresOf(results: readonly ContestantResult[]): Record<string, BenchValue> {
  const figures: Record<string, BenchValue> = {};
  for (const { name, budgetTokens, totals } of results) {
    const about = `${name}, ${budgetTokens} tokens`;
    if (totals?.messagesPerSecond === undefined) continue;
    figures[`${about}: messages per second while feeding`] = Math.round(totals.messagesPerSecond);
    figures[`${about}: heap used at the end, MB`] = Math.round(totals.heapUsedBytes / 1e6);
    if (totals.compactions !== undefined) figures[`${about}: compactions`] = totals.compactions;
  }
  for (const name of [sessionName, fitName]) {
    const growth = ratio(p50(results, name, 100_000), p50(results, name, 1_000));
    if (growth !== undefined) figures[`${name}: p50 at 100,000 / p50 at 1,000`] = growth;
  }
  for (const { name, budgetTokens } of results) {
    const times = ratio(p50(results, name, comparedSize), p50(results, sessionName, comparedSize));
    if (budgetTokens !== judgedBudget || name === sessionName || times === undefined) continue;
    figures[`${name}: p50 at ${comparedSize} / ours`] = times;
  }
  return figures;
}

function mustsOf(results: readonly ContestantResult[]): readonly Must[] {
  const atEnd = p50(results, sessionName, 100_000);
  const growth = ratio(atEnd, p50(results, sessionName, 1_000));
  const times = ratio(p50(results, exactTrimName, comparedSize), p50(results, sessionName, comparedSize));
  const musts: Must[] = [];
  if (atEnd !== undefined) {
    const text = `p50 of append + prompt at 100,000 messages, ${judgedBudget} tokens`;
    musts.push({ text, target: "<= 1 ms", measured: `${rounded(atEnd)} ms`, holds: atEnd <= 1 });
  }
  if (growth !== undefined) {
    const text = "p50 at 100,000 messages over p50 at 1,000";
    musts.push({ text, target: "<= 2x", measured: `${growth}x`, holds: growth <= 2 });
  }
  if (times !== undefined) {
    const text = `${exactTrimName}, over ours at ${comparedSize} messages`;
    musts.push({ text, target: ">= 1000x", measured: `${times}x`, holds: times >= 1_000 });
  }
  return musts;
}

function methodNotes(): readonly string[] {
  return [
    `conversation: user and assistant in turn, ${messageTokens} tokens each by o200k, seed ${conversationSeed}; one process a contestant`,
    "fed every message: p50 and p99 over the last 300 turns before a size, mean and max over all turns since the size before, compactions and background work included",
    "preloaded: up to 100 turns from the size on, or as many as 20 s allow; a size over 60 s is stopped",
    "promptTokens counts the text of the last prompt by o200k, outside the timed part",
    `Node ${process.version}, ${cpus()[0]?.model.trim() ?? "unknown processor"}, ${availableParallelism()} cores`,
  ];
}

function introductions(results: readonly ContestantResult[]): readonly string[] {
  return [...new Set(results.map(({ name, version, note, feeding }) => `${name} (${version}; ${feeding}): ${note}`))];
}

function p50(results: readonly ContestantResult[], name: string, messages: number): number | undefined {
  const result = results.find((one) => one.name === name && one.budgetTokens === judgedBudget);
  return result?.sizes.find((row) => row.messages === messages)?.figures?.p50Ms;
}

function isOver(result: ContestantResult, promptTokens: number | undefined): boolean {
  return promptTokens !== undefined && promptTokens > result.budgetTokens;
}

function ratio(over: number | undefined, under: number | undefined): number | undefined {
  if (over === undefined || under === undefined) return undefined;
  return Number((over / under).toPrecision(3));
}

function rounded(ms: number | undefined): number | null {
  return ms === undefined ? null : Number(ms.toPrecision(4));
}
