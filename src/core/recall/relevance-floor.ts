/**
 * The one relevance floor of recall: whether the best match is good enough for the kind of message. Words that are
 * common in all conversations count little, and names of speakers not at all, because every message has them. In a
 * script without spaces, characters that no message has count little too, because most pairs of them belong to two
 * words.
 */
import { isAskingTerm, isCommonTerm } from "../language/common-words.ts";
import { isUnspaced } from "../language/words.ts";
import type { QueryNeed } from "./judge-query.ts";
import type { RankedTurn, TurnRanking } from "./rank-turns.ts";
import type { Concept } from "./read-question.ts";

interface Floor {
  /** Minimum share of the query's words, by weight. */
  readonly coverage: number;
  /** Minimum score, relative to that of a word that occurs once. */
  readonly weight: number;
  /** Minimum number of words. */
  readonly words: number;
}

const REFERENCE: Floor = { coverage: 0.08, weight: 0.1, words: 1 };
const QUESTION: Floor = { coverage: 0.5, weight: 1.1, words: 2 };

/** The floors of each type. A match above one of them is good enough. */
const FLOORS: Readonly<Record<Exclude<QueryNeed["type"], "nothing">, readonly Floor[]>> = {
  search: [{ coverage: 0.08, weight: 0, words: 1 }],
  reference: [REFERENCE],
  name: [REFERENCE],
  question: [QUESTION],
  subject: [QUESTION, { coverage: 0.45, weight: 0.5, words: 1 }],
  mention: [{ coverage: 0.7, weight: 1.9, words: 3 }],
};

/** Maximum score of a common word, relative to that of a word that occurs once. */
const COMMON_WEIGHT = 0.14;

export function isAboveFloor(
  turn: RankedTurn,
  { concepts, fullScores, rarest }: TurnRanking,
  type: QueryNeed["type"],
): boolean {
  if (type === "nothing") return false;
  const isNamed = type === "reference" || (type === "name" && hasKnownName(turn, concepts));
  let [full, weight, words] = [0, 0, 0];
  for (const [at, { term, speaker, weight: own }] of concepts.entries()) {
    if (speaker !== undefined) continue;
    const isCommon =
      isCommonTerm(term) ||
      (type === "subject" && isAskingTerm(term)) ||
      (isUnspaced(term) && (fullScores[at] ?? 0) > rarest * own);
    const most = isCommon ? COMMON_WEIGHT : Number.POSITIVE_INFINITY;
    const match = (turn.matches[at] ?? 0) / rarest;
    full += Math.min(most, (fullScores[at] ?? 0) / rarest);
    weight += Math.min(most, match);
    if (match > 0 && (type === "search" || isNamed || !isCommon)) words += 1;
  }
  const floors = type === "name" && !isNamed ? FLOORS.question : FLOORS[type];
  return floors.some((floor) => words >= floor.words && weight >= floor.weight && weight >= floor.coverage * full);
}

/** Returns false if none of the names in a question is in the message or around it, as in a question about the world. */
function hasKnownName({ matches }: RankedTurn, concepts: readonly Concept[]): boolean {
  const names = concepts.filter(({ isName }) => isName);
  return (
    names.length === 0 ||
    concepts.some(({ isName, speaker }, at) => isName && (speaker !== undefined || (matches[at] ?? 0) > 0))
  );
}
