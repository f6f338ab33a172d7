/**
 * What a question is about: its telling words, each with what else may stand for it in an answer: related words, other
 * forms, parts of compounds. Names and numbers weigh more, because they are seldom put in other words.
 */

import { ASKING_RUNS } from "./function-words.ts";
import { findLanguage } from "./phrases.ts";
import { type RecallIndex, speakerTerm } from "./recall-index.ts";
import { relatedTerms } from "./related-words.ts";
import { isUnspaced, piecesOf, termsOfPiece } from "./word-terms.ts";

export interface Concept {
  /** As the question spells it. */
  readonly word: string;
  readonly term: string;
  readonly weight: number;
  /** Written as a name is, in the middle of the question. */
  readonly isName: boolean;
  /** Terms that stand for it, with what each counts; the term itself counts 1. */
  readonly terms: ReadonlyMap<string, number>;
}

/** Each is looked for among all words that were ever said. */
const MOST_CONCEPTS = 40;
const NAME_WEIGHT = 1.4;
const MENTION_WEIGHT = 0.35;
const SINGLE_HAN_WEIGHT = 0.6;

export function readQuestion(question: string, index: RecallIndex): readonly Concept[] {
  const concepts = new Map<string, Concept>();
  const writesNounsLarge = findLanguage(question) === "de";
  let isFirst = true;
  for (const piece of piecesOf(question.replace(ASKING_RUNS, " "))) {
    for (const term of termsOfPiece(piece)) {
      if (!concepts.has(term) && concepts.size < MOST_CONCEPTS)
        concepts.set(term, readConcept(piece, { term, isFirst, writesNounsLarge, index }));
    }
    isFirst = false;
  }
  return [...concepts.values()];
}

interface Reading {
  readonly term: string;
  /** The first word is written large whatever it is. */
  readonly isFirst: boolean;
  /** In German a large letter makes no name. */
  readonly writesNounsLarge: boolean;
  readonly index: RecallIndex;
}

function readConcept(piece: string, { term, isFirst, writesNounsLarge, index }: Reading): Concept {
  if (isUnspaced(piece)) {
    const weight = [...term].length === 1 ? SINGLE_HAN_WEIGHT : 1;
    return { word: piece, term, weight, isName: false, terms: new Map([...relatedTerms(term), [term, 1]]) };
  }
  const isLarge = !isFirst && /^\p{Lu}/u.test(piece);
  const terms = new Map<string, number>();
  const put = (each: string, weight: number): void => {
    terms.set(each, Math.max(weight, terms.get(each) ?? 0));
  };
  for (const [other, weight] of relatedTerms(term)) put(other, weight);
  if (!/\d/.test(term)) for (const [other, weight] of similarTerms(term, index.terms)) put(other, weight);
  const speaker = speakerTerm(piece.replace(/['’]s$/i, ""));
  const isSpeaker = index.postingsOf(speaker).length > 0;
  if (isSpeaker) terms.clear();
  // What somebody says is more often about them than what is said to them.
  put(term, isSpeaker ? MENTION_WEIGHT : 1);
  put(speaker, 1);
  const weight = isLarge || /\d/.test(piece) ? NAME_WEIGHT : 1;
  return { word: piece, term, weight, isName: isLarge && !writesNounsLarge, terms };
}

const SHORTEST_SIMILAR = 4;
const SHORTEST_INSIDE = 5;

/** Other forms of a word and compounds with it, told by their letters. */
function* similarTerms(term: string, terms: readonly string[]): Generator<[string, number], void> {
  if (term.length < SHORTEST_SIMILAR) return;
  for (const other of terms) {
    if (other.length < SHORTEST_SIMILAR || other === term) continue;
    const weight = similarity(term, other);
    if (weight > 0) yield [other, weight];
  }
}

function similarity(term: string, other: string): number {
  const [shorter, longer] = term.length < other.length ? [term, other] : [other, term];
  const shared = sharedStart(shorter, longer);
  if (shared === shorter.length) {
    const rest = longer.length - shorter.length;
    if (rest <= 3) return 0.8;
    return shorter.length >= SHORTEST_INSIDE ? 0.6 : 0;
  }
  if (shared >= 5 && shared >= 0.7 * longer.length) return 0.6;
  return shorter.length >= SHORTEST_INSIDE && longer.includes(shorter) ? 0.5 : 0;
}

function sharedStart(left: string, right: string): number {
  let length = 0;
  while (length < left.length && left.charCodeAt(length) === right.charCodeAt(length)) length += 1;
  return length;
}
