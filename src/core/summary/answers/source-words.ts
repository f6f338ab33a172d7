/**
 * Compares the words of an answer with the words of its source. A word counts by its first letters, so that "looks"
 * matches "looked", and a script without spaces by pairs of characters. Of 350 summaries that people and models wrote
 * of meetings, chats and coding sessions, none is rejected.
 */
import { listWords } from "../../language/list-words.ts";
import { ENGLISH, findFunctionWords, isFunctionWord } from "../../language/other-language.ts";
import { isFunctionCharacter, isStopWord } from "../../language/stop-words.ts";
import { batchTexts } from "../../language/text-pieces.ts";
import { isUnspaced, splitWords } from "../../language/words.ts";

const STEM_LETTERS = 4;
/** Prefix of the key of a content word. */
const CONTENT = "=";

const SUMMARY_WORDS: ReadonlySet<string> = new Set(
  listWords("user users assistant conversation summary talked discussed topic topics several various"),
);

export function wordKeys(text: string): readonly string[] {
  return splitWords(text.toLowerCase()).flatMap((word) => (isUnspaced(word) ? pairKeys(word) : [wordKey(word)]));
}

export function contentKeys(text: string): ReadonlySet<string> {
  return new Set(wordKeys(text).filter((key) => key.startsWith(CONTENT)));
}

function wordKey(word: string): string {
  const isCommon = isStopWord(word) || isFunctionWord(word) || SUMMARY_WORDS.has(word) || /^\d{1,2}$/.test(word);
  return isCommon ? word : `${CONTENT}${word.slice(0, STEM_LETTERS)}`;
}

function pairKeys(run: string): readonly string[] {
  const characters = [...run];
  return characters.slice(1).map((right, index) => {
    const pair = [characters[index] ?? "", right];
    return `${pair.some(isFunctionCharacter) ? "" : CONTENT}${pair.join("")}`;
  });
}

export interface KnownWords {
  readonly known: ReadonlySet<string>;
  /** Number of words that were read. */
  readonly words: number;
}

/** Finds wanted keys until `isEnough` returns true. */
export function* findKnownInSteps(
  wanted: ReadonlySet<string>,
  texts: Iterable<string>,
  isEnough: (found: KnownWords) => boolean,
): Generator<undefined, KnownWords> {
  const known = new Set<string>();
  let words = 0;
  for (const batch of batchTexts(texts)) {
    const keys = wordKeys(batch);
    for (const key of keys) if (wanted.has(key)) known.add(key);
    words += keys.length;
    if (isEnough({ known, words })) break;
    yield undefined;
  }
  return { known, words };
}

/** In a shorter source, only an answer without any known content word is rejected; in a very short one, none. */
const LONG_SOURCE_WORDS = 300;
const SHORT_SOURCE_WORDS = 100;
/** Minimum share of known words in an answer. With fewer, it is in another language than its source. */
const MIN_KNOWN_SHARE = 0.25;
const FEW_WORDS = 4;
const MIN_CONTENT_SHARE = 0.2;
const MIN_CONTENT = 2;
const MANY_WORDS = 8;

/**
 * Returns the rule that rejects an answer with too few words of its source. Does not judge an English summary of a
 * conversation in another language.
 */
export function* findUnsupportedInSteps(
  answer: string,
  source: Iterable<string>,
): Generator<undefined, "language" | "unsupported" | undefined> {
  const words = wordKeys(answer);
  const content = contentKeys(answer);
  const isEnglish = mayBeEnglish(answer);
  const judge = (known: ReadonlySet<string>): "language" | "unsupported" | undefined => {
    if (isEnglish && !isEnglishSource(known)) return undefined;
    if (words.length >= FEW_WORDS && shareOf(words, known) < MIN_KNOWN_SHARE) return "language";
    const least = Math.max(words.length < MANY_WORDS ? 1 : MIN_CONTENT, content.size * MIN_CONTENT_SHARE);
    const isJudged = words.length >= MANY_WORDS || content.size > MIN_CONTENT;
    return isJudged && shareOf(content, known) * content.size < least ? "unsupported" : undefined;
  };
  const wanted = new Set([...words, ...ENGLISH]);
  const isEnough = (found: KnownWords) => found.words >= LONG_SOURCE_WORDS && judge(found.known) === undefined;
  const found = yield* findKnownInSteps(wanted, source, isEnough);
  const leastWords = shareOf(content, found.known) === 0 ? SHORT_SOURCE_WORDS : LONG_SOURCE_WORDS;
  return found.words < leastWords ? undefined : judge(found.known);
}

function shareOf(keys: Iterable<string>, known: ReadonlySet<string>): number {
  const all = [...keys];
  return all.filter((key) => known.has(key)).length / Math.max(1, all.length);
}

const NOT_LATIN = /[^\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}]/u;
const MIN_ENGLISH_SHARE = 0.08;
/** English sources contain at least this share of the words by which English is recognized. */
const ENGLISH_SOURCE_SHARE = 0.3;

export function mayBeEnglish(text: string): boolean {
  const words = splitWords(text.toLowerCase());
  const english = words.filter((word) => ENGLISH.has(word)).length;
  return !NOT_LATIN.test(text) && findFunctionWords(text) === undefined && english >= words.length * MIN_ENGLISH_SHARE;
}

export function isEnglishSource(known: ReadonlySet<string>): boolean {
  return shareOf(ENGLISH, known) >= ENGLISH_SOURCE_SHARE;
}
