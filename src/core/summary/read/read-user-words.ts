/**
 * Reads what the user typed in a message, as one line in the user's words. Leaves out code blocks, blocks that programs
 * inject, quoted summaries, and messages that only greet or agree. Shortens a pasted text to its two ends, where
 * requests are.
 */
import { CONTINUE } from "../../language/request-words.ts";
import { contentStems, contentWords } from "../../language/words.ts";
import type { Message } from "../../message/message.ts";
import { withoutSummary } from "../record/cover-text.ts";
import { foldLine, LEFT_OUT, shortenWords } from "../text/fold-line.ts";
import { takeTextEnds, takeUserPart } from "../text/message-texts.ts";
import { isGreeting, isQuestion } from "./find-demands.ts";
import { asksForWork } from "./find-requests.ts";

export function readUserWords({ role, parts }: Message): string {
  if (role !== "user") return "";
  const texts = parts.flatMap((part) => (part.type === "text" ? [takeUserPart(part).text] : []));
  const line = foldLine(withoutCode(takeTextEnds(withoutSummary(texts.join("\n")), READ_CHARACTERS)));
  return isGreeting(line) || hasOnlyApproval(line) ? "" : takeLineEnds(line);
}

const READ_CHARACTERS = 4_000;
const MAX_LINE_CHARACTERS = 2_000;
/** Characters kept at each end of a longer text. */
const HEAD_CHARACTERS = 1_200;
const TAIL_CHARACTERS = 600;

function takeLineEnds(line: string): string {
  if (line.length <= MAX_LINE_CHARACTERS) return line;
  const space = line.indexOf(" ", line.length - TAIL_CHARACTERS);
  const head = shortenWords(line, HEAD_CHARACTERS);
  return space < 0 ? head : `${head.slice(0, head.lastIndexOf(" "))} ${LEFT_OUT} ${line.slice(space + 1)}`;
}

const FENCE = /^\s*(?:```|~~~)/;

function withoutCode(text: string): string {
  if (!text.includes("```") && !text.includes("~~~")) return text;
  let isCode = false;
  const kept = text.split("\n").filter((line) => {
    if (!FENCE.test(line)) return !isCode;
    isCode = !isCode;
    return false;
  });
  return kept.join("\n");
}

/** Returns true for "Great, thanks." and false for a number, which may choose one of several options. */
export function hasOnlyApproval(line: string): boolean {
  if (line.length >= MAX_APPROVAL_CHARACTERS || /\d/.test(line)) return false;
  return CONTINUE.test(line) || contentWords(line).every((word) => APPROVAL.has(word));
}

const MAX_APPROVAL_CHARACTERS = 40;
const APPROVING =
  "yes yep yeah ok okay sure thanks thank right correct exactly good great perfect excellent nice fine cool";
const APPROVAL: ReadonlySet<string> = new Set(APPROVING.split(" "));

/** Returns true if a sentence of a message states something, instead of asking for work or answering. */
export function tellsFact(line: string): boolean {
  return line.slice(0, READ_CHARACTERS).split(SENTENCE_END).some(isStatement);
}

const SENTENCE_END = /(?<=[.!?…])\s+|(?<=[。！？])/u;

function isStatement(sentence: string): boolean {
  if (isQuestion(sentence) || POINTS_BACK.test(sentence) || isAgreement(sentence)) return false;
  return contentStems(sentence).size >= MIN_STATED_STEMS && !asksForWork(sentence);
}

const MIN_STATED_STEMS = 3;
/** Matches the start of a sentence about the one before it: "It is in src/index.ts." */
const POINTS_BACK = /^(?:it|this|that|these|those|they|he|she|there|then|so)\b/i;

/** Returns true for a text that only answers, such as "Yes, that was it". */
export function isAgreement(text: string): boolean {
  return AGREEING.test(text) && text.split(" ").length <= MAX_AGREEING_WORDS;
}

const AGREEING = /^(?:yes|yep|yeah|no|nope|ok|okay|sure|thanks|thank you|right|correct|exactly)\b/i;
const MAX_AGREEING_WORDS = 4;

/** Returns true for a closing phrase of an assistant: "Let me know if you need anything else." */
export function isCourtesy(text: string): boolean {
  return text.length <= MAX_COURTESY_CHARACTERS && COURTESY.test(text);
}

const MAX_COURTESY_CHARACTERS = 200;
const COURTESY =
  /^(?:(?:once |if )[^,]{0,80}, )?(?:(?:please )?(?:feel free to|(?:don(?:'|’)t|do not) hesitate to)\b|(?:please )?let me know (?:if|how|whether) (?:you|there|i can)\b|(?:is there )?anything else (?:i|you)\b|have a (?:great|nice|good|wonderful|lovely|pleasant|safe)\b|you(?:'|’)re (?:very |most )?welcome\b|safe travels\b|if you (?:have|need) any(?:thing)?\b.{0,60}(?:let me know|feel free|reach out|here to)|i(?:'|’)m here to (?:help|assist)|(?:i(?:'|’)m )?(?:glad|happy) to (?:help|assist)|thank(?:s| you)(?: so much| very much)?(?: for your (?:patience|understanding|help|time))?[.!]?$)/i;
