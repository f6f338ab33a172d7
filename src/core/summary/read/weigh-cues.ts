import { MARKERS } from "../../language/english-words.ts";
import { TALK_LINE_WEIGHTS } from "../weights.ts";

/**
 * Weighs a sentence of a `talk` conversation by its kind: a question, an action or plan of the speaker, a date, the
 * description of a picture, or a remark about the listener. Supports English; in other languages only questions.
 */

export function weighCues(sentence: string): number {
  const text = sentence.slice(0, LOOK_CHARACTERS);
  if (/[?？][\s"'”)]*$/.test(text)) return TALK_LINE_WEIGHTS.question;
  const place = text.startsWith("[") ? TALK_LINE_WEIGHTS.described : 1;
  const kind = KINDNESS.test(text) ? TALK_LINE_WEIGHTS.kindness : 1;
  const who = OF_OTHER.test(text) && !OF_SELF.test(text) ? TALK_LINE_WEIGHTS.aboutListener : 1;
  return (
    kind *
    place *
    who *
    (ACTIONS.test(text) ? TALK_LINE_WEIGHTS.tellsOfSelf : 1) *
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

/** Matches a person and something that they did, are doing or plan to do. */
const ACTIONS = new RegExp(
  [
    "\\b(?:I|we|he|she|they|my \\w{1,20}|our \\w{1,20})(?:['’](?:ve|m|re|d|s)| have| am| are| was| were| is)?",
    "(?: (?:just|also|even|recently|finally|really|once|actually|already|been|currently|still))*",
    " (?:went|got|lost|made|took|bought|found|met|saw|read|won|ran|gave|had|did|began|taught|wrote|built|sold|told|left|",
    "chose|kept|felt|heard|spent|came|became|grew|going|gonna|working|doing|planning|named|called|[a-z]{3,20}(?:ed|ing))\\b",
  ].join(""),
  "i",
);

export interface EnglishDetector {
  known: number;
  words: number;
}

const LOOK_AHEAD_CHARACTERS = 120;
const MARKER_SHARE = 0.1;
/** After this many words, earlier counts are halved. */
const MEMORY_WORDS = 120;

/** Decides by frequent words whether a conversation is in English. Earlier messages count less the older they are. */
export function createEnglishDetector(): EnglishDetector {
  return { known: 0, words: 0 };
}

export function detectEnglish(watch: EnglishDetector, text: string): boolean {
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
