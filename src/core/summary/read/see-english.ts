/**
 * Whether people talk in English, by the words that no English text can do without. A message is too short to tell, so
 * those before it count too, the less the longer ago they were.
 */
import { MARKERS } from "./english-words.ts";

export interface LanguageWatch {
  known: number;
  words: number;
}

const LOOK_CHARACTERS = 120;
const MARKER_SHARE = 0.1;
/** When so many words were seen, what was seen counts for half. */
const MEMORY_WORDS = 120;

export function startLanguageWatch(): LanguageWatch {
  return { known: 0, words: 0 };
}

export function seeEnglish(watch: LanguageWatch, text: string): boolean {
  for (const word of text.slice(0, LOOK_CHARACTERS).toLowerCase().split(" ")) {
    watch.words += 1;
    if (MARKERS.has(word)) watch.known += 1;
  }
  const isEnglish = watch.known > 0 && watch.known >= watch.words * MARKER_SHARE;
  if (watch.words > MEMORY_WORDS) {
    watch.known /= 2;
    watch.words /= 2;
  }
  return isEnglish;
}
