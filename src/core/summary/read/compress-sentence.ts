/**
 * Shortens an English sentence of a `talk` conversation: drops greetings, fillers, sounds, false starts, repeated
 * words, articles, and a subject that is the speaker. Only removes words; keeps negations, numbers and names.
 */
import * as english from "../../language/english-words.ts";
import {
  cleanSpokenSentence,
  indexRuns,
  readSpokenWords,
  removeWords,
  type SpokenWord,
  startsRun,
  writeSpokenWords,
} from "./spoken-words.ts";

/** Names of the speakers, in lower case. */
export type SpeakerNames = ReadonlySet<string>;

type Words = readonly SpokenWord[];
type Run = readonly string[];

export function compressSentence(sentence: string, names: SpeakerNames): string {
  const isAsked = isQuestion(sentence);
  const opened = dropThanks(dropVocatives(dropOpeners(readFluent(sentence), names), names));
  const told = dropIdle(opened);
  const text = writeSpokenWords(dropLooseEnd(isAsked ? told : dropStarts(dropMood(told))));
  return isAsked && text !== "" ? `${text}?` : text;
}

/** Returns the sentence without sounds such as "um" and without false starts. */
export function smoothSentence(sentence: string): string {
  const text = writeSpokenWords(readFluent(sentence));
  return isQuestion(sentence) && text !== "" ? `${text}?` : text;
}

function isQuestion(sentence: string): boolean {
  return /[?？][\s"'”)]*$/.test(sentence);
}

function readFluent(sentence: string): Words {
  const spoken = readSpokenWords(cleanSpokenSentence(sentence));
  return dropFragments(dropRuns(dropRepeated(removeWords(spoken, ({ key }) => english.SOUNDS.has(key)))));
}

const MAX_REPEATED_WORDS = 4;

/** Drops repetitions such as "the the plan" and "we can we can do", and keeps repeated numbers. */
function dropRepeated(words: Words): Words {
  const dropped = new Set<number>();
  for (let index = 0; index < words.length; index += 1) {
    for (let length = MAX_REPEATED_WORDS; length > 0; length -= 1) {
      if (!isRepeated(words, index, length)) continue;
      for (let place = index; place < index + length; place += 1) dropped.add(place);
      break;
    }
    if (isFalseStart(words, index)) dropped.add(index);
  }
  return dropped.size === 0 ? words : removeWords(words, (_, index) => dropped.has(index));
}

function isRepeated(words: Words, index: number, length: number): boolean {
  for (let place = index; place < index + length; place += 1) {
    const word = words[place];
    if (word === undefined || word.key !== words[place + length]?.key || isNumber(word)) return false;
    // "We love it, it brings us closer" is not a repetition.
    const isPaused = word.after === "," && (length > 1 || words[place + length]?.after === ",");
    if (word.after !== "" && !isPaused) return false;
  }
  return true;
}

/** Returns true for a single letter, letters without a vowel, or the start of a word that follows. */
function isFalseStart(words: Words, index: number): boolean {
  const word = words[index];
  const next = words[index + 1];
  if (word === undefined || next === undefined || word.text.length > MAX_FALSE_START_CHARACTERS) return false;
  if (isNumber(word) || word.before !== "") return false;
  if (!/^,?$/.test(word.after) || !/^[a-z]+$/i.test(word.text) || english.WHOLE_WORDS.has(word.key)) return false;
  if (word.text.length === 1) return word.after === "" && (/[b-hj-z]/.test(word.text) || next.key.startsWith(word.key));
  if (CONSONANTS.test(word.text) && !english.SHORT_FORMS.has(word.key))
    return words[index - 1]?.key.match(/\d/) == null;
  const isBegun = (other: SpokenWord | undefined): boolean =>
    other !== undefined && other.key.length > word.key.length && other.key.startsWith(word.key);
  if (word.after === "" && isBegun(next)) return true;
  const isBroken = word.after === "," || word.text.length < MAX_FALSE_START_CHARACTERS;
  return isBroken && /^\p{Ll}/u.test(word.text) && next.after === "" && isBegun(words[index + 2]);
}

/** Consonants only, as in "It's pr it resembles". */
const CONSONANTS = /^[bcdfghjklmnpqrstvwxz]{2,3}$/;
const MAX_FALSE_START_CHARACTERS = 4;

function isNumber({ key }: SpokenWord): boolean {
  return /\d/.test(key) || english.NUMBER_WORDS.has(key);
}

const FILLERS_BY_FIRST = indexRuns(english.FILLER_RUNS);

function dropRuns(words: Words): Words {
  const dropped = new Set<number>();
  for (const [index, { key }] of words.entries()) {
    if (!FILLERS_BY_FIRST.has(key)) continue;
    const run = FILLERS_BY_FIRST.get(key)?.find((each) => startsRun(words, index, each));
    if (run === undefined || hasMeaning(words, index, run)) continue;
    for (let place = index; place < index + run.length; place += 1) dropped.add(place);
  }
  return dropped.size === 0 ? words : removeWords(words, (_, index) => dropped.has(index));
}

/** Returns true if a filler has a meaning here: "what kind of", "do you know", "I think so", "not for sure". */
function hasMeaning(words: Words, index: number, run: readonly string[]): boolean {
  const before = words[index - 1];
  const next = words[index + run.length];
  if (before !== undefined && isNegation(before)) return true;
  const isOpen = before === undefined || before.after !== "" || JOINS.has(before.key);
  switch (run[0]) {
    case "you":
      return !isOpen;
    case "i":
      return !isOpen || next === undefined || BOUND.has(next.key);
    case "kind":
    case "sort":
      return before !== undefined && !LINKS.test(before.key);
    case "a":
      return next?.key === "of";
    default:
      return false;
  }
}

const JOINS: ReadonlySet<string> = new Set(["and", "but", "because", "so", "or"]);
const BOUND: ReadonlySet<string> = new Set(["so", "about", "of", "not"]);
/** Words after which "kind of" is a filler: "it's kind of nice". */
const LINKS =
  /^(?:.*'(?:s|re|m)|is|are|was|were|be|been|just|get|gets|got|feel|feels|felt|look|looks|seems?|and|but|i|we|you|they|it)$/;

function isNegation({ key }: SpokenWord): boolean {
  return english.NEGATIONS.has(key) || key.endsWith("n't");
}

const MAX_FRAGMENT_WORDS = 3;

/** Drops unfinished clauses, and a linking word at the end of a clause. */
function dropFragments(words: Words): Words {
  const dropped = new Set<number>();
  let start = 0;
  for (const [index, { key, after }] of words.entries()) {
    if (!after.startsWith(",")) continue;
    const clause = words.slice(start, index + 1);
    const isFragment = clause.length <= MAX_FRAGMENT_WORDS && clause.every((word) => english.FRAGMENTS.has(word.key));
    if (isFragment) for (let place = start; place <= index; place += 1) dropped.add(place);
    else if (english.LOOSE_ENDS.has(key) && clause.length > 1) dropped.add(index);
    start = index + 1;
  }
  return dropped.size === 0 ? words : removeWords(words, (_, index) => dropped.has(index));
}

function dropOpeners(words: Words, names: SpeakerNames): Words {
  let start = 0;
  for (; start < words.length; start += 1) {
    const word = words[start];
    const next = words[start + 1];
    if (word === undefined) break;
    const isClosed = word.after !== "" || next === undefined;
    if (word.key === "so" && next?.key === "far") break;
    const isOpener =
      english.OPENERS.has(word.key) && (isClosed || english.PLAIN_OPENERS.has(word.key) || isAddressed(next, names));
    if (!isOpener && !(isAddressed(word, names) && (isClosed || start > 0))) break;
  }
  // A name before a verb is the subject, not the person addressed.
  if (start > 0 && isAddressed(words[start - 1], names) && SAID_OF.has(words[start]?.key ?? "")) start -= 1;
  return words.slice(start);
}

const SAID_OF: ReadonlySet<string> = new Set("is was has had will can did does and would said says".split(" "));

function isAddressed(word: SpokenWord | undefined, names: SpeakerNames): boolean {
  return word !== undefined && names.has(word.key) && /^\p{Lu}/u.test(word.text);
}

/** Drops the name of the person addressed: "…, Anna". */
function dropVocatives(words: Words, names: SpeakerNames): Words {
  return removeWords(words, (word, index) => {
    const before = words[index - 1];
    const isEnd = index === words.length - 1 || word.after !== "";
    return isEnd && before?.after.startsWith(",") === true && isAddressed(word, names);
  });
}

/** Drops thanks up to the next punctuation mark ("Thanks for asking"), but not "thanks to Ana". */
function dropThanks(words: Words): Words {
  const [first, second] = words;
  const isThanks = first?.key === "thanks" || (first?.key === "thank" && second?.key === "you");
  if (!isThanks || words.slice(0, 3).some(({ key }) => key === "to")) return words;
  const end = words.findIndex(({ after }) => after !== "");
  return end < 0 ? [] : words.slice(end + 1);
}

function dropIdle(words: Words): Words {
  return removeWords(words, (word, index) => {
    const before = words[index - 1];
    const next = words[index + 1];
    const { key, after } = word;
    if (before !== undefined && isNegation(before) && !english.ARTICLES.has(key)) return false;
    if (english.ARTICLES.has(key)) return after === "" && next !== undefined && !needsArticle(word, before, next);
    if (english.MARKED_FILLERS.has(key)) return after === "," && before?.after.endsWith(",") === true;
    if (key === "so")
      return english.SO_BEFORE.has(before?.key ?? "") && next !== undefined && !english.SO_AFTER.has(next.key);
    if (key === "that") return english.THAT_BEFORE.has(before?.key ?? "") && english.THAT_AFTER.has(next?.key ?? "");
    return english.FILLERS.has(key);
  });
}

function needsArticle(article: SpokenWord, before: SpokenWord | undefined, next: SpokenWord): boolean {
  if (english.AFTER_ARTICLE.has(next.key)) return article.key !== "the" || before === undefined;
  // Part of a name or title: "The Lean Startup", "Vitamin A".
  if (before !== undefined && /^\p{Lu}/u.test(article.text)) return true;
  return article.key !== "the" && english.BEFORE_ARTICLE.has(before?.key ?? "");
}

/** Drops a last clause that only expresses a feeling: "…, it's great". */
function dropMood(words: Words): Words {
  let start = words.length;
  while (
    start > 0 &&
    english.MOOD_WORDS.has(words[start - 1]?.key ?? "") &&
    (start === words.length || words[start - 1]?.after === "")
  )
    start -= 1;
  const isClause = start > 0 && start < words.length && /[,–—-]$/.test(words[start - 1]?.after ?? "");
  return isClause ? words.slice(0, start) : words;
}

const OWN_BY_FIRST = indexRuns(english.OWN_STARTS);
const BARE_BY_FIRST = indexRuns(english.BARE_STARTS);

/** Drops "I" until another subject appears. */
function dropStarts(words: Words): Words {
  const dropped = new Set<number>();
  let isOwn = true;
  for (const [index, { key }] of words.entries()) {
    const isJoined = words[index - 1]?.after === "";
    if (isClauseStart(words, index)) {
      const own: Run | undefined = isOwn ? findRun(OWN_BY_FIRST, words, index) : undefined;
      const run: Run | undefined = own ?? (isJoined ? undefined : findRun(BARE_BY_FIRST, words, index));
      if (index === 0) isOwn = own !== undefined;
      for (let place = index; place < index + (run?.length ?? 0); place += 1) dropped.add(place);
    }
    if (english.OTHER_SUBJECTS.has(key) && !dropped.has(index)) isOwn = false;
  }
  return dropped.size === 0 ? words : removeWords(words, (_, index) => dropped.has(index));
}

function findRun(runs: ReadonlyMap<string, readonly Run[]>, words: Words, index: number): Run | undefined {
  const run = runs.get(words[index]?.key ?? "")?.find((each) => startsRun(words, index, each));
  const next = words[index + (run?.length ?? 0)];
  const last = words[index + (run?.length ?? 0) - 1];
  // The start is needed in "Here's to you" and "I've to go".
  return run === undefined || next === undefined || next.key === "to" || last?.after !== "" ? undefined : run;
}

function isClauseStart(words: Words, index: number): boolean {
  const before = words[index - 1];
  return before === undefined || /[,;:.!?—–-]$/.test(before.after) || JOINS.has(before.key);
}

/** Verbs whose "so" has a meaning: "I hope so". */
const ENDS_SO: ReadonlySet<string> = new Set(["hope", "think", "guess", "say", "said", "believe", "or", "do"]);

function dropLooseEnd(words: Words): Words {
  let end = words.length;
  while (end > 0 && english.LOOSE_ENDS.has(words[end - 1]?.key ?? "") && !ENDS_SO.has(words[end - 2]?.key ?? ""))
    end -= 1;
  return words.slice(0, end);
}
