/**
 * Chooses the model of a summary: the first of the caller's list whose window fits the request, else the cheapest that
 * fits. The result contains the reason, and for each skipped model the reason against it. Sends nothing.
 */
import { computeBudget } from "../core/budget/budget.ts";
import { normalizeModelId } from "../core/budget/find-model.ts";
import type { ModelInfo } from "../core/budget/model-info.ts";

export interface ModelCandidate {
  readonly info: ModelInfo;
  readonly available?: boolean | undefined;
}

export interface ModelNeed {
  /** Ids in order of preference (`summarizerModelPreference`). Other models are used only if none of these can be. */
  readonly preference?: readonly string[] | undefined;
  /** The whole request, instructions included, with the learned factor applied. */
  readonly inputTokens: number;
  readonly outputTokens: number;
}

export interface SkippedModel {
  readonly id: string;
  readonly reason: string;
}

export type ModelChoice = { readonly isPreferred: boolean; readonly skipped: readonly SkippedModel[] } & (
  | { readonly type: "chosen"; readonly id: string; readonly reason: string }
  /** No model fits the whole request. The first preferred one that fits a chunk, else the one with the most room. */
  | { readonly type: "none"; readonly widestId: string | undefined }
);

export function chooseModel(candidates: readonly ModelCandidate[], need: ModelNeed): ModelChoice {
  const skipped: SkippedModel[] = [];
  const able = candidates.filter((candidate) => {
    const reason = findReasonAgainst(candidate, need);
    if (reason !== undefined) skipped.push({ id: candidate.info.id, reason });
    return reason === undefined;
  });
  for (const id of need.preference ?? []) {
    if (findById(candidates, id) === undefined) skipped.push({ id, reason: "It is not among the given models." });
  }
  const preferred = choosePreferred(able, need.preference ?? []);
  if (preferred !== undefined) return { type: "chosen", ...preferred, isPreferred: true, skipped };
  const [cheapest] = able.toSorted((a, b) => costOf(a, need) - costOf(b, need));
  if (cheapest === undefined) return { type: "none", ...findWidest(candidates, need), skipped };
  const reason = describePrice(cheapest, need);
  return { type: "chosen", id: cheapest.info.id, reason, isPreferred: false, skipped };
}

function choosePreferred(able: readonly ModelCandidate[], preference: readonly string[]) {
  const index = preference.findIndex((id) => findById(able, id) !== undefined);
  const found = findById(able, preference[index]);
  if (found === undefined) return undefined;
  if (index === 0) return { id: found.info.id, reason: "It is the first of the preferred models." };
  const reason = `It is number ${index + 1} of the preferred models, and the first of them that fits.`;
  return { id: found.info.id, reason };
}

/** Matches any spelling of an id, with or without its vendor. */
function findById(candidates: readonly ModelCandidate[], id: string | undefined): ModelCandidate | undefined {
  if (id === undefined) return undefined;
  const exact = candidates.find(({ info }) => info.id === id);
  return exact ?? candidates.find(({ info }) => normalizeModelId(info.id) === normalizeModelId(id));
}

function findReasonAgainst(
  { info, available }: ModelCandidate,
  { inputTokens, outputTokens }: ModelNeed,
): string | undefined {
  if (available === false) return "It failed too often recently.";
  const writes = Math.min(info.maxOutputTokens, info.windowTokens);
  if (outputTokens > writes) return `It writes at most ${writes} tokens, and ${outputTokens} are needed.`;
  const roomTokens = roomOf(info, outputTokens);
  if (inputTokens <= roomTokens) return undefined;
  return `It accepts ${roomTokens} tokens besides the answer, and the request has ${inputTokens}.`;
}

/** Returns the largest prompt that leaves room for the answer. */
export function roomOf({ windowTokens, maxInputTokens }: ModelInfo, reserveTokens: number): number {
  const nothingElse = { instructionsTokens: 0, toolsTokens: 0 };
  return computeBudget({ windowTokens, maxInputTokens, reserveTokens, ...nothingElse }).budgetTokens;
}

/** Returns US dollars for the call. Models without prices come last, in the given order. */
function costOf({ info: { prices } }: ModelCandidate, { inputTokens, outputTokens }: ModelNeed): number {
  if (prices === undefined) return Number.MAX_VALUE;
  return (inputTokens * prices.input + outputTokens * prices.output) / 1_000_000;
}

function describePrice(candidate: ModelCandidate, need: ModelNeed): string {
  if (candidate.info.prices === undefined) return "It fits, and no model that fits has a known price.";
  return `It is the cheapest that fits, at about $${costOf(candidate, need).toFixed(4)}.`;
}

function findWidest(
  candidates: readonly ModelCandidate[],
  { outputTokens, preference = [] }: ModelNeed,
): { readonly widestId: string | undefined; readonly isPreferred: boolean } {
  const able = candidates.filter(({ info, available }) => {
    return available !== false && outputTokens <= info.maxOutputTokens && roomOf(info, outputTokens) > 0;
  });
  const preferred = choosePreferred(able, preference);
  if (preferred !== undefined) return { widestId: preferred.id, isPreferred: true };
  const rooms = able.toSorted((a, b) => roomOf(b.info, outputTokens) - roomOf(a.info, outputTokens));
  return { widestId: rooms[0]?.info.id, isPreferred: false };
}
