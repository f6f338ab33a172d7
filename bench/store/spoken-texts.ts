/**
 * Generates millions of texts cheaply, the same for the same seed: thousands of words of an invented language, with
 * common and rare ones as in any language. Some texts have a unique word, to search for something rare.
 */
import type { TurnMessage } from "../turn-cost/contestant.ts";

/** Beginnings, vowels and ends of syllables: about as many three-letter pieces as in English. */
const ONSETS =
  "b bl br c ch cl cr d dr f fl fr g gl gr h j k l m n p pl pr qu r s sc sh sl sp st str t th tr v w wh".split(" ");
const VOWELS = "a e i o u ai ea ee ie oa oo ou".split(" ");
const CODAS = " b ck d ft g l ll ld lt m mp n nd ng nt p r rd rk rn rt s ss st t th tch x".split(" ");
const SYLLABLES = ONSETS.length * VOWELS.length * CODAS.length;
const WORDS = 20_000;
/** The most common words have one syllable. */
const ONE_SYLLABLE = 500;
/** About sixty tokens. */
const WORDS_A_TEXT = 30;
/** One text in this many has a rare word. */
const RARE_EVERY = 10_000;
/** A larger number makes common words more frequent. */
const SKEW = 2.5;

const words = Array.from({ length: WORDS }, (_, index) => wordAt(index));

export const COMMON_WORD = words[1] ?? "";
/** Common words that sometimes follow each other. */
export const COMMON_PHRASE = `${words[1]} ${words[2]}`;
export const MIDDLING_WORD = words[200] ?? "";
/** Words that no text contains, although all but one or two of their pieces are in many texts. */
export const ABSENT_WORDS = [0, 1, 2, 3].map((index) => `${words[600 + index]}${words[900 + index]}`);

export function rareWord(index: number): string {
  return `qx${index - (index % RARE_EVERY)}xq`;
}

export function spokenText(index: number): TurnMessage {
  const random = randomFrom(index);
  const chosen = Array.from({ length: WORDS_A_TEXT }, () => words[Math.floor(random() ** SKEW * WORDS)] ?? "");
  if (index % RARE_EVERY === 0) chosen[WORDS_A_TEXT / 2] = rareWord(index);
  return { role: index % 2 === 0 ? "user" : "assistant", content: `${chosen.join(" ")}.` };
}

/**
 * Common words have one syllable, the others two. Large steps through the syllables make consecutive words look
 * different.
 */
function wordAt(index: number): string {
  const first = syllableAt((index * 7_919) % SYLLABLES);
  return index < ONE_SYLLABLE ? first : `${first}${syllableAt((index * 104_729 + 31) % SYLLABLES)}`;
}

function syllableAt(index: number): string {
  const onset = ONSETS[index % ONSETS.length] ?? "";
  const vowel = VOWELS[Math.floor(index / ONSETS.length) % VOWELS.length] ?? "";
  return `${onset}${vowel}${CODAS[Math.floor(index / ONSETS.length / VOWELS.length)] ?? ""}`;
}

function randomFrom(seed: number): () => number {
  let state = Math.imul(seed + 1, 2_654_435_761) >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
