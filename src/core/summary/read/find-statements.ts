/** Classifies sentences by phrases and list marks: as a demand, a decision, an open item or another kind of fact. */

import { hasNonEnglishCue, listCourseCues } from "../../language/cues/non-english-cues.ts";
import type { Claim, FactKind, FactStatus } from "../record/record.ts";
import type { Sentence } from "../text/split-sentences.ts";
import { isDemand, isQuestion } from "./find-demands.ts";
import { isChange } from "./find-reversals.ts";

export interface FactStatement {
  readonly kind: FactKind;
  readonly text: string;
  readonly status?: FactStatus | undefined;
  /** Identifies the fact instead of its text. */
  readonly identity?: string | undefined;
}

/** Reads constraints and goals too, which only the user can set. */
export function readUserSentence(sentence: Sentence): readonly FactStatement[] {
  if (sentence.isQuoted) return [];
  const isConstraint = sentence.box === undefined && isDemand(sentence.text, { isTalk: false });
  const constraint: readonly FactStatement[] = isConstraint ? [{ kind: "constraint", text: sentence.text }] : [];
  const goal: readonly FactStatement[] = GOAL.test(takeStart(sentence.text))
    ? [{ kind: "goal", text: sentence.text }]
    : [];
  const read = readSentence(sentence);
  const isDecided = constraint.length === 0 && read.length === 0 && isChange(sentence.text);
  const change: readonly FactStatement[] = isDecided ? [{ kind: "decision", text: sentence.text }] : [];
  const stated = [...constraint, ...goal, ...read, ...change];
  return stated.length === 0 ? readDefinition(sentence.text) : stated;
}

/** A later definition of the same subject replaces the earlier one. */
export function readDefinition(text: string, speaker?: string): readonly FactStatement[] {
  if (!isDefinition(text)) return [];
  const subject = text.slice(0, DEFINITION.exec(text)?.index ?? 0).trim();
  if (subject.length < MIN_SUBJECT_CHARACTERS || !subject.includes(" ")) return [{ kind: "definition", text }];
  const owner = OWN.test(subject) ? (speaker ?? "") : "";
  return [{ kind: "definition", text, identity: `${owner}\n${subject}` }];
}

const MIN_SUBJECT_CHARACTERS = 8;
/** Subjects such as "my number", which differ by speaker. */
const OWN = /^(?:my|our)\b/i;

/** Returns true for a short sentence that defines a name: "The account is acc-7731". */
function isDefinition(text: string): boolean {
  if (text.length > MAX_DEFINITION_CHARACTERS || isQuestion(text)) return false;
  if (NOTED.test(text)) return NAMED.test(text);
  if (PRONOUN.test(text)) return false;
  const match = DEFINITION.exec(text);
  return match !== null && NAMED.test(match[1] ?? "");
}

const NAMED = /\d|[A-Za-z][-_./@:][A-Za-z]|[a-z][A-Z]/;
const NOTED = /^(?:please )?(?:note|remember|keep in mind|bear in mind) that\b/i;

const MAX_DEFINITION_CHARACTERS = 160;
/** Subjects that refer to the sentence before. */
const PRONOUN = /^(?:it|this|that|these|those|they|there|he|she|which|what|who|here)\b/i;
const DEFINITION =
  /\b(?:is|are|equals|is called|is named|goes by|lives at|runs (?:on|at)|stands at)\s+(?:called\s+|named\s+|at\s+|on\s+)?(["'`]?[^\s"'`]{3,80}["'`]?(?:\s+[A-Za-z%€$]{1,12})?)[.!]?$/i;

export function readSentence({ text, isQuoted, box }: Sentence): readonly FactStatement[] {
  if (isQuoted) return [];
  if (box !== undefined) return [{ kind: "open-item", text, status: box }];
  const start = takeStart(text);
  const labeled = readLabel(text);
  if (labeled !== undefined) return [labeled];
  if (isQuestion(text)) return [];
  if (isReversal(text) || isDecision(start)) return [{ kind: "decision", text }];
  if (isDone(start)) return [{ kind: "open-item", text, status: "done" }];
  const isOpen = MARKED_OPEN.test(start) || (STILL_OPEN.test(start) && !NOT_OPEN.test(start));
  if (isOpen || hasNonEnglishCue(start, "open")) return [{ kind: "open-item", text, status: "open" }];
  return hasNonEnglishCue(start, "done") ? [{ kind: "open-item", text, status: "done" }] : [];
}

/** Returns true for a sentence about the next action of an agent: "Let me look at the tests." */
export function isAnnouncement(text: string): boolean {
  return INTENT.test(text);
}

const INTENT =
  /^(?:(?:ok(?:ay)?|good|great|perfect|excellent|now|next|first|so|and|then|but|right|alright|all right|hmm|wait|yes)[,.!:]? )*(?:let me|let(?:'|’)?s (?:look|see|check|try|start|run|take|find|search|verify)|i(?:(?:'|’)ll| will| need to| should| want to) (?:now |first |also |just |start by |begin by )?(?:look|check|see|read|run|search|start|take|try|verify|explore|examine|inspect|find|use|go|get|review|continue|investigat\w*|reading|looking|exploring))\b/i;

export function isReversal(text: string): boolean {
  return REVERSAL.test(text);
}

const REVERSAL =
  /^(?:\W{0,4}(?:ok(?:ay)?|so|now|then|done|right),? )?(?:(?:i|we)(?:(?:'|’)ve| have)? )?(?:now |just |already |therefore )?(?:reverted|undid|undone|rolled back|backed out|took back)\b(?!(?: (?:it|that|this))?[.!]?$)/i;

/** Returns true for a sentence such as "That did not work". */
export function isFailureReport(text: string): boolean {
  return text.length < MAX_FAILURE_CHARACTERS && FAILURE.test(text);
}

const MAX_FAILURE_CHARACTERS = 120;
const FAILURE =
  /^(?:(?:no|nope|hmm+|sorry|unfortunately|but|ok(?:ay)?)[,.]? )?(?:that|it|this)(?: fix| change)?(?: still)? (?:did(?:n(?:'|’)t| not)|does(?:n(?:'|’)t| not)) (?:work|help|fix (?:it|that|the \w+))\b(?! (?:for|like|that way|with) )/i;

function isDecision(start: string): boolean {
  return (DECISION.test(start) && !UNDECIDED.test(start)) || hasNonEnglishCue(start, "decision");
}

/** Matches encouragement ("let's keep going"), decisions of others, and open decisions. */
const UNDECIDED =
  /\b(?:let(?:'|’)?s|we(?:(?:'|’)ll| will)) keep (?:\w+(?:ing|in(?:'|’))\b|each other|up\b|it up|(?:an|our) (?:eye|fingers)|everyone|in touch|at it)|\b(?:be|been|being|not|never|nobody|who(?:'|’)?s?|haven(?:'|’)t|hasn(?:'|’)t) (?:yet )?(?:decided|agreed|settled)\b|\b(?:don(?:'|’)t|do not) know\b|\b(?:wonder|whether|if) (?:we|i)\b|\bkeep going\b/i;

function isDone(start: string): boolean {
  if (DONE_BY_SPEAKER.test(start) || ALL_PASS.test(start)) return true;
  return DONE_STATE.test(start) && !NOT_DONE.test(start) && !/\bbut\b/i.test(start);
}

/** Returns true for a sentence that may report finished work: "The field is validated now." */
export function isFinishedReport(text: string): boolean {
  if (isQuestion(text)) return false;
  const cues = listCourseCues(text);
  if (cues.length > 0) return cues.some(({ reported }) => reported.test(text)) && !hasNonEnglishCue(text, "open");
  return FINISHED.test(text) && !NOT_DONE.test(text);
}

const FINISHED =
  /\b(?:is|are|was|were|(?:has|have) been|got) (?:now |already |all |also )?[a-z]{2,}(?:ed|en|pt|nt|ne|ade|ut|et)\b|^(?:(?:i|we|he|she|they|my \w+|\p{Lu}\p{L}+)(?:(?:'|’)ve|(?:'|’)s| have| has)? (?:now |just |already )?|now )?(?:[a-z]{2,}ed|bought|built|did|made|sent|wrote|found|paid|got|took|told|met|cut|put|set) (?:the|all|both|an?|my|our)\b/iu;
/** Matches words for the future, a condition, or a permanent state. */
const NOT_DONE =
  /\b(?:when|whenever|if|before|until|once|whatever|unless|after|how|going to|will|would|should|must|make sure|ensure|needs?|policy|amount|price|fee|not|never|isn(?:'|’)t|aren(?:'|’)t|while|check|see)\b/i;

/** Reads labels: `TODO: …`, `Next step: …`, `Done: …`, `Decision: …`, `Open question: …`. */
export function readLabel(text: string): FactStatement | undefined {
  const match = LABEL.exec(text.slice(0, MAX_LABEL_CHARACTERS));
  const rest = match === null ? "" : text.slice(match[0].length).trim();
  if (match === null || rest === "") return undefined;
  const label = (match[1] ?? "").toLowerCase();
  if (label.includes("question")) return { kind: "question", text: rest, status: "open" };
  if (label.startsWith("decision") || label === "decided") return { kind: "decision", text: rest };
  if (DONE_LABELS.has(label)) return { kind: "open-item", text: rest, status: "done" };
  return { kind: "open-item", text: rest, status: "open" };
}

const MAX_LABEL_CHARACTERS = 60;
const LABEL =
  /^\*{0,2}(to-?do|next(?: steps?)?|still (?:to do|open)|remaining|left to do|pending|action item|open questions?|unresolved questions?|decisions?|decided|done|fixed|finished|completed)\*{0,2}\s{0,2}(?::|-{1,2}\s|–\s|—)\*{0,2}\s{0,4}/i;
const DONE_LABELS: ReadonlySet<string> = new Set(["done", "fixed", "finished", "completed"]);

/** Returns the start of a sentence, where the phrases are. */
function takeStart(text: string): string {
  return text.slice(0, 400);
}

const GOAL =
  /\b(?:(?:the|my|our) (?:overall |main |real )?(?:goal|aim|objective|task) (?:is|here is|now is)|what (?:i|we) (?:really )?want is|the point (?:of this )?is to|i(?:'|’)?(?:m| am) trying to|we(?:'|’)?(?:re| are) trying to)\b/i;
const DECISION =
  /\b(?:(?:we|i|they|the \w+)(?:(?:'|’)ve| have| has)?(?: finally| now| also| all| both| just| already)* (?:decided|agreed|chose|settled|opted|picked|voted)\b|(?:we|i)(?:(?:'|’)ll| will)? (?:go with|take|pick|opt for|stay with|stick with)\b|made up (?:my|our) minds?\b|^it(?:'|’)?s (?:settled|decided|agreed)\b|decided (?:to|on|against)\b|let(?:'|’)?s (?:use|go with|stick with|switch to|keep|drop)\b|(?:we(?:'|’)re|we are|i(?:'|’)m|i am) (?:going with|keeping|staying with|sticking with|taking)\b|we(?:(?:'|’)ll| will) (?:use|go with|keep|stick with)\b|settled on\b|(?:we|i)(?:(?:'|’)ve| have) (?:now |finally )?(?:chosen|picked|opted)\b|(?:board|team|committee|council|group|family|class) (?:has |have )?(?:agreed|decided|chose|voted)\b|^(?:ok(?:ay)?|so|well|good|right|fine)\b.{3,60}\bit is[.!]?$)/i;
const DONE_BY_SPEAKER =
  /^(?:(?:i|we)(?:(?:'|’)ve| have)? (?:now |just |already )?)?(?:fixed|finished|completed|implemented|added|removed|renamed|merged|deployed|released|resolved|updated|refactored|migrated|wrote|created)\b(?! (?:it|that|this)?[.!]?$)/i;
const DONE_STATE = /\b(?:is|are) (?:now |all )?(?:done|fixed|finished|complete|deployed|merged)\b/i;
const ALL_PASS = /\ball (?:\d+ )?(?:tests|checks) (?:now )?pass(?:ed)?\b/i;
const STILL_OPEN =
  /\b(?:still (?:needs?|have|has) to|still (?:to do|missing|failing|open|outstanding|pending|unresolved|undone)|(?:haven(?:'|’)t|hasn(?:'|’)t|have not|has not) (?:been )?(?!(?:decided|agreed|settled|seen|heard|met|tried|thought|chosen|had)\b)\w+(?:ed|en|t|ne|de) .{0,60}\byet\b|(?:don|doesn|isn|aren)(?:'|’)t (?!(?:know|decided|agreed|sure)\b).{1,60}\byet(?=[.!]?$)|(?:i|we) (?:still )?(?:have|need) to \w+ .{1,60}\b(?:today|tonight|tomorrow|this week|next week|by (?:mon|tues|wednes|thurs|fri|satur|sun)day)\b|(?:needs?|remains?) to be (?:\w+ed|\w+en|done|made|built|found|set|put|sent|run|redone|rebuilt)\b|(?:is|are) not (?:yet )?(?:done|finished|fixed|implemented)|(?<![\w)] )next,|next(?: step is| we (?:need|have) to| i(?:'ll| will)))/i;
/** Matches capitals only, because "todo" is a Spanish word. */
const MARKED_OPEN = /\b(?:TODO|FIXME)\b/;
const NOT_OPEN =
  /\b(?:don(?:'|’)t|doesn(?:'|’)t|do not|does not|if|people|those|these people) (?:still )?needs? to be\b/i;

/**
 * Reads a sentence of a conversation between named people. Only agreements, labeled notes, bans, and definitions of
 * a number or an address are facts; other decisions and actions belong to the story.
 */
export function readTalkSentence({ text, isQuoted, box }: Sentence, speaker?: string): readonly FactStatement[] {
  if (isQuoted) return [];
  if (box !== undefined) return [{ kind: "open-item", text, status: box }];
  const labeled = readLabel(text);
  if (labeled !== undefined) return [labeled];
  if (isQuestion(text)) return [];
  if (isDemand(text, { isTalk: true })) return [{ kind: "constraint", text }];
  const start = text.slice(0, LOOK_CHARACTERS);
  if (TALK_GOAL.test(start)) return [{ kind: "goal", text }];
  if ((TALK_DECISION.test(start) && !TALK_UNDECIDED.test(start)) || hasNonEnglishCue(start, "decision"))
    return [{ kind: "decision", text }];
  return EXACT.test(text) ? readDefinition(text, speaker) : [];
}

const LOOK_CHARACTERS = 400;

const TALK_GOAL =
  /\b(?:the|our) (?:overall |main |real )?(?:goal|aim|objective|purpose) (?:of|for) (?:this|the|our|today)\b.{0,60}\b(?:is|are)\b/i;
const TALK_DECISION =
  /\b(?:we|they)(?:(?:'|’)ve| have)?(?: all| both| finally| just| already)? (?:decided|agreed|settled|chose) (?:to|on|that|upon|against|for|the|a)\b|\b(?:i|he|she)(?:(?:'|’)ve|(?:'|’)s| have| has)?(?: finally| just| already)? decided (?:to|on|against|that)\b|\b(?:so |then |okay,? )?let(?:'|’)?s (?:use|go with|stick with|switch to)\b|\b(?:we(?:'|’)re|we are) going with\b|\bwe(?:(?:'|’)ll| will) (?:go with|stick with)\b/i;
/** Matches decisions of others, conditions, and open decisions. */
const TALK_UNDECIDED =
  /\b(?:if|whether|when|before|until|unless|once) (?:we|they|i|he|she)\b|\b(?:not|never|nobody|haven(?:'|’)t|hasn(?:'|’)t|didn(?:'|’)t) (?:yet )?(?:decided?|agreed?|settled?|chose)\b|\b(?:don(?:'|’)t|do not) know\b/i;
const EXACT = /\d|[A-Za-z][_/@][A-Za-z]/;

/** Returns true for URLs and codes, which make sense alone. Dates and numbers need their line. */
export function isTalkName({ kind, text }: Claim): boolean {
  switch (kind) {
    case "path":
    case "url":
    case "hash":
    case "secret":
      return true;
    case "identifier":
    case "version":
      return CODE.test(text);
    case "number":
    case "date":
    case "time":
    case "statement":
      return false;
    default:
      return kind satisfies never;
  }
}

/** Matches a code with letters and at least two digits. */
const CODE = /^(?=.*\p{L})(?=(?:\D*\d){2})(?!\p{L}+-\d{1,2}$)/u;
