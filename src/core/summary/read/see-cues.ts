import { TALK_LINE_WEIGHTS } from "../weights.ts";
import { MARKERS } from "./english-words.ts";

/**
 * What a sentence of talk does, told by its words: it asks, tells what somebody did or plans, says when, describes a
 * picture, or speaks only of the one who is spoken to. People remember of a talk what others told of themselves, so that
 * counts for more. It goes by English; of a sentence in another language it sees only whether it asks.
 */

/** How much more or less than others the sentence counts for. */
export function seeCues(sentence: string): number {
  const text = sentence.slice(0, LOOK_CHARACTERS);
  if (/[?？][\s"'”)]*$/.test(text)) return TALK_LINE_WEIGHTS.question;
  const place = text.startsWith("[") ? TALK_LINE_WEIGHTS.described : 1;
  const kind = KINDNESS.test(text) ? TALK_LINE_WEIGHTS.kindness : 1;
  const who = OF_OTHER.test(text) && !OF_SELF.test(text) ? TALK_LINE_WEIGHTS.aboutListener : 1;
  return (
    kind *
    place *
    who *
    (TELLING.test(text) ? TALK_LINE_WEIGHTS.tellsOfSelf : 1) *
    (TIME.test(text) ? TALK_LINE_WEIGHTS.dated : 1) *
    (CHANGE.test(text) ? TALK_LINE_WEIGHTS.changed : 1)
  );
}

const LOOK_CHARACTERS = 400;
const OF_SELF = /\b(?:I|my|me|mine|we|our|us)\b/i;
const OF_OTHER = /\byou(?:r|rs)?\b/i;

const TIME =
  /\b(?:yesterday|today|tomorrow|tonight|ago|last|next|since|years?|months?|weeks?|weekend|this (?:morning|summer|winter|fall|spring|past)|(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|june|july|august|september|october|november|december)\b/i;

const CHANGE =
  /\b(?:changed (?:my|our|his|her|their) minds?|no longer|postponed|cancel(?:l)?ed|rescheduled|correction)\b/i;
const KINDNESS =
  /^(?:(?:wow|oh|yeah|hey|aw+|haha|yes|no|well|so|and)[,!.]? )*(?:congrat|(?:great|good|exciting|amazing|awesome|wonderful) news\b|sorry\b|i(?:'|’)m (?:so |really |very )?(?:sorry|glad|happy for)|good luck|(?:so )?proud of you|happy for you|way to go|well done|(?:sounds|looks) (?:like )?(?:an? |so |really |very |super |pretty )*(?:great|nice|neat|cool|awesome|amazing|wonderful|fantastic|lovely|good|beautiful|fun))/i;

/** Somebody, and what they did, are doing or are about to do. */
const TELLING = new RegExp(
  [
    "\\b(?:I|we|he|she|they|my \\w{1,20}|our \\w{1,20})(?:['’](?:ve|m|re|d|s)| have| am| are| was| were| is)?",
    "(?: (?:just|also|even|recently|finally|really|once|actually|already|been|currently|still))*",
    " (?:went|got|lost|made|took|bought|found|met|saw|read|won|ran|gave|had|did|began|taught|wrote|built|sold|told|left|",
    "chose|kept|felt|heard|spent|came|became|grew|going|gonna|working|doing|planning|named|called|[a-z]{3,20}(?:ed|ing))\\b",
  ].join(""),
  "i",
);

export interface LanguageWatch {
  known: number;
  words: number;
}

const LOOK_AHEAD_CHARACTERS = 120;
const MARKER_SHARE = 0.1;
/** When so many words were seen, what was seen counts for half. */
const MEMORY_WORDS = 120;

/**
 * Whether people talk in English, by the words that no English text can do without. A message is too short to tell, so
 * those before it count too, the less the longer ago they were.
 */
export function startLanguageWatch(): LanguageWatch {
  return { known: 0, words: 0 };
}

export function seeEnglish(watch: LanguageWatch, text: string): boolean {
  for (const word of text.slice(0, LOOK_AHEAD_CHARACTERS).toLowerCase().split(" ")) {
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
