/** Decides whether an optional compaction pays for itself. Amounts are in uncached input tokens of the model. */
import type { CacheRules, PriceCard } from "../budget/model-info.ts";
import type { View, ViewMessage } from "../log/view.ts";
import type { ChangeWeight } from "./proposal.ts";
import { sumTokens, type TentativeView } from "./tentative-view.ts";

export type CachePrices = Pick<CacheRules, "readRatio" | "writeRatio" | "ttlMs">;

export const ASSUMED_PRICES: CachePrices = { readRatio: 0.1, writeRatio: 1.25, ttlMs: 300_000 };

export const MAX_REQUESTS = 200;

export interface GateInput extends ChangeWeight {
  /** C: the cost of writing the summary, in input tokens; see `convertToInputTokens`. 0 for the offline summarizer. */
  readonly summarizerCost: number;
  /** L: the cost of repeating thinking that the model would refuse after the change, in input tokens. */
  readonly lostThinking?: number | undefined;
  readonly requestsSoFar: number;
  /** The most tokens that a prompt may take. */
  readonly limitTokens: number;
  /** Tokens of the prompt after the proposal. */
  readonly afterTokens: number;
  /** Average growth of a prompt from one request to the next. 0 if unknown. */
  readonly meanGrowthTokens: number;
  /** Time since the last request; undefined if nothing has been sent yet, in which case nothing is cached. */
  readonly sinceRequestMs: number | undefined;
  readonly prices?: CachePrices | undefined;
}

export interface GateTerms
  extends Pick<GateInput, "removedTokens" | "addedTokens" | "keptTokens" | "summarizerCost">,
    CachePrices {
  /** h: the expected number of further requests. */
  readonly expectedRequests: number;
  /** `sinceRequestMs`, under its name in reports and events. */
  readonly idleMs: number | undefined;
  readonly lostThinking?: number | undefined;
  /** The saving over all expected requests. `gain` is this − `rewritten` − `summarizerCost` − `lostThinking`. */
  readonly saved: number;
  /** Cost of writing kept tokens to a new prefix instead of reading them. 0 if the cache is cold. */
  readonly rewritten: number;
}

export interface GateVerdict {
  readonly gain: number;
  readonly isCold: boolean;
  readonly terms: GateTerms;
  readonly acts: boolean;
  /** Assumptions, as sentences; empty if everything was known. */
  readonly assumed: readonly string[];
}

export function weighCompaction(input: GateInput): GateVerdict {
  const { removedTokens, addedTokens, keptTokens, summarizerCost, lostThinking = 0, sinceRequestMs: idleMs } = input;
  const { readRatio, writeRatio, ttlMs } = input.prices ?? ASSUMED_PRICES;
  const expectedRequests = expectRequests(input);
  const isCold = idleMs === undefined || idleMs > ttlMs;
  const less = removedTokens - addedTokens;
  const saved = isCold
    ? less * writeRatio + (expectedRequests - 1) * less * readRatio
    : expectedRequests * less * readRatio;
  const rewritten = isCold ? 0 : (keptTokens + addedTokens) * (writeRatio - readRatio);
  const gain = saved - rewritten - summarizerCost - lostThinking;
  const amounts = { removedTokens, addedTokens, keptTokens, summarizerCost };
  const lost = lostThinking > 0 ? { lostThinking } : {};
  const terms = { ...amounts, ...lost, readRatio, writeRatio, ttlMs, expectedRequests, idleMs, saved, rewritten };
  return { gain, isCold, terms, acts: gain > 0, assumed: input.prices === undefined ? [ASSUMPTION] : [] };
}

const ASSUMPTION =
  `No price card is known. Assumed: reading a cached token costs ${ASSUMED_PRICES.readRatio} of an input token, ` +
  `writing one costs ${ASSUMED_PRICES.writeRatio}, and a prefix is kept for ${ASSUMED_PRICES.ttlMs / 60_000} minutes.`;

/** Expects as many requests as before, but no more than fit before the next compaction is unavoidable. */
function expectRequests({ requestsSoFar, limitTokens, afterTokens, meanGrowthTokens }: GateInput): number {
  const room = meanGrowthTokens > 0 ? (limitTokens - afterTokens) / meanGrowthTokens : Number.POSITIVE_INFINITY;
  return Math.min(MAX_REQUESTS, Math.max(1, Math.min(requestsSoFar, room)));
}

/** Prices repeated thinking as output, in input tokens. Without prices, at the usual ratio. */
export function priceThinking(tokens: number, prices: Pick<PriceCard, "input" | "output"> | undefined): number {
  return tokens * (prices === undefined || prices.input <= 0 ? ASSUMED_OUTPUT_RATIO : prices.output / prices.input);
}

/** On every Claude model that binds thinking, output costs five times as much as input. */
const ASSUMED_OUTPUT_RATIO = 5;

/** Converts a cost to the gate's unit. `inputPrice` is in US dollars per million tokens, as on a price card. */
export function convertToInputTokens(costUsd: number, inputPrice: number): number {
  return inputPrice > 0 ? (costUsd * 1_000_000) / inputPrice : 0;
}

type MeasuredView = Pick<TentativeView, "view" | "tokens">;

export function weighChange(before: MeasuredView, after: MeasuredView): ChangeWeight {
  const [old, next] = [listItems(before.view), listItems(after.view)];
  const isSameCover =
    before.view.head.summary === after.view.head.summary && before.view.head.truncation === after.view.head.truncation;
  const places = isSameCover ? next.findIndex((item, index) => item.shown !== old[index]?.shown) : 0;
  const first = places < 0 ? next.length : places;
  const moved = next.slice(first);
  const known = new Set(old.map(({ shown }) => shown));
  const placeholders = sumTokens(moved.filter(({ shown }) => !known.has(shown)));
  const fixedTokens = Math.max(0, before.tokens - sumTokens(old));
  // The old summary is not one of the messages, so it is counted here when another one replaces it.
  const oldCover = before.view.head.summary?.tokensAfter ?? 0;
  const cover = isSameCover ? 0 : Math.max(0, after.tokens - sumTokens(next) - fixedTokens) + oldCover;
  const addedTokens = placeholders + cover;
  // Repair omits parts of a broken history, so the messages can count more than the prompt.
  const shown = sumTokens(moved.filter((item) => known.has(item.shown)));
  const keptTokens = Math.max(0, Math.min(shown, after.tokens - addedTokens));
  return { removedTokens: before.tokens - after.tokens + addedTokens, addedTokens, keptTokens };
}

function listItems({ kept, messages }: View): readonly ViewMessage[] {
  return [...kept, ...messages];
}
