/**
 * What a sentence states where people with names talk to each other. Most of what they decide, finish or still have to
 * do is told of themselves, and belongs to the story; a fact is what several of them agreed on, what one resolved to do,
 * what was noted with a label, what nobody may do, and what somebody said a thing's number or address is.
 */
import type { Claim } from "../record/record.ts";
import type { Sentence } from "../text/split-sentences.ts";
import { demands } from "./find-demands.ts";
import { readDefinition, readLabel, type Statement } from "./find-statements.ts";
import { isQuestion } from "./is-question.ts";
import { decidesElsewhere } from "./non-english-cues.ts";

export function readTalkSentence({ text, isQuoted, box }: Sentence, speaker?: string): readonly Statement[] {
  if (isQuoted) return [];
  if (box !== undefined) return [{ kind: "open-item", text, status: box }];
  const labelled = readLabel(text);
  if (labelled !== undefined) return [labelled];
  if (isQuestion(text)) return [];
  if (demands(text, { isTalk: true })) return [{ kind: "constraint", text }];
  const start = text.slice(0, LOOK_CHARACTERS);
  if (GOAL.test(start)) return [{ kind: "goal", text }];
  if ((DECISION.test(start) && !UNDECIDED.test(start)) || decidesElsewhere(start)) return [{ kind: "decision", text }];
  return EXACT.test(text) ? readDefinition(text, speaker) : [];
}

const LOOK_CHARACTERS = 400;

const GOAL =
  /\b(?:the|our) (?:overall |main |real )?(?:goal|aim|objective|purpose) (?:of|for) (?:this|the|our|today)\b.{0,60}\b(?:is|are)\b/i;
const DECISION =
  /\b(?:we|they)(?:(?:'|’)ve| have)?(?: all| both| finally| just| already)? (?:decided|agreed|settled|chose) (?:to|on|that|upon|against|for|the|a)\b|\b(?:i|he|she)(?:(?:'|’)ve|(?:'|’)s| have| has)?(?: finally| just| already)? decided (?:to|on|against|that)\b|\b(?:so |then |okay,? )?let(?:'|’)?s (?:use|go with|stick with|switch to)\b|\b(?:we(?:'|’)re|we are) going with\b|\bwe(?:(?:'|’)ll| will) (?:go with|stick with)\b/i;
/** Of others, of a condition, and of what is not known yet. */
const UNDECIDED =
  /\b(?:if|whether|when|before|until|unless|once) (?:we|they|i|he|she)\b|\b(?:not|never|nobody|haven(?:'|’)t|hasn(?:'|’)t|didn(?:'|’)t) (?:yet )?(?:decided?|agreed?|settled?|chose)\b|\b(?:don(?:'|’)t|do not) know\b/i;
/** A number, or a name with signs in it. */
const EXACT = /\d|[A-Za-z][_/@][A-Za-z]/;

/**
 * Names that are worth a place of their own in talk: addresses and codes. Dates, numbers and words with a
 * capital inside mean something only in the line that says what they are of.
 */
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

/** Letters with two digits at least. */
const CODE = /^(?=.*\p{L})(?=(?:\D*\d){2})(?!\p{L}+-\d{1,2}$)/u;
