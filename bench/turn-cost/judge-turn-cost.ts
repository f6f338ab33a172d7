/**
 * Turns the measurements into the published result: rows, the main ratios, and whether the required limits (musts)
 * hold. A must without its figure does not hold, and the notes name a side that was left out.
 */
import type { BenchResult, BenchValue } from "../bench.ts";
import { machineText } from "../shared/surroundings.ts";
import { conversationSeed, messageTokens } from "./conversation.ts";
import type { ContestantResult, SizeRow } from "./run-contestant.ts";

/** Required figures are measured with this budget; the other budget is only reported. */
const judgedBudget = 32_000;
const comparedSize = 2_000;
const sessionName = "Palimpsest session";
const fitName = "Palimpsest fit";
const exactTrimName = "LangChain trimMessages, exact counter";

/** A measured figure that has to meet its target. Benchmarks list these as `musts`. */
export interface RequiredFigure {
  readonly text: string;
  readonly target: string;
  readonly measured: string;
  readonly holds: boolean;
}

export interface TurnCostResult extends BenchResult {
  readonly musts: readonly RequiredFigure[];
}

/** Which contestants to measure: those of Palimpsest, the others, or both. */
export interface MeasuredSides {
  readonly ours: boolean;
  readonly peers: boolean;
}

export function judgeTurnCost(results: readonly ContestantResult[], asked: MeasuredSides): TurnCostResult {
  const musts = mustsOf(results, asked);
  return {
    name: "turn-cost",
    title: `Append a message and build the prompt: messages of ${messageTokens} tokens, milliseconds a turn`,
    rows: results.flatMap((result) => result.sizes.map((row) => rowOf(result, row))),
    figures: figuresOf(results),
    notes: [
      ...musts.map(
        ({ text, target, measured, holds }) => `must: ${text} ${target}: ${measured}, ${holds ? "holds" : "FAILS"}`,
      ),
      ...(asked.ours ? [] : ["ours was left out by --no-ours: no must is checked"]),
      ...(asked.peers ? [] : ["peers were left out by --no-peers: there is no comparison"]),
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
    remark: stopped ?? (exceedsBudget(result, figures?.prompt?.tokens) ? "over the budget" : null),
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

function mustsOf(results: readonly ContestantResult[], asked: MeasuredSides): readonly RequiredFigure[] {
  if (!asked.ours) return [];
  const atEnd = p50(results, sessionName, 100_000);
  const growth = ratio(atEnd, p50(results, sessionName, 1_000));
  const times = ratio(p50(results, exactTrimName, comparedSize), p50(results, sessionName, comparedSize));
  const musts = [
    must(`p50 of append + prompt at 100,000 messages, ${judgedBudget} tokens`, {
      target: "<= 1 ms",
      measured: atEnd === undefined ? undefined : `${rounded(atEnd)} ms`,
      holds: atEnd !== undefined && atEnd <= 1,
    }),
    must("p50 at 100,000 messages over p50 at 1,000", {
      target: "<= 2x",
      measured: growth === undefined ? undefined : `${growth}x`,
      holds: growth !== undefined && growth <= 2,
    }),
  ];
  if (!asked.peers) return musts;
  const faster = must(`${exactTrimName}, over ours at ${comparedSize} messages`, {
    target: ">= 1000x",
    measured: times === undefined ? undefined : `${times}x`,
    holds: times !== undefined && times >= 1_000,
  });
  return [...musts, faster];
}

/** Returns a required figure, which says "not measured" if nothing was measured. */
function must(
  text: string,
  outcome: Omit<RequiredFigure, "text" | "measured"> & { readonly measured: string | undefined },
): RequiredFigure {
  return { text, ...outcome, measured: outcome.measured ?? "not measured" };
}

function methodNotes(): readonly string[] {
  return [
    `conversation: user and assistant in turn, ${messageTokens} tokens each by o200k, seed ${conversationSeed}; one process a contestant`,
    "fed every message: p50 and p99 over the last 300 turns before a size, mean and max over all turns since the previous size, compactions and background work included",
    "preloaded: up to 100 turns after the size, or as many as 20 s allow; a size over 60 s is stopped",
    "promptTokens counts the text of the last prompt by o200k, outside the timed part",
    `Node ${process.version}, ${machineText()}`,
  ];
}

function introductions(results: readonly ContestantResult[]): readonly string[] {
  return [...new Set(results.map(({ name, version, note, feeding }) => `${name} (${version}; ${feeding}): ${note}`))];
}

function p50(results: readonly ContestantResult[], name: string, messages: number): number | undefined {
  const result = results.find((one) => one.name === name && one.budgetTokens === judgedBudget);
  return result?.sizes.find((row) => row.messages === messages)?.figures?.p50Ms;
}

function exceedsBudget(result: ContestantResult, promptTokens: number | undefined): boolean {
  return promptTokens !== undefined && promptTokens > result.budgetTokens;
}

function ratio(over: number | undefined, under: number | undefined): number | undefined {
  if (over === undefined || under === undefined) return undefined;
  return Number((over / under).toPrecision(3));
}

function rounded(ms: number | undefined): number | null {
  return ms === undefined ? null : Number(ms.toPrecision(4));
}
