/**
 * Finds sentences that withdraw or replace an earlier decision or request: "New decision: no rented players", "use
 * SQLite instead", "never mind the docs". Reads English phrases, and the cues of other languages.
 */

import { hasNonEnglishCue, listCourseCues } from "../../language/cues/non-english-cues.ts";
import { isQuestion } from "./find-demands.ts";

/** Returns true for a sentence of the user that changes an earlier statement. */
export function isChange(sentence: string): boolean {
  const text = sentence.slice(0, READ_CHARACTERS);
  if (isQuestion(text) || FOR_NOW.test(text)) return false;
  if (DESCRIBES.test(text)) return false;
  return CHANGE.test(text) || hasNonEnglishCue(text, "withdrawal") || isReplacementCue(text) || isChangeOfMind(text);
}

/** Returns true if the sentence announces a change of mind, which later sentences may explain. */
export function isChangeOfMind(sentence: string): boolean {
  const text = sentence.slice(0, READ_CHARACTERS);
  return CHANGE_OF_MIND.test(text) || hasNonEnglishCue(text, "newDecision");
}

/** Returns true for a change that names a replacement, or announces a change of mind. */
export function isReplacement(text: string): boolean {
  return isChangeOfMind(text) || isReplacementCue(text) || /\b(?:instead|actually|switch(?:ing)? to)\b/i.test(text);
}

function isReplacementCue(text: string): boolean {
  return RATHER.test(text) || hasNonEnglishCue(text, "replacement");
}

/** Returns the words about what is replaced or withdrawn: "Redis" in "RabbitMQ instead of Redis". */
export function findReplaced(text: string): string | undefined {
  const found = REPLACED.flatMap((pattern) => pattern.exec(text)?.slice(1) ?? []);
  return found.find((words) => words !== undefined);
}

/** Returns true for a decision between alternatives. */
export function isChoice(text: string): boolean {
  return CHOICE.test(text) || hasNonEnglishCue(text, "decision");
}

const CHOICE =
  /\b(?:us(?:e|ing)|go(?:ing)? with|switch(?:ing)? to|stick(?:ing)? with|chose|picked|settled on|decided)\b/i;
const READ_CHARACTERS = 300;
/** Matches words that only postpone a task. */
const FOR_NOW = /\bfor (?:today|now|the moment|a (?:while|moment|minute))\b/i;

const CHANGE_OF_MIND =
  /\b(?:new decision|(?:changed|change) (?:my|our) minds?|on second thoughts?|change of plans?|plans? (?:has |have )?changed|on reflection|(?:scratch|scrap) that|(?:take|taking) (?:that|it) back)\b|^correction\b/i;
const CHANGE =
  /^(?:\W{0,3}(?:ok(?:ay)?|so|no|well|wait|sorry|actually|hmm+|and|but|please|then)[,.!:]? )*(?:never ?mind (?:the|about|my)\b|forget (?:about )?(?!to\b|it\b|this\b|that\b)|(?:scrap|drop|skip) (?:the|my|that)\b|no need (?:to|for)\b|let(?:'|’)?s not\b|(?:we|i)(?:(?:'|’)(?:re|m)| are| am)? (?:not (?:going with|using|doing)|no longer\b)|(?:we|i) (?:won(?:'|’)t|will not) (?:use|go with|take)\b)|\b(?:we|i) (?:don(?:'|’)t|do not|won(?:'|’)t|will not) need\b|\b(?:is|are)(?:n(?:'|’)t| not) (?:needed|necessary|required|planned)\b|\b(?:won(?:'|’)t|will not|don(?:'|’)t|do not|not) (?:use|using|take|taking|go with|going with|do|doing|have|having) .{1,60} (?:any ?more|any longer)\b|\b(?:let(?:'|’)?s|we(?:(?:'|’)ll| will|(?:'|’)re| are)?|i(?:(?:'|’)ll| will)?|please) (?:now |then |rather )?(?:switch(?:ing)?|chang(?:e|ing)|go(?:ing)? back|revert(?:ing)?|return(?:ing)?|mov(?:e|ing) (?:back|over)) (?:(?!on\b)\S+ ){0,3}?to \S|^(?:please )?(?:go back|revert|switch) to \S|\bno longer (?:need|want|use|required|necessary|planned|a goal)\b|\bafter all\b|\binstead(?: of\b|[.!]?$)|\b(?:switch|go|move) (?:back )?to \S.{0,60} (?:instead|again)\b|\b(?:is|are) off(?: the table)?(?=[.!:,;]|$)|\bactually,? (?:let(?:'|’)?s|use|keep|make|go with)\b|\b(?:reverse|revert|undo) (?:the|that|this|our|my) decision\b/i;
/** "If the file ends so, the value becomes 1 instead of 2": describes a behavior. */
const DESCRIBES = /^(?:if|when|whenever|because|the \w+ (?!is|are|will|was)\w+|this|it|there|that)\b.*\binstead\b/i;
const RATHER = /\b(?:use|go with|take|pick|choose|prefer) \S.{0,60}\brather than\b/i;
/** Words before what is replaced or withdrawn; in Chinese and Japanese also after it. */
const REPLACED = [
  /\b(?:won(?:'|’)t|will not|don(?:'|’)t|do not|not) (?:use|using|take|taking|go with|going with|do|doing|have|having) ([^,.;]{1,60}) (?:any ?more|any longer)\b/i,
  /(?:\b(?:instead of|rather than|statt|anstatt|anstelle von|en (?:lugar|vez) de|au lieu d(?:e|u|es)?|em (?:vez|lugar) d[eoa]s?)|(?<!\p{L})à la place d(?:e|u|es)?|(?<!\p{L})plutôt (?:\S{1,30} ){0,4}?que?)[ '’]([^,.;]{1,60})/iu,
  /^(?:\S{1,12},? ){0,2}(?:never ?mind|forget(?: about)?|vergiss|vergesst|olvida|olvídate de|oubliez?|laissez? tomber|esquece|esqueça) ([^,.;]{1,60})/iu,
  /(?:而不是|别管|不再?用)([^，。了]{1,20})|(\S{1,20})\s?(?:ではなく|じゃなく|はやめ)/u,
];

/**
 * Returns how strongly the words of a sentence hint at a change of an earlier statement with the same subject, from 0.
 * Alone they change nothing.
 */
export function weighHint(sentence: string): 0 | 1 | 2 {
  const text = sentence.slice(0, READ_CHARACTERS);
  if (isQuestion(text) || FOR_NOW.test(text)) return 0;
  if (STRONG_HINT.test(text) || listCourseCues(text).some(({ changed }) => changed.test(text))) return 2;
  return WEAK_HINT.test(text) ? 1 : 0;
}

const STRONG_HINT =
  /\b(?:deprecated|discontinued|switch(?:ing)? to|(?:moves?|moved|shifts?|shifted|slips?) to|so no \w+ing|(?:raised|lowered|increased|reduced|extended) (?:the|our|my)|wrong|mistake|cancel(?:l?ed)?|replac(?:e|ed|ing)|instead|rather|no longer|any ?more|skip(?:ping)?|dropp?(?:ed|ing)?|leave out|without|off the table|out of the question|not (?:possible|an option|available|worth|needed|necessary|going to)|too (?:expensive|slow|big|small|late|early|risky|complicated|much)|(?:does|do|did|will|wo)(?: not|n(?:'|’)t) (?:work|offer|support|want)|changed?|make that|mistaken|(?:fully )?booked(?: out| up)?|sold out|unavailable|out of stock|leave (?:the|my|our) .{1,40}? as (?:it is|they are|is))\b|\b(?:is|are|was|were|be|been) (?:postponed|delayed|moved|brought forward)\b/i;
const WEAK_HINT =
  /\b(?:not|but|now|should|other|different|again|fine|allowed|n(?:'|’)t|(?:stay|remain)s? at)\b|, so\b/i;
/** Matches a sentence that ends a rule as such: "The rule about reviews no longer applies." */
export const ENDS_RULE =
  /\b(?:no longer (?:applies|apply|holds?|valid|in force)|does(?:n(?:'|’)t| not) apply (?:any ?more|any longer)|(?:is|are|was|were) (?:lifted|abolished|revoked))\b|(?<!\p{L})(?:gilt nicht mehr|aufgehoben|ya no (?:se aplica|vale)|ne s['’]applique plus|(?:já )?não se aplica mais|já não se aplica)(?!\p{L})|不再适用|作废|取消了这条|適用され(?:ない|ません)|なしになりました/iu;
/** Words that permit what a rule forbids. */
export const PERMITS = /\b(?:may|can|could|allowed|fine|ok(?:ay)?|lifted|over)\b/i;
