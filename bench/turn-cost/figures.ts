/**
 * Figures of timed turns, and the messages between the benchmark and its processes. Percentiles are by nearest rank, so
 * every figure is a measured turn.
 */
/** How many turns before a size are in its percentiles, for contestants that get every message. */
export const turnsBeforeSize = 300;
/** Maximum number of turns that are measured after a size, for preloaded contestants. */
export const turnsFromSize = 100;
/** Measuring a preloaded contestant stops after this many turns if they took longer than `maxMeasuredMs` together. */
export const minTurns = 3;
export const maxMeasuredMs = 20_000;

export interface MeasureTask {
  readonly moduleUrl: string;
  readonly conversationFile: string;
  readonly budgetTokens: number;
  readonly messageTokens: number;
  /** Numbers of messages, ascending. */
  readonly sizes: readonly number[];
}

export interface ContestantInfo {
  readonly name: string;
  readonly version: string;
  readonly note: string;
  readonly feeding: "every-message" | "preloaded";
}

export type MeasureReport =
  | { readonly type: "introduction"; readonly introduction: ContestantInfo }
  | { readonly type: "size-start"; readonly messages: number }
  | { readonly type: "turn-end"; readonly ms: number }
  | { readonly type: "size-end"; readonly figures: TurnFigures }
  | { readonly type: "end"; readonly totals: FeedTotals };

export interface PromptSize {
  readonly messages: number;
  /** By o200k, text only. */
  readonly tokens: number;
}

export interface TurnFigures {
  /** How many turns the percentiles are from. */
  readonly turns: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** The slowest turn since the previous size. */
  readonly maxMs: number;
  /**
   * The mean over all turns since the previous size, including the work between turns; for preloaded contestants, over
   * the measured turns.
   */
  readonly meanMs: number;
  /** The last prompt; unknown for a contestant that was stopped. */
  readonly prompt?: PromptSize | undefined;
}

export interface FeedTotals {
  readonly heapUsedBytes: number;
  readonly messagesPerSecond?: number | undefined;
  readonly compactions?: number | undefined;
}

export function figuresOfTurns(turnsMs: readonly number[], prompt?: PromptSize | undefined): TurnFigures {
  return {
    turns: turnsMs.length,
    p50Ms: percentile(turnsMs, 0.5),
    p99Ms: percentile(turnsMs, 0.99),
    maxMs: percentile(turnsMs, 1),
    meanMs: turnsMs.reduce((sum, ms) => sum + ms, 0) / turnsMs.length,
    prompt,
  };
}

export function percentile(turnsMs: readonly number[], share: number): number {
  const sorted = turnsMs.toSorted((left, right) => left - right);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}
