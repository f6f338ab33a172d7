/** Finds the words by which a store looks for candidates: the beginnings of content words, and related words. */
import { isCommonTerm } from "../language/common-words.ts";
import { isQuestionWord, UNSPACED_QUESTION_WORDS } from "../language/stop-words.ts";
import { relatedTerms } from "../language/thesaurus.ts";
import { isUnspaced, splitWords, termsOfPiece } from "../language/words.ts";
import { findWordKey } from "./word-keys.ts";

/** Maximum number of words, because each costs an index lookup. */
const MAX_WORDS = 12;
const MIN_WORD_CHARACTERS = 3;
const MIN_RELATED_WEIGHT = 0.4;

/** Maps each word to the term that it stands for, the most useful ones first. */
export function listQueryWords(text: string): ReadonlyMap<string, string> {
  const plain = new Map<string, string>();
  const common = new Map<string, string>();
  const related = new Map<string, string>();
  for (const piece of splitWords(text.replace(UNSPACED_QUESTION_WORDS, " "))) {
    for (const term of isQuestionWord(piece) ? [] : termsOfPiece(piece)) {
      const word = isUnspaced(piece) ? term : sharedStart(piece.toLowerCase(), term);
      if (word.length < MIN_WORD_CHARACTERS && !isUnspaced(piece) && !/^\d+$/.test(word)) continue;
      (isCommonTerm(term) ? common : plain).set(word, term);
      for (const [other, weight] of relatedTerms(term)) {
        if (weight >= MIN_RELATED_WEIGHT && !isCommonTerm(other)) related.set(other, other);
      }
    }
  }
  return new Map([...plain, ...common, ...related].slice(0, MAX_WORDS));
}

/**
 * Returns the beginning that a word shares with its term, so that a search for text finds other forms. Returns the word
 * if the beginning is too short to have the same key in the index of words: "schl" for "Schlüssel".
 */
function sharedStart(word: string, term: string): string {
  let length = 0;
  while (length < word.length && word.charCodeAt(length) === term.charCodeAt(length)) length += 1;
  const start = word.slice(0, length);
  return length < MIN_WORD_CHARACTERS || findWordKey(start) !== findWordKey(word) ? word : start;
}
