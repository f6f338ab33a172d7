/**
 * What a conversation has taken so far, by the model that answered: sums that a head carries, so that reading them costs
 * nothing however long the log is. A provider's own figures are taken where there are any; an answer without them is
 * counted by what was sent and what came, and marked as an estimate. What summaries have cost is their records' own.
 */

import type { ModelInfo } from "../budget/model-info.ts";
import type { SummaryRecord } from "../summary/record/record.ts";
import { readInputTokens } from "./cache-use.ts";
import type { TokenCounts, Usage } from "./entry.ts";

/** Of one model; of all that are not told apart where it has no name. */
export interface ModelSpending {
  readonly model?: string | undefined;
  readonly answers: number;
  /** Those of them that no provider reported figures of. */
  readonly estimated: number;
  /** All of the prompts, cached or not. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
}

export interface Spent {
  readonly models: readonly ModelSpending[];
  readonly summaries: number;
  readonly summariesUsd: number;
}

export const NOTHING_SPENT: Spent = { models: [], summaries: 0, summariesUsd: 0 };

/** Models that are told apart, so that a head stays bounded. */
export const MOST_MODELS = 16;

export interface AnswerUse {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
  readonly isEstimate: boolean;
}

export interface Answer {
  readonly usage: Usage | undefined;
  readonly tokens: TokenCounts;
  /** What it answers, as it was counted here. */
  readonly request:
    | {
        readonly model?: string | undefined;
        readonly countedTokens: number;
        readonly factor: number;
        readonly counterId: string;
      }
    | undefined;
}

/** What an answer has taken; undefined where nobody reported it and no model is named that could have been paid. */
export function readAnswerUse({ usage, tokens, request }: Answer): AnswerUse | undefined {
  const inputTokens = readInputTokens(usage);
  if (inputTokens !== undefined || usage?.outputTokens !== undefined) {
    const { outputTokens = 0, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage ?? {};
    return { inputTokens: inputTokens ?? 0, outputTokens, cacheReadTokens, cacheWriteTokens, isEstimate: false };
  }
  if (request?.model === undefined) return undefined;
  const counted = { inputTokens: request.countedTokens, outputTokens: tokens[request.counterId] ?? 0 };
  return {
    inputTokens: Math.round(counted.inputTokens * request.factor),
    outputTokens: Math.round(counted.outputTokens * request.factor),
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    isEstimate: true,
  };
}

/** Whoever says so, or whom the prompt was made for; undefined where no model is named. */
export function whoAnswered({ usage, request }: Pick<Answer, "usage" | "request">): string | undefined {
  return usage?.model ?? request?.model;
}

export function addAnswer(spent: Spent = NOTHING_SPENT, answer: Answer): Spent {
  const use = readAnswerUse(answer);
  if (use === undefined) return spent;
  const { models } = spent;
  const asked = whoAnswered(answer);
  const isKnown = models.some(({ model }) => model === asked);
  const name = isKnown || models.length < MOST_MODELS ? asked : undefined;
  const before = models.find(({ model }) => model === name);
  const next = addUse(before ?? nothingOf(name), use);
  return {
    ...spent,
    models: before === undefined ? [...models, next] : models.map((each) => (each === before ? next : each)),
  };
}

function nothingOf(model: string | undefined): ModelSpending {
  const named = model === undefined ? {} : { model };
  const none = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
  return { ...named, answers: 0, estimated: 0, ...none };
}

function addUse(before: ModelSpending, use: AnswerUse): ModelSpending {
  return {
    ...before,
    answers: before.answers + 1,
    estimated: before.estimated + (use.isEstimate ? 1 : 0),
    inputTokens: before.inputTokens + use.inputTokens,
    outputTokens: before.outputTokens + use.outputTokens,
    cacheReadTokens: before.cacheReadTokens + use.cacheReadTokens,
    cacheWriteTokens: before.cacheWriteTokens + use.cacheWriteTokens,
  };
}

/** An undo brings back what was said, not what was paid. */
export function addSummary(spent: Spent = NOTHING_SPENT, { costUsd = 0 }: Pick<SummaryRecord, "costUsd">): Spent {
  return { ...spent, summaries: spent.summaries + 1, summariesUsd: spent.summariesUsd + costUsd };
}

// What a call has cost, from what its provider reported. What nobody reported is unknown, not zero.
const MILLION = 1_000_000;

/** US dollars, or undefined where usage or prices are unknown. */
export function priceUsage(usage: Usage | undefined, { prices }: Pick<ModelInfo, "prices">): number | undefined {
  if (usage === undefined || prices === undefined) return undefined;
  const { inputTokens = 0, outputTokens = 0, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage;
  const cached = cacheReadTokens + cacheWriteTokens;
  // A provider that reports more cached tokens than input has left them out of the input.
  const fresh = cached > inputTokens ? inputTokens : inputTokens - cached;
  const cachedCost = cacheReadTokens * prices.cacheRead + cacheWriteTokens * prices.cacheWrite;
  return (fresh * prices.input + cachedCost + outputTokens * prices.output) / MILLION;
}
