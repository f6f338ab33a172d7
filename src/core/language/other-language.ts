/**
 * Compares the language of an answer with that of its source, by script and, for Latin scripts, by function words.
 * Always accepts English, because the request is in English and models often answer in its language.
 */
import { listWords } from "./list-words.ts";

/** Frequent words that do not occur in English and seldom in the other languages. */
const FUNCTION_WORDS = {
  german: "und der das ist nicht ein eine mit für auf den dem von zu wurde werden auch sich ich wir sie es im",
  french: "le les des est et une dans pour que qui pas sur avec ce sont au du nous vous il elle été aux cette",
  spanish: "el los las que una por con para se del es al como pero más su fue está lo han sobre este también",
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
const KANA = /[\p{Script=Hiragana}\p{Script=Katakana}]/gu;

/** An answer with a smaller share of words in a language may only quote it. */
const MIN_SHARE = 0.2;
const MIN_WORDS = 6;
/** A source with this many different words, or letters of a script, is partly in that language. */
const KNOWN_WORDS = 4;
const KNOWN_LETTERS = 10;
const SCRIPT_SHARE = 0.4;
/** Characters that are read of each source text, so that long outputs do not cost more. */
const READ_CHARACTERS = 2_000;

export function isInOtherLanguage(answer: string, source: Iterable<string>): boolean {
  const letters = answer.match(/\p{L}/gu)?.length ?? 0;
  const scripts = [...SCRIPTS, KANA].filter((script) => countMatches(answer, script) > letters * SCRIPT_SHARE);
  const language = scripts.length > 0 ? undefined : findFunctionWords(answer);
  if (scripts.length === 0 && language === undefined) return false;
  const found = new Set<string>();
  let known = 0;
  for (const text of source) {
    const start = text.slice(0, READ_CHARACTERS);
    for (const script of scripts) known += countMatches(start, script);
    if (language !== undefined) for (const word of wordsOf(start)) if (language.has(word)) found.add(word);
    if (known >= KNOWN_LETTERS || found.size >= KNOWN_WORDS) return false;
  }
  return true;
}

/** Returns the function words of the language that most words of a text belong to, unless it may be English. */
function findFunctionWords(text: string): ReadonlySet<string> | undefined {
  const words = wordsOf(text);
  const english = words.filter((word) => ENGLISH.has(word)).length;
  let best: { readonly words: ReadonlySet<string>; readonly count: number } | undefined;
  for (const list of LISTS) {
    const count = words.filter((word) => list.has(word)).length;
    if (count > (best?.count ?? 0)) best = { words: list, count };
  }
  if (best === undefined || best.count < MIN_WORDS || best.count < words.length * MIN_SHARE) return undefined;
  return best.count > english * 2 ? best.words : undefined;
}

const ENGLISH: ReadonlySet<string> = new Set(
  listWords("the and of to in is was for that with on are were it as by be from this an at has have not a"),
);

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(/[\p{L}\p{M}]+/gu) ?? [];
}

function countMatches(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}
