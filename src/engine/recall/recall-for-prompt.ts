/**
 * Recalls passages for a prompt: hidden messages about the newest request, within the tokens that the prompt has left.
 * Runs at the start of a turn and after a compaction, and only if a summary or a truncation hides something, or if the
 * policy also searches other sessions.
 */
import type { RecalledMessage, SessionId } from "../../core/log/entry.ts";
import { findClearedSeq, findViewFloorSeq, isOneTimeClearActive } from "../../core/log/head.ts";
import { countRecalled, createNoteMessage, listShownRecalls, type View } from "../../core/log/view.ts";
import type { Message } from "../../core/message/message.ts";
import type { PlanSettings, RecallSettings } from "../../core/plan/plan-settings.ts";
import { judgeQuery } from "../../core/recall/judge-query.ts";
import { writePassage, writeRecallBlock } from "../../core/recall/recall-block.ts";
import { MIN_SHARE_OF_BEST, type RecallQuery } from "../../core/recall/recall-passages.ts";
import { readRecallRequest } from "../../core/recall/recall-request.ts";
import type { Calibration } from "../../core/tokens/calibration.ts";
import { applyCalibration } from "../../core/tokens/calibration.ts";
import type { MessageCounts } from "../context/message-counts.ts";
import type { SessionState } from "../state/session-state.ts";
import { findPassages } from "./find-passages.ts";
import { measureRecall } from "./measure-recall.ts";
import { type PlacedPassage, recallOthers } from "./recall-others.ts";

/** A block for one prompt, as its entry will store it. */
export interface RecalledBlock {
  readonly message: Message;
  readonly text: string;
  readonly passages: readonly RecalledMessage[];
  /** By the counter, without the learned factor. */
  readonly countedTokens: number;
}

export interface RecallFacts {
  readonly view: View;
  readonly settings: PlanSettings;
  readonly counts: MessageCounts;
  readonly calibration: Calibration;
  readonly limitTokens: number;
  /** Tokens of the prompt without recalled passages, after the learned factor. */
  readonly tokens: number;
  /** Whether tool calls wait for results. The block would have to move after the results. */
  readonly hasOpenCalls: boolean;
  readonly isCompacted: boolean;
  /** Previews emit no event. */
  readonly isPreview?: boolean | undefined;
}

/** If the store fails, warns and returns undefined, so that the prompt is still created. */
export async function recallForPrompt(state: SessionState, facts: RecallFacts): Promise<RecalledBlock | undefined> {
  try {
    return await recall(state, facts);
  } catch (error) {
    state.warn(`Earlier passages could not be searched: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
}

async function recall(state: SessionState, facts: RecallFacts): Promise<RecalledBlock | undefined> {
  const planned = planRecall(facts);
  if (planned === undefined) return undefined;
  const query = { ...planned, now: facts.view.messages.at(-1)?.message.saidAt ?? state.context.clock.now() };
  const search = () => searchView(state, facts, query);
  if (facts.isPreview === true) return search();
  const observer = { sessionId: state.id, source: "prompt", context: state.context } as const;
  return measureRecall(observer, search, (found) => ({
    passages: found?.passages ?? [],
    tokens: found?.countedTokens ?? 0,
  }));
}

async function searchView(
  state: SessionState,
  { view, counts, settings }: RecallFacts,
  query: RecallQuery,
): Promise<RecalledBlock | undefined> {
  const range = { afterSeq: findClearedSeq(view.head), throughSeq: findViewFloorSeq(view.head) };
  const { store, compareMeaning } = state.context;
  const place = { store, compareMeaning, sessionId: state.id };
  const found = await findPassages(place, query, range);
  const own = found.passages.map((passage) => ({ ...passage, seq: found.seqs.get(passage.messageId) ?? 0 }));
  const most = settings.recall?.otherSessions ?? 0;
  const others = await recallOthers(place, { ...query, most, quotedOf: (id) => findQuoted(view, id) });
  const { passages, text, tokens } = others.length === 0 ? { ...found, passages: own } : chooseBest(own, others, query);
  if (passages.length === 0) return undefined;
  const recalled = passages.map((passage) => {
    const { messageId, words, seq, otherSessionId } = passage;
    const from = otherSessionId === undefined ? {} : { sessionId: otherSessionId };
    return { ...from, seq, messageId, words, tokens: counts.countText(writePassage(passage)) };
  });
  return { message: createNoteMessage("recall", text), text, passages: recalled, countedTokens: tokens };
}

/** Returns the best passages whose block fits: those of the session itself, then others by session. */
function chooseBest(
  own: readonly PlacedPassage[],
  others: readonly PlacedPassage[],
  { budgetTokens, count }: RecallQuery,
): { readonly passages: readonly PlacedPassage[]; readonly text: string; readonly tokens: number } {
  const best = [...own, ...others].toSorted((left, right) => right.score - left.score);
  const least = MIN_SHARE_OF_BEST * (best[0]?.score ?? 0);
  const good = best.filter(({ score }) => score >= least);
  for (let kept = good.length; kept > 0; kept -= 1) {
    const chosen = new Set(good.slice(0, kept));
    const passages = [...own, ...others].filter((passage) => chosen.has(passage));
    const text = writeRecallBlock(passages);
    const tokens = count(text);
    if (tokens <= budgetTokens) return { passages, text, tokens };
  }
  return { passages: [], text: "", tokens: 0 };
}

/** Returns the messages of another session that a shown block quotes. */
function findQuoted(view: View, sessionId: SessionId): ReadonlySet<string> {
  const quoted = listShownRecalls(view).flatMap(({ recalled }) => recalled.passages);
  return new Set(quoted.flatMap((passage) => (passage.sessionId === sessionId ? passage.messageId : [])));
}

/** Returns the query and its limits; undefined if nothing should be recalled. */
export function planRecall(facts: RecallFacts): RecallQuery | undefined {
  const text = findRequest(facts);
  const budgetTokens = findBudget(facts);
  if (text === undefined || budgetTokens <= 0) return undefined;
  const count = (block: string): number => facts.counts.count(createNoteMessage("recall", block));
  return { text, budgetTokens, without: findShown(facts.view), count };
}

/** Returns the text to look for. Undefined if nothing is hidden or asked, or if the request already has a block. */
function findRequest({ view, settings, hasOpenCalls, isCompacted }: RecallFacts): string | undefined {
  const { head, messages, notes, kept } = view;
  const isOff = settings.recall?.enabled !== true || settings.retention !== "keep" || isOneTimeClearActive(head);
  if (isOff || hasOpenCalls) return undefined;
  const hidesNothing = findViewFloorSeq(head) <= findClearedSeq(head);
  if (hidesNothing && (settings.recall?.otherSessions ?? 0) === 0) return undefined;
  const last = messages.at(-1);
  if (last === undefined || notes.some(({ recalled, afterSeq }) => recalled !== undefined && afterSeq >= last.seq))
    return undefined;
  const shown = [...kept, ...messages];
  // A compaction inside a turn can hide everything between two messages of the user.
  const follows = (place: number): boolean =>
    place > kept.length || shown[place]?.seq === (shown[place - 1]?.seq ?? 0) + 1;
  const request = readRecallRequest(
    shown.map(({ message }) => message),
    follows,
  );
  if (request === undefined || !(request.startsTurn || isCompacted)) return undefined;
  return judgeQuery(request.text).type === "nothing" ? undefined : request.text;
}

/** Returns the ids of messages in the view, of those that a shown block quotes, and of dismissed ones. */
function findShown(view: View): ReadonlySet<string> {
  const { head, kept, messages } = view;
  const quoted = listShownRecalls(view).flatMap(({ recalled }) =>
    recalled.passages.flatMap(({ messageId, sessionId }) => (sessionId === undefined ? messageId : [])),
  );
  const dismissed = head.dismissed?.map(({ messageId }) => messageId) ?? [];
  return new Set([...[...kept, ...messages].map(({ message }) => message.id), ...quoted, ...dismissed]);
}

/** Maximum share of the limit for all recalled passages until the next compaction. */
const MAX_SHARE_IN_VIEW = 0.25;
/** Leaves room for the growth by this many average requests, so that the passages are not removed again at once. */
const TURNS_AHEAD = 2;

/** Returns the budget of the passages in counted tokens. A prompt that is nearly full leaves less for them. */
function findBudget({ settings, view, counts, limitTokens, tokens, calibration }: RecallFacts): number {
  if (settings.recall === undefined) return 0;
  const { grownTokens, requestCount } = view.head;
  const aheadTokens = requestCount > 1 ? (TURNS_AHEAD * grownTokens) / (requestCount - 1) : 0;
  const most = Math.min(
    computeRecallTokens(settings.recall, limitTokens),
    MAX_SHARE_IN_VIEW * limitTokens - applyCalibration(calibration, countRecalled(view, counts)),
    limitTokens - tokens - aheadTokens,
  );
  // Sums are rounded after the factor is applied, so the last token is left free.
  const counted = Math.floor(most / Math.max(calibration.factor, Number.MIN_VALUE)) - 1;
  return applyCalibration(calibration, counted) <= most ? counted : 0;
}

export function computeRecallTokens(settings: RecallSettings, limitTokens: number): number {
  const { ratio, smallTokens, largeRatio, maxTokens } = settings;
  const small = Math.min(ratio * limitTokens, smallTokens);
  return Math.floor(Math.min(maxTokens, Math.max(small, largeRatio * limitTokens)));
}
