/**
 * Splits a text into words, numbers and runs of scripts without spaces, and turns them into terms, by which summaries,
 * topics and recall compare texts.
 *
 * Uses pairs of characters instead of a segmenter, because the segmenters of two machines may disagree, and the same
 * conversation must have the same boundaries on both.
 */
import { foldWord, stemForm, stemWord } from "./stem-word.ts";
import { isFunctionCharacter, isStopWord } from "./stop-words.ts";

const SCRIPTS = ["Han", "Hiragana", "Katakana", "Thai", "Lao", "Khmer", "Myanmar", "Hangul"];
const RUN = `[ー${SCRIPTS.map((script) => `\\p{Script=${script}}`).join("")}]`;
/** Ends before a script without spaces: `main` and `ブランチ` in `mainブランチ`. */
const WORD = String.raw`(?:(?!${RUN})[\p{L}\p{M}\p{N}_])+`;
const NUMBER = String.raw`\d+(?:[.,:]\d+)*`;
/** Marks inside a name: `src/a.ts`, `order-12`. */
const MARKS = String.raw`[./\\:-]+`;

const PIECES = new RegExp(`${RUN}+|${NUMBER}|${WORD}`, "gu");
const NAMES = new RegExp(`${RUN}+|${WORD}(?:${MARKS}${WORD})*`, "gu");
/** Equivalent patterns for ASCII texts, which take a third of the time. */
const ASCII_PIECES = new RegExp(`${NUMBER}|\\w+`, "g");
const ASCII_NAMES = new RegExp(`\\w+(?:${MARKS}\\w+)*`, "g");
const BEYOND_ASCII = /[\u0080-\uffff]/;
const STARTS_RUN = new RegExp(`^${RUN}`, "u");
const HAN = /^\p{Script=Han}$/u;
const MAX_WORD_CHARACTERS = 40;
const MAX_NAME_CHARACTERS = 250;

/** Splits a text into words, numbers and runs of scripts without spaces, each as written. */
export function splitWords(text: string): readonly string[] {
  return text.match(BEYOND_ASCII.test(text) ? PIECES : ASCII_PIECES) ?? [];
}

/** Returns true for a run of a script without spaces, and for Korean, whose words have many endings. */
export function isUnspaced(piece: string): boolean {
  // A quick test: most words begin with a smaller character code.
  return piece.charCodeAt(0) > 0x0dff && STARTS_RUN.test(piece);
}

/** Returns the distinct words of a line without stop words and accents. A name with marks inside is one word. */
export function contentWords(line: string): readonly string[] {
  return [...collectWords(line, ({ word }) => word)];
}

export function contentStems(line: string): ReadonlySet<string> {
  return collectWords(line, ({ stem }) => stem);
}

function collectWords(line: string, formOf: (word: ContentWord) => string): ReadonlySet<string> {
  const words = new Set<string>();
  for (const piece of line.match(BEYOND_ASCII.test(line) ? NAMES : ASCII_NAMES) ?? []) {
    if (isUnspaced(piece)) for (const term of termsOfRun(piece)) words.add(formOf(contentWordOf(term)));
    else {
      const word = readContentWord(piece);
      if (word !== undefined) words.add(formOf(word));
    }
  }
  return words;
}

interface ContentWord {
  readonly word: string;
  readonly stem: string;
}

function contentWordOf(word: string): ContentWord {
  return { word, stem: stemWord(word) };
}

/** Caches words as written, because a conversation repeats most of its words. */
const known = new Map<string, ContentWord | undefined>();
const MAX_KNOWN = 30_000;
/** A longer piece is a slice, which would keep its whole text in memory. */
const MAX_KNOWN_CHARACTERS = 12;

/** Returns undefined for stop words and single characters. */
function readContentWord(piece: string): ContentWord | undefined {
  const before = known.get(piece);
  if (before !== undefined || known.has(piece)) return before;
  const isContent = piece.length > 1 && isContentWord(piece, MAX_NAME_CHARACTERS);
  const word = isContent ? contentWordOf(foldWord(piece)) : undefined;
  if (piece.length > MAX_KNOWN_CHARACTERS) return word;
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(piece, word);
  return word;
}

/** Returns the terms of a text in order: the stems of base words, and numbers without separators. */
export function termsOf(text: string): readonly string[] {
  return splitWords(text).flatMap(termsOfPiece);
}

/** Returns no terms for a stop word. */
export function termsOfPiece(piece: string): readonly string[] {
  if (isUnspaced(piece)) return termsOfRun(piece);
  return isContentWord(piece, MAX_WORD_CHARACTERS) ? [stemForm(piece)] : [];
}

function isContentWord(piece: string, longest: number): boolean {
  const isLetter = piece.length === 1 && !/\d/.test(piece);
  return !isLetter && piece.length <= longest && !isStopWord(piece.toLowerCase());
}

/** Returns single Han characters, and pairs of characters without function characters. */
function termsOfRun(run: string): readonly string[] {
  const characters = [...run];
  if (characters.length === 1) return isFunctionCharacter(run) ? [] : [run];
  const terms = characters.filter((character) => HAN.test(character) && !isFunctionCharacter(character));
  for (let place = 1; place < characters.length; place += 1) {
    const [left = "", right = ""] = [characters[place - 1], characters[place]];
    if (!isFunctionCharacter(left) && !isFunctionCharacter(right) && !isStopWord(left + right))
      terms.push(left + right);
  }
  return terms;
}
