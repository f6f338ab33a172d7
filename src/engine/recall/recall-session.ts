/**
 * Recalls messages of one session for a caller: those that match a query, one by its id, or a range. Unlike a prompt,
 * it searches every message unless the caller wants hidden ones only.
 */
import { COUNT, checkOptions, FLAG, ID, invalidOption, type OptionRule, TEXT } from "../../core/check-options.ts";
import type { MessageEntry, SessionId } from "../../core/log/entry.ts";
import { findClearedSeq } from "../../core/log/head.ts";
import type { View } from "../../core/log/view.ts";
import type { Message, MessageId } from "../../core/message/message.ts";
import { quoteOriginals } from "../../core/recall/quote-originals.ts";
import type { RecalledPassage } from "../../core/recall/recall-block.ts";
import type { Recollection } from "../../core/recall/recall-passages.ts";
import { countTokens } from "../../core/tokens/count-tokens.ts";
import type { SessionState } from "../state/session-state.ts";
import { findPassages, type PassageRange, type RecallPlace } from "./find-passages.ts";

/** How many passages are quoted, and how many tokens they may take. */
export interface RecallOptions {
  /** Maximum number of tokens of the text, estimated. Default 1,000. */
  readonly budgetTokens?: number | undefined;
  /** Maximum number of passages. */
  readonly limit?: number | undefined;
}

/** Limits a search for earlier messages in one session. */
export interface RecallSessionOptions extends RecallOptions {
  /** Leaves out cleared messages and those that the prompt shows unchanged. */
  readonly onlyHidden?: boolean | undefined;
}

/** Without a query, quotes the messages in order, with their line breaks. With one, searches the range for it. */
export interface RecallTarget {
  readonly query?: string | undefined;
  /** One message. */
  readonly id?: MessageId | undefined;
  /** The first and the last message of a range. */
  readonly from?: MessageId | undefined;
  readonly to?: MessageId | undefined;
}

export const RECALL_RULES = { budgetTokens: COUNT, limit: COUNT } satisfies Record<keyof RecallOptions, OptionRule>;

const RECALL_SESSION_RULES = { ...RECALL_RULES, onlyHidden: FLAG } satisfies Record<
  keyof RecallSessionOptions,
  OptionRule
>;
const TARGET_RULES = { query: TEXT, id: ID, from: ID, to: ID } satisfies Record<keyof RecallTarget, OptionRule>;

/** A quoted message, or part of it, with its place in the log. */
export interface SessionPassage extends RecalledPassage {
  readonly sessionId: SessionId;
  readonly seq: number;
}

/** Quoted messages that answer a query, with their places in the log. */
export interface RecallResult {
  /** In the order of the conversation. */
  readonly passages: readonly SessionPassage[];
  /** The passages as a block of quotations for a model; empty without passages. */
  readonly text: string;
  readonly tokens: number;
}

const BUDGET_TOKENS = 1_000;
/** Maximum number of messages of a range that are read. */
const MAX_ORIGINALS = 200;

export interface RecallLimits {
  readonly budgetTokens: number;
  readonly limit: number | undefined;
}

export function readRecallLimits(options: RecallOptions): RecallLimits {
  return { budgetTokens: options.budgetTokens ?? BUDGET_TOKENS, limit: options.limit };
}

export interface SessionRecall extends RecallLimits {
  readonly target: RecallTarget;
  readonly onlyHidden: boolean;
}

export function readSessionRecall(target: unknown, options: RecallSessionOptions): SessionRecall {
  if (typeof target !== "string" && (typeof target !== "object" || target === null)) {
    throw invalidOption("query", target, "a string or { query, id, from, to }");
  }
  const read: RecallTarget = typeof target === "string" ? { query: target } : target;
  checkOptions(read, TARGET_RULES, "recall");
  if (Object.values(read).every((value) => value === undefined)) {
    throw invalidOption("recall", target, "one of query, id, from, to");
  }
  checkOptions(options, RECALL_SESSION_RULES, "recall");
  return { ...readRecallLimits(options), target: read, onlyHidden: options.onlyHidden === true };
}

export async function recallSession(
  state: SessionState,
  { target, onlyHidden, ...limits }: SessionRecall,
): Promise<RecallResult> {
  const { store, compareMeaning } = state.context;
  const place = { store, compareMeaning, sessionId: state.id };
  const view = onlyHidden ? (await state.current()).view : undefined;
  const range = await findRange(state, target, view === undefined ? 0 : findClearedSeq(view.head));
  if (target.query === undefined) return recallOriginals(place, range, limits);
  const query = { ...limits, text: target.query, without: view && listUnchanged(view), now: state.context.clock.now() };
  return recallQuery(place, query, range);
}

export interface SearchedQuery extends RecallLimits {
  readonly text: string;
  readonly without?: ReadonlySet<MessageId> | undefined;
  /** Time of the request. */
  readonly now: number;
}

/** Searches a range of a session, by default all of it. */
export async function recallQuery(
  place: RecallPlace,
  { text, without = new Set(), budgetTokens, limit, now }: SearchedQuery,
  range?: PassageRange,
): Promise<RecallResult> {
  const query = { text, budgetTokens, limit, without, count: countTokens, isExplicit: true, now };
  const throughSeq = range?.throughSeq ?? (await place.store.findSession(place.sessionId))?.lastSeq ?? 0;
  const { seqs, ...found } = await findPassages(place, query, { afterSeq: 0, ...range, throughSeq });
  return placePassages(place, found, seqs);
}

async function recallOriginals(place: RecallPlace, range: PassageRange, limits: RecallLimits): Promise<RecallResult> {
  const { store, sessionId } = place;
  // One more, so that the block names the message to continue with.
  const entries = await store.readEntries(sessionId, { ...range, types: ["message"], limit: MAX_ORIGINALS + 1 });
  const messages = entries.flatMap((entry): readonly MessageEntry[] =>
    entry.type === "message" && entry.erased !== true ? [entry] : [],
  );
  const found = quoteOriginals(
    messages.map(({ message }): Message => message),
    { ...limits, limit: Math.min(limits.limit ?? MAX_ORIGINALS, MAX_ORIGINALS), count: countTokens },
  );
  return placePassages(place, found, new Map(messages.map(({ id, seq }) => [id, seq])));
}

function placePassages(
  { sessionId }: RecallPlace,
  { passages, text, tokens }: Recollection,
  seqs: ReadonlyMap<MessageId, number>,
): RecallResult {
  const placed = passages.map((passage) => ({ ...passage, sessionId, seq: seqs.get(passage.messageId) ?? 0 }));
  return { passages: placed, text, tokens };
}

async function findRange(
  state: SessionState,
  { id, from = id, to = id }: RecallTarget,
  clearedSeq: number,
): Promise<PassageRange> {
  const first = from === undefined ? 1 : (await state.requireMessage(from)).seq;
  const { lastSeq } = to === undefined ? await state.current() : { lastSeq: (await state.requireMessage(to)).seq };
  return { afterSeq: Math.max(clearedSeq, first - 1), throughSeq: lastSeq };
}

function listUnchanged({ kept, messages }: View): ReadonlySet<MessageId> {
  const unchanged = [...kept, ...messages].filter(({ fate }) => fate === "verbatim" || fate === "pinned");
  return new Set(unchanged.map(({ message }) => message.id));
}
