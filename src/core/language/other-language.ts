/**
 * Compares the language of an answer with that of its source, by script and, for Latin scripts, by function words.
 * Always accepts English, because the request is in English and models often answer in its language.
 */
import { listWords } from "./list-words.ts";
import { STOP_WORDS_BY_LANGUAGE } from "./stop-words.ts";

/** Frequent words that do not occur in English, and seldom occur in the other languages. */
const FUNCTION_WORDS = {
  german: `die ${STOP_WORDS_BY_LANGUAGE.german}`,
  french: `le la les l d à des du est été pour que ${STOP_WORDS_BY_LANGUAGE.french}`,
  spanish: `la es ${STOP_WORDS_BY_LANGUAGE.spanish}`,
  italian: "il che di una per con non sono della dei gli ha è alla nel anche come più è stato questo si le",
  portuguese: "que não uma com para os as dos da do em foi no na por mais se é também são ao pelo como o",
  dutch: "het een van en is niet dat op te voor met zijn die wordt ook aan bij naar werd wij deze",
  polish: "nie się na jest że w z do to i jak ale przez dla był została oraz które tego po",
  swedish: "och att det som en är inte på för med av till har den vi ett om jag var från",
  danish: "og at det som en er ikke på for med af til har den vi et om jeg var fra blev",
  czech: "je se na že v s to a jako ale pro byl která jsou by tak jeho podle při nebo",
  turkish: "ve bir bu için ile da de çok olarak daha gibi olan var kadar ama değil sonra tarafından",
  indonesian: "yang dan di untuk dengan tidak ini dari pada adalah dalam akan itu sudah telah oleh",
  vietnamese: "là và của có không được cho người một các đã trong với này để khi những về từ",
  finnish: "ja on ei se että oli hän mutta joka ovat kun niin tämä myös mukaan sekä tai olla",
  romanian: "și este nu că pentru cu din pe o la sunt mai care fost în de prin să ca",
  hungarian: "és a az hogy nem is egy van volt meg csak de ez mint már lett után vagy",
};
const LISTS = Object.values(FUNCTION_WORDS).map((words) => new Set(listWords(words)));
const ALL_WORDS: ReadonlySet<string> = new Set(LISTS.flatMap((list) => [...list]));
const SCRIPTS = [
  "Cyrillic",
  "Greek",
  "Arabic",
  "Hebrew",
  "Devanagari",
  "Bengali",
  "Tamil",
  "Thai",
  "Hangul",
  "Han",
].map((script) => new RegExp(`\\p{Script=${script}}`, "gu"));
const HAN = /\p{Script=Han}/gu;
const KANA = /[\p{Script=Hiragana}\p{Script=Katakana}]/gu;

/** Minimum number of function words by which a language is recognized, and their share of all words. */
const MIN_WORDS = 2;
const MIN_SHARE = 0.1;
/** A source with half of the function words of an answer, or some letters of its script, is partly in that language. */
const KNOWN_SHARE = 0.5;
const KNOWN_LETTERS = 10;
const SCRIPT_SHARE = 0.4;
/** Characters that are read from each source text, so that long outputs do not cost more. */
const READ_CHARACTERS = 2_000;
/** Japanese of this many characters without kana is rare, so such a text is Chinese. */
const MANY_HAN = 12;

export function isInOtherLanguage(answer: string, source: Iterable<string>): boolean {
  const letters = answer.match(/\p{L}/gu)?.length ?? 0;
  const scripts = [...SCRIPTS, KANA].filter((script) => countMatches(answer, script) > letters * SCRIPT_SHARE);
  const isChinese = countMatches(answer, HAN) >= MANY_HAN && countMatches(answer, KANA) === 0;
  const wanted = scripts.length > 0 ? undefined : findFunctionWords(answer);
  if (scripts.length === 0 && wanted === undefined) return false;
  const found = new Set<string>();
  let [known, kana, han] = [0, 0, 0];
  for (const text of source) {
    const start = text.slice(0, READ_CHARACTERS);
    for (const script of scripts) known += countMatches(start, script);
    if (isChinese) [kana, han] = [kana + countMatches(start, KANA), han + countMatches(start, HAN)];
    for (const word of lowerWordsOf(wanted === undefined ? "" : start)) if (wanted?.has(word)) found.add(word);
    if (!isChinese && (known >= KNOWN_LETTERS || found.size >= (wanted?.size ?? MIN_WORDS) * KNOWN_SHARE)) return false;
  }
  return !isChinese || known < KNOWN_LETTERS || kana > han;
}

/** Returns the function words in a text of the language that most of them belong to; undefined if it may be English. */
export function findFunctionWords(text: string): ReadonlySet<string> | undefined {
  const words = lowerWordsOf(text);
  const foreign = words.filter((word) => !ENGLISH.has(word));
  let best: readonly string[] = [];
  for (const list of LISTS) {
    const found = foreign.filter((word) => list.has(word));
    if (found.length > best.length) best = found;
  }
  const isSure = best.length >= Math.max(MIN_WORDS, words.length * MIN_SHARE);
  // Some English words are words of other languages too, such as "do" and "a" in Polish.
  const accented = foreign.filter((word) => /[\u00c0-\u024f]/.test(word) && !best.includes(word));
  return isSure && best.length + accented.length > words.length - foreign.length ? new Set(best) : undefined;
}

/** Words by which English is recognized. */
export const ENGLISH: ReadonlySet<string> = new Set(
  listWords(
    "the and of to in is was for that with on are were it as by be from this an at has have not a no do so or we but",
  ),
);

export function isFunctionWord(word: string): boolean {
  return ENGLISH.has(word) || ALL_WORDS.has(word);
}

function lowerWordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{M}]+/gu) ?? [];
}

function countMatches(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}
