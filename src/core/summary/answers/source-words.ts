/**
 * Compares the words of an answer with the words of its source. A word counts by its first letters, so that "looks"
 * matches "looked", and a script without spaces by pairs of characters. Words that are common in all conversations
 * ("week", "work") and words about summaries support nothing. Of 350 summaries that people and models wrote of
 * meetings, chats and coding sessions, none is rejected.
 */
import { isCommonTerm } from "../../language/common-words.ts";
import { listWords } from "../../language/list-words.ts";
import { ENGLISH, findFunctionWords, isFunctionWord } from "../../language/other-language.ts";
import { stemForm } from "../../language/stem-word.ts";
import { isFunctionCharacter, isStopWord } from "../../language/stop-words.ts";
import { batchTexts } from "../../language/text-pieces.ts";
import { isUnspaced, splitWords } from "../../language/words.ts";

const STEM_LETTERS = 4;
/** A long source contains words with almost any four letters. */
const LONG_STEM_LETTERS = 6;
/** Prefix of the key of a content word. */
const CONTENT = "=";
/** Prefix of the key of a specific word: a content word that is not common in all conversations. */
const SPECIFIC = "#";

const SUMMARY_WORDS: ReadonlySet<string> = new Set(
  listWords("user users assistant conversation summary talked discussed topic topics several various"),
);
/** Words about a summary and its request, which support no answer. */
const REQUEST_WORDS: ReadonlySet<string> = new Set(
  listWords(`conversations summaries summarize summarized summarizes summarizing summarise summarised summarises
    summarising transcript request requests requested requesting asked asks based above following provided
    zusammenfassung gespräch unterhaltung nutzer benutzer résumé utilisateur resumen conversación usuario resumo
    conversa usuário podsumowanie rozmowa rozmowy użytkownik`),
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

/** Returns the keys of the specific words of an answer. */
function specificKeys(words: readonly string[]): ReadonlySet<string> {
  return new Set(
    words.flatMap((word) => {
      if (isUnspaced(word)) return pairKeys(word).filter((key) => key.startsWith(CONTENT));
      return wordKey(word).startsWith(CONTENT) && !isCommonTerm(stemForm(word)) ? [longKey(word)] : [];
    }),
  );
}

function longKey(word: string): string {
  return `${SPECIFIC}${word.slice(0, LONG_STEM_LETTERS)}`;
}

export interface KnownWords {
  readonly known: ReadonlySet<string>;
  /** Number of words that were read. */
  readonly words: number;
  /** True if many different words were read. */
  readonly isRich: boolean;
}

/** Finds wanted keys until `isEnough` returns true. */
export function* findKnownInSteps(
  wanted: ReadonlySet<string>,
  texts: Iterable<string>,
  isEnough: (found: KnownWords) => boolean,
): Generator<undefined, KnownWords> {
  const known = new Set<string>();
  const different = new Set<string>();
  let words = 0;
  for (const batch of batchTexts(texts)) {
    for (const word of splitWords(batch.toLowerCase())) {
      const keys = isUnspaced(word) ? pairKeys(word) : [wordKey(word), longKey(word)];
      for (const key of keys) if (wanted.has(key)) known.add(key);
      if (different.size < RICH_SOURCE_KEYS) for (const key of keys) different.add(key);
      words += isUnspaced(word) ? keys.length : 1;
    }
    if (isEnough({ known, words, isRich: different.size >= RICH_SOURCE_KEYS })) break;
    yield undefined;
  }
  return { known, words, isRich: different.size >= RICH_SOURCE_KEYS };
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
/** A source with so many different keys contains many words of any summary by chance, so more of them are required. */
const RICH_SOURCE_KEYS = 800;
const MIN_SPECIFIC_SHARE = 0.25;
const MIN_SPECIFIC = 2;

/**
 * Returns the rule that rejects an answer with too few words of its source. Does not judge an English summary of a
 * conversation in another language.
 */
export function* findUnsupportedInSteps(
  answer: string,
  source: Iterable<string>,
): Generator<undefined, "language" | "unsupported" | undefined> {
  const words = wordKeys(answer);
  const supporting = splitWords(answer.toLowerCase()).filter((word) => !REQUEST_WORDS.has(word));
  const [content, specific] = [contentKeys(supporting.join(" ")), specificKeys(supporting)];
  const isEnglish = mayBeEnglish(answer);
  const isShort = words.length < MANY_WORDS;
  // A few words prove little, except those about the summary itself.
  const isPhrase = isShort && content.size <= MIN_CONTENT && (content.size > 0 || words.length < FEW_WORDS);
  const judge = ({ known, isRich }: Omit<KnownWords, "words">): "language" | "unsupported" | undefined => {
    const isComparable = !isEnglish || isEnglishSource(known);
    if (isComparable && words.length >= FEW_WORDS && shareOf(words, known) < MIN_KNOWN_SHARE) return "language";
    if (isPhrase) return undefined;
    if (!isComparable) return specific.size === 0 ? "unsupported" : undefined;
    const leastContent = Math.max(isShort ? 1 : MIN_CONTENT, content.size * MIN_CONTENT_SHARE);
    const leastSpecific = isRich ? Math.max(MIN_SPECIFIC, specific.size * MIN_SPECIFIC_SHARE) : isShort ? 0 : 1;
    const isEnough = countKnown(content, known) >= leastContent && countKnown(specific, known) >= leastSpecific;
    return isEnough ? undefined : "unsupported";
  };
  const wanted = new Set([...words, ...specific, ...ENGLISH]);
  // Stops reading once the part that was read supports the answer as well as a rich source must.
  const isEnough = ({ known, words: read }: KnownWords) =>
    read >= LONG_SOURCE_WORDS && judge({ known, isRich: true }) === undefined;
  const found = yield* findKnownInSteps(wanted, source, isEnough);
  const leastWords = shareOf(content, found.known) === 0 ? SHORT_SOURCE_WORDS : LONG_SOURCE_WORDS;
  return found.words < leastWords ? undefined : judge(found);
}

function countKnown(keys: ReadonlySet<string>, known: ReadonlySet<string>): number {
  return [...keys].filter((key) => known.has(key)).length;
}

function shareOf(keys: Iterable<string>, known: ReadonlySet<string>): number {
  const all = [...keys];
  return all.filter((key) => known.has(key)).length / Math.max(1, all.length);
}

/** Words with such a letter are rare in English. */
const ACCENTED = /[^\p{ASCII}\p{M}’'‑–—]/u;
const NOT_LATIN = /[^\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}]/u;
const MIN_ENGLISH_SHARE = 0.08;
/** English sources contain at least this share of the words by which English is recognized. */
const ENGLISH_SOURCE_SHARE = 0.3;

export function mayBeEnglish(text: string): boolean {
  const words = splitWords(text.toLowerCase());
  const english = words.filter((word) => ENGLISH.has(word)).length;
  if (NOT_LATIN.test(text) || findFunctionWords(text) !== undefined) return false;
  // "a", "do" and "we" are words of other languages too.
  const accented = words.filter((word) => ACCENTED.test(word)).length;
  return english >= words.length * MIN_ENGLISH_SHARE && accented <= english;
}

export function isEnglishSource(known: ReadonlySet<string>): boolean {
  return shareOf(ENGLISH, known) >= ENGLISH_SOURCE_SHARE;
}
