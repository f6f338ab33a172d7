/**
 * Ranks whole messages by how well they answer a question: their best sentence, the concepts anywhere in the message,
 * and the concepts in the messages around it, because an answer often leaves out what the question already said.
 */
import type { MessageId } from "../message/message.ts";
import { type ConceptHits, type RankOptions, scorePassagesInSteps } from "./rank-passages.ts";
import type { Concept } from "./read-question.ts";
import type { RecallIndex } from "./recall-index.ts";

export interface RankedTurn {
  readonly source: MessageId;
  /** Place of its best sentence in the index. */
  readonly place: number;
  readonly score: number;
  /** For each concept, how well the message or those around it match. */
  readonly matches: readonly number[];
}

export interface TurnRanking {
  readonly concepts: readonly Concept[];
  /** For each concept, the score of a sentence with the word itself. */
  readonly fullScores: readonly number[];
  /** Score of a word that occurs once. */
  readonly rarest: number;
  /** Best first. */
  readonly turns: readonly RankedTurn[];
}

const MESSAGE_SHARE = 0.2;
const AROUND_SHARE = 0.35;
/** Number of neighboring messages on each side that count. */
const AROUND = 2;
/** Further sentences of a message add a little, so that of two messages the one with more to say comes first. */
const OTHER_SENTENCES = 0.1;
/** Factor of a concept that only a neighboring message has. */
const AROUND_MATCH = 0.4;

export function* rankTurnsInSteps(
  index: RecallIndex,
  question: string,
  options: Omit<RankOptions, "most">,
): Generator<undefined, TurnRanking> {
  const scored = yield* scorePassagesInSteps(index, question, options);
  const { concepts, hits, gainOf } = scored;
  const best = new Map<MessageId, { place: number; score: number; sum: number }>();
  for (const { passage, place, score } of scored.ranked) {
    const known = best.get(passage.source);
    if (known === undefined) best.set(passage.source, { place, score, sum: score });
    else known.sum += score;
  }
  yield undefined;
  const reader = createMessageReader(index, hits, options.without);
  const turns = [...best].flatMap(([source, { place, score, sum }]): readonly RankedTurn[] => {
    const own = reader.read(source);
    if (total(own) === 0 && !reader.answersMatch(source)) return [];
    const around = reader.readAround(source);
    const context = gainOf(place) * (MESSAGE_SHARE * total(own) + AROUND_SHARE * total(around));
    const matches = own.map((match, at) => Math.max(match, AROUND_MATCH * (around[at] ?? 0)));
    return [{ source, place, score: score + context + OTHER_SENTENCES * (sum - score), matches }];
  });
  return { concepts, fullScores: scored.fullScores, rarest: scored.rarest, turns: liftByDay(index, turns) };
}

function compareTurns(left: RankedTurn, right: RankedTurn): number {
  return right.score - left.score || right.place - left.place;
}

/** Share of the mean score of the two best other messages of a day: several good messages indicate the right day. */
const DAY_SHARE = 0.2;
const DAY_OTHERS = 2;
const DAY_MS = 86_400_000;

/** Returns the messages best first. Keeps the order of messages of one day, and of messages without a time. */
function liftByDay(index: RecallIndex, turns: readonly RankedTurn[]): readonly RankedTurn[] {
  const sorted = turns.toSorted(compareTurns);
  const dayOf = ({ place }: RankedTurn) => Math.floor((index.passageAt(place)?.saidAt ?? Number.NaN) / DAY_MS);
  const byDay = Map.groupBy(sorted, dayOf);
  const lifted = sorted.map((turn) => {
    const day = dayOf(turn);
    if (Number.isNaN(day)) return turn;
    const others = (byDay.get(day) ?? [])
      .slice(0, DAY_OTHERS + 1)
      .filter((other) => other !== turn)
      .slice(0, DAY_OTHERS);
    const sum = others.reduce((total, { score }) => total + score, 0);
    return { ...turn, score: turn.score + (DAY_SHARE * sum) / DAY_OTHERS };
  });
  return lifted.sort(compareTurns);
}

/** For each concept, the best score in a message. */
type ConceptScores = readonly number[];

interface MessageReader {
  read(source: MessageId): ConceptScores;
  readAround(source: MessageId): ConceptScores;
  /** Returns true if the message before it asks about the same. */
  answersMatch(source: MessageId): boolean;
}

/** Messages in `without` do not count for their neighbors, so that a dismissed message brings no other one. */
function createMessageReader(
  index: RecallIndex,
  hits: readonly ConceptHits[],
  without: ReadonlySet<MessageId> | undefined,
): MessageReader {
  const known = new Map<MessageId, ConceptScores>();
  const none: ConceptScores = hits.map(() => 0);
  const read = (source: MessageId): ConceptScores => {
    const found = known.get(source) ?? readSpan(index.spanOf(source), hits);
    known.set(source, found);
    return found;
  };
  return {
    read,
    readAround: (source) =>
      index
        .sourcesAround(source, AROUND)
        .filter((near) => without?.has(near) !== true)
        .map(read)
        .reduce(maxScores, none),
    answersMatch: (source) => {
      const before = index.passageAt((index.spanOf(source)?.first ?? 0) - 1);
      return before?.isQuestion === true && without?.has(before.source) !== true && total(read(before.source)) > 0;
    },
  };
}

function readSpan(
  span: { readonly first: number; readonly end: number } | undefined,
  hits: readonly ConceptHits[],
): ConceptScores {
  return hits.map((each) => {
    let best = 0;
    for (let place = span?.first ?? 0; place < (span?.end ?? 0); place += 1)
      best = Math.max(best, each.get(place) ?? 0);
    return best;
  });
}

function maxScores(left: ConceptScores, right: ConceptScores): ConceptScores {
  return left.map((score, at) => Math.max(score, right[at] ?? 0));
}

function total(concepts: ConceptScores): number {
  return concepts.reduce((sum, score) => sum + score, 0);
}
