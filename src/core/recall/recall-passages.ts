/**
 * Chooses what to recall for a message: passages of earlier messages that match it, above one relevance floor and
 * within a budget. Quotes short messages whole, and the best sentence of long ones with those around it.
 */
import { termsOf } from "../language/words.ts";
import type { MessageId } from "../message/message.ts";
import { redactSecrets } from "../summary/secrets/redact-secrets.ts";
import { runSteps } from "../tokens/count-text.ts";
import { type AskedPeriod, asksOnlyForPeriod, findAskedPeriods } from "./asked-period.ts";
import { isNearlySame } from "./choose-quotes.ts";
import { judgeQuery, type QueryNeed } from "./judge-query.ts";
import type { TermStatistics } from "./rank-passages.ts";
import { rankPeriod } from "./rank-period.ts";
import { type RankedTurn, rankTurnsInSteps, type TurnRanking } from "./rank-turns.ts";
import type { Passage } from "./read-passages.ts";
import { dayOf, type RecalledPassage, writePassage, writeRecallBlock } from "./recall-block.ts";
import type { RecallIndex } from "./recall-index.ts";
import { isAboveFloor } from "./relevance-floor.ts";

export interface RecallQuery {
  /** The new message, or an open request with what the last round touched. */
  readonly text: string;
  /** Messages that the prompt already shows, and the query itself. */
  readonly without: ReadonlySet<MessageId>;
  /** Limit of the whole block by `count`. */
  readonly budgetTokens: number;
  readonly count: (text: string) => number;
  readonly corpus?: TermStatistics | undefined;
  /** True if the caller asked for passages, so that any text is searched for, even small talk. */
  readonly isExplicit?: boolean | undefined;
  readonly limit?: number | undefined;
  /** Time of the request, for dates such as "yesterday". Without it, no period is searched. */
  readonly now?: number | undefined;
}

/** Quoted passages about a request: the text for the prompt, and the passages one by one. */
export interface Recollection {
  /** In the order of the conversation. */
  readonly passages: readonly RecalledPassage[];
  /** The block as the model reads it; empty without passages. */
  readonly text: string;
  readonly tokens: number;
}

export const NOTHING_RECALLED: Recollection = { passages: [], text: "", tokens: 0 };

export function recallPassages(index: RecallIndex, query: RecallQuery): Recollection {
  return runSteps(recallInSteps(index, query));
}

export function* recallInSteps(index: RecallIndex, query: RecallQuery): Generator<undefined, Recollection> {
  const ranking = yield* rankForRecall(index, query);
  return ranking === undefined ? NOTHING_RECALLED : yield* quoteRanking(index, ranking, query);
}

/** Returns undefined if the query needs nothing, or if no message is above the floor. */
export function* rankForRecall(index: RecallIndex, query: RecallQuery): Generator<undefined, TurnRanking | undefined> {
  const need = judgeNeed(query);
  if (need.type === "nothing") return undefined;
  for (const period of listSearchedPeriods(query)) {
    const ranking = rankPeriod(index, period, query.without);
    if (ranking !== undefined) return ranking;
  }
  const ranking = yield* rankTurnsInSteps(index, need.text, query);
  const [best] = ranking.turns;
  return best === undefined || !isAboveFloor(best, ranking, need.type) ? undefined : ranking;
}

/** Returns the periods of a question that names nothing else. */
export function listSearchedPeriods(query: RecallQuery): readonly AskedPeriod[] {
  const { type, text } = judgeNeed(query);
  if (query.now === undefined || !ABOUT_PERIODS.has(type)) return [];
  return findAskedPeriods(text, query.now).filter((period) => asksOnlyForPeriod(text, period));
}

const ABOUT_PERIODS: ReadonlySet<QueryNeed["type"]> = new Set(["question", "subject", "reference", "search"]);

/** Quotes the best messages that fit. */
export function* quoteRanking(
  index: RecallIndex,
  ranking: TurnRanking,
  query: RecallQuery,
): Generator<undefined, Recollection> {
  const chosen = yield* choosePassages(index, ranking, query);
  return writeFittingBlock(chosen, query);
}

/** Returns the text that would be quoted of each message that is considered, without secrets. */
export function readConsidered(index: RecallIndex, ranking: TurnRanking): ReadonlyMap<MessageId, string> {
  const quoted = ranking.turns.slice(0, MAX_CONSIDERED).flatMap((turn) => quoteTurn(index, turn, ranking) ?? []);
  return new Map(quoted.map(({ messageId, text }) => [messageId, text]));
}

function judgeNeed({ text, isExplicit }: RecallQuery): QueryNeed {
  return isExplicit === true ? { type: "search", text } : judgeQuery(text);
}

/** Passages below this share of the best score are left out, even if there is room. */
export const MIN_SHARE_OF_BEST = 0.35;
const MAX_PASSAGES = 40;
/** Number of messages to look at; the rest have low scores. */
const MAX_CONSIDERED = 60;

interface ChosenPassage {
  readonly place: number;
  readonly passage: RecalledPassage;
}

/** Chooses the best messages that fit, best first. */
function* choosePassages(
  index: RecallIndex,
  ranking: TurnRanking,
  query: RecallQuery,
): Generator<undefined, readonly ChosenPassage[]> {
  const { budgetTokens, count, limit = MAX_PASSAGES } = query;
  const least = MIN_SHARE_OF_BEST * (ranking.turns[0]?.score ?? 0);
  const chosen: ChosenPassage[] = [];
  const seen: ReadonlySet<string>[] = [];
  let room = budgetTokens - count(writeRecallBlock([]));
  const days = new Set<string>();
  for (const turn of ranking.turns.slice(0, MAX_CONSIDERED)) {
    if (chosen.length >= limit || turn.score < least || room <= 0) break;
    const passage = quoteTurn(index, turn, ranking);
    if (passage === undefined) continue;
    const day = dayOf(passage) ?? "";
    const cost = count(`${days.has(day) ? "" : `${day}:\n`}${writePassage(passage)}\n`);
    if (cost > room) continue;
    const terms = new Set(termsOf(passage.text));
    if (terms.size === 0 || seen.some((each) => isNearlySame(each, terms))) continue;
    seen.push(terms);
    days.add(day);
    chosen.push({ place: turn.place, passage });
    room -= cost;
    yield undefined;
  }
  return chosen;
}

/** A day may need two lines, and counts are not exactly additive: drops the last choices until the block fits. */
function writeFittingBlock(chosen: readonly ChosenPassage[], { budgetTokens, count }: RecallQuery): Recollection {
  for (let kept = chosen.length; kept > 0; kept -= 1) {
    const inOrder = chosen.slice(0, kept).toSorted((left, right) => left.place - right.place);
    const passages = inOrder.map(({ passage }) => passage);
    const text = writeRecallBlock(passages);
    const tokens = count(text);
    if (tokens <= budgetTokens) return { passages, text, tokens };
  }
  return NOTHING_RECALLED;
}

function quoteTurn(index: RecallIndex, turn: RankedTurn, { concepts }: TurnRanking): RecalledPassage | undefined {
  const passage = index.passageAt(turn.place);
  const span = index.spanOf(turn.source);
  if (passage === undefined || span === undefined || passage.saidBy === "file") return undefined;
  const { first, end } = findWindow(index, turn.place, span);
  const { text } = redactSecrets(textBetween(index, first, end));
  const words = concepts.flatMap(({ word }, at) => ((turn.matches[at] ?? 0) > 0 ? [word] : []));
  const { saidBy: role, name, saidAt } = passage;
  const isWhole = first === span.first && end === span.end;
  return { messageId: turn.source, role, name, saidAt, text, isWhole, words: [...new Set(words)], score: turn.score };
}

interface Places {
  readonly first: number;
  /** Exclusive. */
  readonly end: number;
}

const MAX_WHOLE_CHARACTERS = 500;
const MAX_WINDOW_CHARACTERS = 400;

/** Returns the whole message if it is short, else the best sentence with those around it, later ones first. */
function findWindow(index: RecallIndex, best: number, span: Places): Places {
  const lengthOf = (place: number): number => index.passageAt(place)?.text.length ?? 0;
  let whole = 0;
  for (let place = span.first; place < span.end && whole <= MAX_WHOLE_CHARACTERS; place += 1)
    whole += lengthOf(place) + 1;
  if (whole <= MAX_WHOLE_CHARACTERS) return span;
  let [first, end] = [best, best + 1];
  let room = MAX_WINDOW_CHARACTERS - lengthOf(best);
  for (let isGrowing = true; isGrowing; ) {
    isGrowing = false;
    if (end < span.end && lengthOf(end) < room) {
      room -= lengthOf(end) + 1;
      end += 1;
      isGrowing = true;
    }
    if (first > span.first && lengthOf(first - 1) < room) {
      first -= 1;
      room -= lengthOf(first) + 1;
      isGrowing = true;
    }
  }
  return { first, end };
}

function textBetween(index: RecallIndex, first: number, end: number): string {
  const texts: Passage["text"][] = [];
  for (let place = first; place < end; place += 1) texts.push(index.passageAt(place)?.text ?? "");
  return texts.join(" ").replaceAll(/\s+/gu, " ").trim();
}
