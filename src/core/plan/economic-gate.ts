/**
 * Whether a compaction that can wait pays for itself. What it removes is not sent again for as many requests as are to
 * be expected; what it changes must be written to the prompt cache once more, unless the cache is cold anyway.
 *
 * All amounts are in uncached input tokens of the conversation's model, so no currency is needed. Only what is worth
 * doing comes here: what cannot be sent as it is, and what somebody asked for, is not weighed.
 */
import type { CacheRules, PriceCard } from "../budget/model-info.ts";
import type { View, ViewMessage } from "../log/view.ts";
import type { ChangeWeight } from "./proposal.ts";

export type CachePrices = Pick<CacheRules, "readRatio" | "writeRatio" | "ttlMs">;

/** What is taken for granted where no price card is known. */
export const ASSUMED_PRICES: CachePrices = { readRatio: 0.1, writeRatio: 1.25, ttlMs: 300_000 };

export const MOST_REQUESTS = 200;

export interface GateInput {
  /** R: tokens that the proposal takes out. */
  readonly removedTokens: number;
  /** s: tokens that it puts in, a summary or placeholders. */
  readonly addedTokens: number;
  /** K: tokens that stay but stand after the first changed byte. */
  readonly keptTokens: number;
  /** C: what making it costs, in input tokens; see `costInInputTokens`. 0 for what code does. */
  readonly summarizerCost: number;
  /** L: what it costs to do thinking again that the model would refuse after the change, in input tokens. */
  readonly lostThinking?: number | undefined;
  /** Requests of this session until now. */
  readonly requestsSoFar: number;
  /** What a prompt may take, and what it takes after the proposal. */
  readonly limitTokens: number;
  readonly afterTokens: number;
  /** Tokens by which a prompt grew from one request to the next, on average. 0 where it is not known. */
  readonly meanGrowthTokens: number;
  /** Since the last request; undefined when nothing was ever sent, and then nothing is cached. */
  readonly idleMs: number | undefined;
  readonly prices?: CachePrices | undefined;
}

export interface GateTerms
  extends Pick<GateInput, "removedTokens" | "addedTokens" | "keptTokens" | "summarizerCost">,
    CachePrices {
  /** h: further requests that share what is saved. */
  readonly expectedRequests: number;
  readonly idleMs: number | undefined;
  /** Only where thinking is lost. */
  readonly lostThinking?: number | undefined;
  /** What is not sent again; `gain` is this − `rewritten` − `summarizerCost` − `lostThinking`. */
  readonly saved: number;
  /** What moves to a new prefix and must be written where it could have been read. 0 when cold. */
  readonly rewritten: number;
}

export interface GateVerdict {
  readonly gain: number;
  readonly isCold: boolean;
  readonly terms: GateTerms;
  /** Only a gain above zero is worth a change of the past. */
  readonly acts: boolean;
  /** What was taken for granted, in sentences; empty when everything was known. */
  readonly assumed: readonly string[];
}

export function weighCompaction(input: GateInput): GateVerdict {
  const { removedTokens, addedTokens, keptTokens, summarizerCost, lostThinking = 0, idleMs } = input;
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
  `No price card is known: reading a cached token is taken to cost ${ASSUMED_PRICES.readRatio} of an input token, ` +
  `writing one ${ASSUMED_PRICES.writeRatio}, and a prefix to be kept for ${ASSUMED_PRICES.ttlMs / 60_000} minutes.`;

/** As many as there were, but no more than there is room for before something must be done anyway. */
function expectRequests({ requestsSoFar, limitTokens, afterTokens, meanGrowthTokens }: GateInput): number {
  const room = meanGrowthTokens > 0 ? (limitTokens - afterTokens) / meanGrowthTokens : Number.POSITIVE_INFINITY;
  return Math.min(MOST_REQUESTS, Math.max(1, Math.min(requestsSoFar, room)));
}

/** Returns the cost of repeating thinking as output, in input tokens. Without prices, at the usual ratio. */
export function costOfThinking(tokens: number, prices: Pick<PriceCard, "input" | "output"> | undefined): number {
  return tokens * (prices === undefined || prices.input <= 0 ? ASSUMED_OUTPUT_RATIO : prices.output / prices.input);
}

/** Output is five times as dear as input on every Claude model that binds thinking. */
const ASSUMED_OUTPUT_RATIO = 5;

/** A bill in the unit of the gate. `inputPrice` is in US dollars per million tokens, as a price card gives it. */
export function costInInputTokens(costUsd: number, inputPrice: number): number {
  return inputPrice > 0 ? (costUsd * 1_000_000) / inputPrice : 0;
}

// What a change of the view takes out, puts in and moves: the terms of the economic gate. Everything up to the first
// message that is no longer what it was stays where a provider's cache has it; what comes after has to be written
// again.
interface Measured {
  readonly view: View;
  readonly tokens: number;
}

export function weighChange(before: Measured, after: Measured): ChangeWeight {
  const [old, next] = [itemsOf(before.view), itemsOf(after.view)];
  const isSameCover =
    before.view.head.summary === after.view.head.summary && before.view.head.truncation === after.view.head.truncation;
  const places = isSameCover ? next.findIndex((item, index) => item.shown !== old[index]?.shown) : 0;
  const first = places < 0 ? next.length : places;
  const moved = next.slice(first);
  const known = new Set(old.map(({ shown }) => shown));
  const placeholders = sum(moved.filter(({ shown }) => !known.has(shown)));
  const fixedTokens = Math.max(0, before.tokens - sum(old));
  const cover = isSameCover ? 0 : Math.max(0, after.tokens - sum(next) - fixedTokens) + coverOf(before);
  const addedTokens = placeholders + cover;
  // Repair leaves out parts of what a broken history shows, so no more is kept than there is.
  const shown = sum(moved.filter((item) => known.has(item.shown)));
  const keptTokens = Math.max(0, Math.min(shown, after.tokens - addedTokens));
  return { removedTokens: before.tokens - after.tokens + addedTokens, addedTokens, keptTokens };
}

/** What the old summary took is part of what is not a message; it goes when another one takes its place. */
function coverOf({ view }: Measured): number {
  return view.head.summary?.tokensAfter ?? 0;
}

function itemsOf({ kept, messages }: View): readonly ViewMessage[] {
  return [...kept, ...messages];
}

function sum(items: readonly ViewMessage[]): number {
  return items.reduce((total, { tokens }) => total + tokens, 0);
}
