/**
 * Finds sentences that take back what was decided or asked before: "New decision: no rented players", "use SQLite
 * instead", "never mind the docs". Reads English phrases.
 */

/** Returns true for a sentence of the user that changes an earlier statement. */
export function isChange(sentence: string): boolean {
  const text = sentence.slice(0, READ_CHARACTERS);
  return !text.endsWith("?") && !FOR_NOW.test(text) && (CHANGE.test(text) || isChangeOfMind(text));
}

/** Returns true if the sentences after this one say what holds now. */
export function isChangeOfMind(sentence: string): boolean {
  return CHANGE_OF_MIND.test(sentence.slice(0, READ_CHARACTERS));
}

/** Returns true for a change that says what holds instead. */
export function isReplacement(text: string): boolean {
  return isChangeOfMind(text) || /\b(?:instead|actually|switch(?:ing)? to)\b/i.test(text);
}

/** Returns true for a decision between alternatives. */
export function isChoice(text: string): boolean {
  return CHOICE.test(text);
}

const CHOICE =
  /\b(?:us(?:e|ing)|go(?:ing)? with|switch(?:ing)? to|stick(?:ing)? with|chose|picked|settled on|decided)\b/i;
const READ_CHARACTERS = 300;
/** A task is only put off. */
const FOR_NOW = /\bfor (?:today|now|the moment|a (?:while|moment|minute))\b/i;

const CHANGE_OF_MIND =
  /\b(?:new decision|(?:changed|change) (?:my|our) minds?|on second thoughts?|scratch that|(?:take|taking) (?:that|it) back)\b|^correction\b/i;
const CHANGE =
  /^(?:\W{0,3}(?:ok(?:ay)?|so|no|well|wait|sorry|actually|hmm+|and|but|please|then)[,.!:]? )*(?:never ?mind (?:the|about|my)\b|forget (?:about )?(?:the|my)\b|(?:scrap|drop|skip) (?:the|my|that)\b|no need (?:to|for)\b|let(?:'|’)?s not\b|(?:we|i)(?:(?:'|’)(?:re|m)| are| am)? (?:not (?:going with|using|doing)|no longer\b))|\bno longer (?:need|want|use|required|necessary|planned|a goal)\b|\bafter all\b|\binstead(?: of\b|[.!]?$)|\b(?:switch|go|move) (?:back )?to \S.{0,60} (?:instead|again)\b|\b(?:is|are) off(?: the table)?[.!]?$|\bactually,? (?:let(?:'|’)?s|use|keep|make|go with)\b|\b(?:reverse|revert|undo) (?:the|that|this|our|my) decision\b/i;
