/**
 * Judges by its wording whether a message may need something that was said earlier. Small talk and "continue" need
 * nothing. A question about a named person or thing, or a reference to the past, needs a modest match; other
 * questions, and statements that name a person or thing, must match far better before something is recalled. A question
 * about one known thing, "the piano", may match by this word alone.
 */
import { type LanguageCode, listOtherLanguages } from "../language/detect-language.ts";
import { listWords } from "../language/list-words.ts";
import {
  ABOUT_SUBJECT,
  CONTINUE,
  FIRST_PERSON,
  OWN_PAST,
  PAST_REFERENCE,
  SECOND_PERSON,
} from "../language/request-words.ts";
import { termsOf } from "../language/words.ts";
import { isAsking, recognizeRequest } from "./recognize-request.ts";

export interface QueryNeed {
  /**
   * `search`: the caller asked for passages, so any text is searched for. `subject`: a question about one known thing.
   * `name`: only a name indicates that the text is about something known.
   */
  readonly type: "nothing" | "mention" | "question" | "subject" | "name" | "reference" | "search";
  /** The part of the message that is searched for. */
  readonly text: string;
}

export function judgeQuery(query: string): QueryNeed {
  const text = removeVocatives(query).trim();
  if (text === "" || CONTINUE.test(text)) return { type: "nothing", text };
  const request = recognizeRequest(text);
  switch (request.type) {
    case "greeting":
    case "thanks":
    case "goodbye":
    case "capabilities":
      return { type: "nothing", text };
    case "summary":
      return termsOf(request.about).length === 0
        ? { type: "nothing", text }
        : { type: "question", text: request.about };
    case "decisions":
    case "who-said":
      return { type: "reference", text };
    default:
      return judgeSentences(text);
  }
}

/** Limits the search to the questions and requests of a message, if it has some that are not small talk. */
function judgeSentences(text: string): QueryNeed {
  const sentences = text.split(SENTENCE_END).filter((sentence) => /[\p{L}\p{N}]/u.test(sentence));
  const references = sentences.filter(isReference);
  if (references.length > 0) {
    const type = references.every(refersByName) ? "name" : "reference";
    return { type, text: references.join(" ") };
  }
  const asked = sentences.filter((sentence) => isDemand(sentence) && !asksPartner(sentence));
  const wanted = asked.filter((sentence) => !wantsNew(sentence));
  if (wanted.length > 0) {
    const isAboutSubject = wanted.some((sentence) => ABOUT_SUBJECT.test(sentence));
    return { type: isAboutSubject ? "subject" : "question", text: asked.join(" ") };
  }
  if (asked.length > 0) return { type: "mention", text: asked.join(" ") };
  return { type: sentences.some(namesSomething) ? "mention" : "nothing", text };
}

/** Returns true for a sentence with an identifier, and for a request with a name or a reference to the past. */
function isReference(sentence: string): boolean {
  if (IDENTIFIER.test(sentence)) return true;
  if (!isDemand(sentence) || EDITING.test(sentence)) return false;
  return refersToPast(sentence) || namesSomething(sentence);
}

function refersToPast(sentence: string): boolean {
  // "Could you write" is an order, but "did you write" refers to the past.
  if (PAST_REFERENCE.test(sentence.replace(POLITE_START, "")) || NUMBERED.test(sentence)) return true;
  return OWN_PAST.test(sentence) && !addressesPartner(sentence);
}

/** Returns true if only a name indicates that the sentence is about something known. */
function refersByName(sentence: string): boolean {
  return !IDENTIFIER.test(sentence) && !refersToPast(sentence);
}

/** Returns true for a question about the other person now, such as "Do you like music?". */
function asksPartner(sentence: string): boolean {
  return addressesPartner(sentence.replace(POLITE_START, "")) && !FIRST_PERSON.test(sentence);
}

function addressesPartner(sentence: string): boolean {
  const [language, ...others] = listOtherLanguages(sentence);
  const homonym = language === undefined || others.length > 0 ? undefined : HOMONYMS[language];
  return SECOND_PERSON.test(homonym === undefined ? sentence : sentence.replace(homonym, " "));
}

/** Words that mean "you" in another language only. */
const HOMONYMS: Partial<Record<LanguageCode, RegExp>> = {
  fr: /(?<!\p{L})du(?!\p{L})/giu,
  es: /(?<!\p{L})ya(?!\p{L})/giu,
};

/** Returns true for a request for something new, such as "Write a poem", or for an edit of a text in the message. */
function wantsNew(sentence: string): boolean {
  return NEW_THING.test(sentence) || EDITING.test(sentence);
}

/** In German all nouns are capitalized, so only long compounds and words after a verb or preposition count as names. */
function namesSomething(sentence: string): boolean {
  return (listOtherLanguages(sentence)[0] === "de" ? NAME_IN_GERMAN : NAME_INSIDE).test(sentence);
}

function isDemand(sentence: string): boolean {
  return isAsking(sentence) || IMPERATIVE.test(sentence);
}

/** Removes names between punctuation marks: they address a person and are not what a sentence is about. */
function removeVocatives(text: string): string {
  return text.replace(VOCATIVE, "$1");
}

const SENTENCE_END = /(?<=[.!?。！？]["')\]]?)\s+|(?<=[。！？])|\n+/u;
const VOCATIVE =
  /(^|[,.!?]\s+|\b(?:[Hh]ey|[Hh]i|[Hh]ello|[Tt]hanks|[Ww]ow|[Oo]h|[Yy]eah|[Yy]es|[Ss]orry|[Cc]ongrats|[Tt]hank you)\s)\p{Lu}\p{Ll}+(?=\s*[,.!?])/gu;
const NAME_IN_GERMAN =
  /(?<!\p{L})(?:mit|von|bei|für|an|nach|aus|in|und|hat|ist|war|kommt|kam|wohnt|macht|sagte|meinte|heißt|will|wollte|soll|kann|arbeitet|fährt|geht|trifft) \p{Lu}[\p{Ll}\d]+|\s\p{Lu}\p{Ll}{11,}/u;
const NAME_INSIDE =
  /[\p{L}\d,]\s["'“]?(?!(?:January|February|March|April|May|June|July|August|September|October|November|December|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day)(?!\p{L}))\p{Lu}[\p{Ll}\d]+/u;
/** Matches paths, code identifiers and issue numbers: a text that names one is about it. A path starts once in a word. */
const IDENTIFIER =
  /(?<![\w/])(?:(?<![.-])[\w.-]+\/[\w./-]*\w|\w+\.[a-z]{1,4}\d?(?![\w.])|[a-z\d]+(?:_[a-z\d]+)+|[a-z][a-z\d]*[A-Z]\w+|[A-Z\d]+(?:_[A-Z\d]+)+|[A-Z]{2,}[-_]?\d+|#\d+|[0-9a-f]{7,40})(?!\w)/u;
/** A number that belongs to a word, as in "crate 18", and not to a sum. */
const NUMBERED = /\p{L}\s(?:number\s|no\.\s?)?#?\d+(?!\d)(?![\d.,]*\s*[-+*/×=%])/iu;
const POLITE =
  "^(?:(?:please|now|then|so|ok(?:ay)?|let's|and|also|(?:can|could|would|will) you|bitte|kannst du|por favor|puedes|s['’]il te plaît|peux-tu|você pode|请)[\\s,]+){0,3}";
const POLITE_START = new RegExp(POLITE, "iu");
/** Orders about existing things, also those that coding agents get. */
const ORDERS =
  listWords(`use open show give tell find check look run apply write add fix update change put set remind remember
  recall repeat redo send list compare restore revert explain describe make get let implement create build refactor rename
  move remove delete drop install configure deploy investigate debug test replace merge rerun bump document extend split
  convert migrate review read figure try ensure simplify clean switch start finish resume handle support rework optimize
  optimise wire verify
  nimm nutze zeig schreib mach bau prüfe ändere entferne usa pon muestra dime busca recuérdame haz cambia quita arregla
  utilise montre dis-moi rappelle-moi fais change enlève corrige mostra mostre diga lembra faz faça muda corrige`);
const IMPERATIVE = new RegExp(
  `${POLITE}(?:${ORDERS.join("|")})(?!\\p{L})|^(?:请)?(?:用|按|使|告诉我|提醒我|列出)`,
  "iu",
);
/** A verb and an indefinite object. */
const NEW_THING = new RegExp(
  `${POLITE}\\p{L}+(?: me| us| mir| uns)? (?:an?|some|another|several|one|two|three|four|five|ten|\\d+|ein|eine[nr]?|una?|unos|unas|une|des|uma?|algumas?)(?: |$)`,
  "iu",
);
const EDITING = new RegExp(
  `${POLITE}(?:translate|rewrite|rephrase|reword|proofread|convert|compute|calculate|(?:check|correct|fix) (?:my|the|this) (?:grammar|spelling|english|text)|übersetze?|traduce|traduis|traduza?)(?!\\p{L})`,
  "iu",
);
