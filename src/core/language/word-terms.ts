/**
 * The terms of a text, by which what was said and what is asked meet: stems of words and numbers; of scripts without
 * spaces single Han characters and pairs of characters that are not mere grammar.
 */

import { foldWord, stemWord } from "./stem-word.ts";
import { GRAMMAR_HAN, isFunctionWord } from "./stop-words.ts";

const PIECES =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+|\d+(?:[.,:]\d+)*|[\p{L}\p{M}\p{N}_]+(?:['’][\p{L}]+)?/gu;
const UNSPACED =
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const HAN = /^\p{Script=Han}$/u;
const HIRAGANA = /^\p{Script=Hiragana}$/u;
const LONGEST_WORD = 40;

/** The same for a text of ASCII alone, in a third of the time. */
const ASCII_PIECES = /\d+(?:[.,:]\d+)*|\w+(?:'[A-Za-z]+)?/g;
const BEYOND_ASCII = /[\u0080-\uffff]/;

/** Words and runs as they stand. */
export function piecesOf(text: string): readonly string[] {
  return text.match(BEYOND_ASCII.test(text) ? PIECES : ASCII_PIECES) ?? [];
}

export function isUnspaced(piece: string): boolean {
  // Nearly all words of nearly all logs begin below this.
  return piece.charCodeAt(0) > 0x0dff && UNSPACED.test(piece);
}

/** The terms of one piece; none where it says nothing. */
export function termsOfPiece(piece: string): readonly string[] {
  if (isUnspaced(piece)) return termsOfRun(piece);
  if (piece.length > LONGEST_WORD) return [];
  const folded = foldWord(piece.replace(/['’]s$/i, ""));
  if (folded === "" || isFunctionWord(folded) || /^[a-z]$/.test(folded)) return [];
  return [stemWord(folded)];
}

export function termsOfRun(run: string): readonly string[] {
  const characters = [...run];
  const terms = characters.filter((character) => HAN.test(character) && !GRAMMAR_HAN.has(character));
  for (let place = 1; place < characters.length; place += 1) {
    const [left = "", right = ""] = [characters[place - 1], characters[place]];
    if (!isGrammar(left) && !isGrammar(right)) terms.push(left + right);
  }
  return terms;
}

function isGrammar(character: string): boolean {
  return HIRAGANA.test(character) || GRAMMAR_HAN.has(character);
}
