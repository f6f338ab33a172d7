/**
 * Tokens and cost of a conversation so far, by the model that answered. The sums are part of the head, so reading them
 * is cheap for any log. Provider figures are used if there are any; an answer without them is counted by us and marked
 * as an estimate. The cost of a summary is in its record.
 */
import type { ModelInfo } from "../budget/model-info.ts";
import type { SummaryRecord } from "../summary/record/record.ts";
import { readInputTokens, type TokenFigures } from "./cache-use.ts";
import type { RequestEntry, TokenCounts, Usage } from "./entry.ts";

/** Spending of one model. Models without a name share one item. */
export interface ModelSpending extends TokenFigures {
  readonly model?: string | undefined;
  readonly answers: number;
  /** Answers for which no provider reported figures. */
  readonly estimated: number;
}

export interface Spending {
  readonly models: readonly ModelSpending[];
  readonly summaries: number;
  readonly summariesUsd: number;
}

export const NO_SPENDING: Spending = { models: [], summaries: 0, summariesUsd: 0 };

/** Number of models that are listed separately, so that a head stays bounded. */
export const MAX_MODELS = 16;

export interface AnswerUse extends TokenFigures {
  readonly isEstimate: boolean;
}

export interface AnswerFacts {
  readonly usage: Usage | undefined;
  readonly tokens: TokenCounts;
  /** The request that it answers, with our own count. */
  readonly request: Pick<RequestEntry, "model" | "countedTokens" | "factor" | "counterId"> | undefined;
}

/** Returns the tokens of an answer; undefined if no usage was reported and no model is named. */
export function readAnswerUse({ usage, tokens, request }: AnswerFacts): AnswerUse | undefined {
  const inputTokens = readInputTokens(usage);
  if (inputTokens !== undefined || usage?.outputTokens !== undefined) {
    const { outputTokens = 0, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage ?? {};
    return { inputTokens: inputTokens ?? 0, outputTokens, cacheReadTokens, cacheWriteTokens, isEstimate: false };
  }
  if (request?.model === undefined) return undefined;
  const estimate = (counted: number) => Math.round(counted * request.factor);
  const outputTokens = estimate(tokens[request.counterId] ?? 0);
  return { ...NO_TOKENS, inputTokens: estimate(request.countedTokens), outputTokens, isEstimate: true };
}

/** Returns the model that answered, or else the one that the prompt was made for; undefined if no model is named. */
export function findAnsweringModel({ usage, request }: Pick<AnswerFacts, "usage" | "request">): string | undefined {
  return usage?.model ?? request?.model;
}

export function addAnswer(spent: Spending = NO_SPENDING, answer: AnswerFacts): Spending {
  const use = readAnswerUse(answer);
  if (use === undefined) return spent;
  const { models } = spent;
  const asked = findAnsweringModel(answer);
  const isKnown = models.some(({ model }) => model === asked);
  const name = isKnown || models.length < MAX_MODELS ? asked : undefined;
  const before = models.find(({ model }) => model === name);
  const named = name === undefined ? {} : { model: name };
  const next = addUse(before ?? { ...named, answers: 0, estimated: 0, ...NO_TOKENS }, use);
  if (before === undefined) return { ...spent, models: [...models, next] };
  return { ...spent, models: models.map((each) => (each === before ? next : each)) };
}

const NO_TOKENS: TokenFigures = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };

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

/** An undo does not subtract the cost. */
export function addSummary(spent: Spending = NO_SPENDING, { costUsd = 0 }: Pick<SummaryRecord, "costUsd">): Spending {
  return { ...spent, summaries: spent.summaries + 1, summariesUsd: spent.summariesUsd + costUsd };
}

const MILLION = 1_000_000;

/** Returns US dollars, or undefined if usage or prices are unknown. */
export function priceUsage(usage: Usage | undefined, { prices }: Pick<ModelInfo, "prices">): number | undefined {
  if (usage === undefined || prices === undefined) return undefined;
  const { inputTokens = 0, outputTokens = 0, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage;
  const cached = cacheReadTokens + cacheWriteTokens;
  // A provider that reports more cached tokens than input has left them out of the input.
  const fresh = cached > inputTokens ? inputTokens : inputTokens - cached;
  const cachedCost = cacheReadTokens * prices.cacheRead + cacheWriteTokens * prices.cacheWrite;
  return (fresh * prices.input + cachedCost + outputTokens * prices.output) / MILLION;
}
