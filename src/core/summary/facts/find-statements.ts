/**
 * Reads what a sentence does: forbids or demands, decides, leaves something to do, reports something done, asks, or
 * says what all this is for. It goes by turns of phrase in English and by the marks of lists; a sentence it does not
 * understand is none of these.
 *
 * Constraints are never evicted from a summary, so the bar for them is the highest: a wish or a memory with "always"
 * in it ("I have always loved it") is not one.
 */
import type { FactKind, FactStatus } from "../record.ts";
import type { Sentence } from "./split-sentences.ts";

export interface Statement {
  readonly kind: FactKind;
  readonly text: string;
  readonly status?: FactStatus | undefined;
}

/** What the user's sentence states. Only the user gives constraints and goals. */
export function readUserSentence(sentence: Sentence): readonly Statement[] {
  if (sentence.isQuoted) return [];
  const isConstraint = sentence.box === undefined && demands(sentence.text);
  const constraint: readonly Statement[] = isConstraint ? [{ kind: "constraint", text: sentence.text }] : [];
  const goal: readonly Statement[] = GOAL.test(head(sentence.text)) ? [{ kind: "goal", text: sentence.text }] : [];
  const stated = [...constraint, ...goal, ...readSentence(sentence)];
  return stated.length === 0 && defines(sentence.text) ? [{ kind: "definition", text: sentence.text }] : stated;
}

/** "The account is acc-7731": a short sentence that gives a name or a figure to something. */
function defines(text: string): boolean {
  if (text.length > LONGEST_DEFINITION || isQuestion(text) || PRONOUN.test(text)) return false;
  const match = DEFINITION.exec(text);
  return match !== null && /\d|[A-Za-z][-_./@:][A-Za-z]|[a-z][A-Z]/.test(match[1] ?? "");
}

const LONGEST_DEFINITION = 160;
/** What a sentence is about that begins so stands in another one. */
const PRONOUN = /^(?:it|this|that|these|those|they|there|he|she|which|what|who|here)\b/i;
const DEFINITION =
  /\b(?:is|are|equals|is called|is named|goes by|lives at|runs (?:on|at)|stands at)\s+(?:called\s+|named\s+|at\s+|on\s+)?(["'`]?[^\s"'`]{3,80}["'`]?(?:\s+[A-Za-z%€$]{1,12})?)[.!]?$/i;

/** What anybody's sentence states. */
export function readSentence({ text, isQuoted, box }: Sentence): readonly Statement[] {
  if (isQuoted) return [];
  if (box !== undefined) return [{ kind: "open-item", text, status: box }];
  const start = head(text);
  const labelled = readLabel(text);
  if (labelled !== undefined) return [labelled];
  if (isQuestion(text)) return [];
  if (DECISION.test(start)) return [{ kind: "decision", text }];
  if (DONE.test(start)) return [{ kind: "open-item", text, status: "done" }];
  return STILL_OPEN.test(start) ? [{ kind: "open-item", text, status: "open" }] : [];
}

/** `TODO: …`, `Next step: …`, `Done: …`, `Decision: …`, `Open question: …`. */
function readLabel(text: string): Statement | undefined {
  const match = LABEL.exec(text.slice(0, LONGEST_LABEL));
  const rest = match === null ? "" : text.slice(match[0].length).trim();
  if (match === null || rest === "") return undefined;
  const label = (match[1] ?? "").toLowerCase();
  if (label.includes("question")) return { kind: "question", text: rest, status: "open" };
  if (label.startsWith("decision") || label === "decided") return { kind: "decision", text: rest };
  if (DONE_LABELS.has(label)) return { kind: "open-item", text: rest, status: "done" };
  return { kind: "open-item", text: rest, status: "open" };
}

const LONGEST_LABEL = 60;
const LABEL =
  /^\*{0,2}(to-?do|next(?: steps?)?|still (?:to do|open)|remaining|left to do|pending|action item|open questions?|unresolved questions?|decisions?|decided|done|fixed|finished|completed)\*{0,2}\s{0,2}(?::|-{1,2}\s|–\s|—)\*{0,2}\s{0,4}/i;
const DONE_LABELS: ReadonlySet<string> = new Set(["done", "fixed", "finished", "completed"]);

/** The turns of phrase stand near the start; what follows is what they are about. */
function head(text: string): string {
  return text.slice(0, 400);
}

const GOAL =
  /\b(?:(?:the|my|our) (?:overall |main |real )?(?:goal|aim|objective|task) (?:is|here is|now is)|what (?:i|we) (?:really )?want is|the point (?:of this )?is to|i(?:'m| am) trying to|we(?:'re| are) trying to)\b/i;
const DECISION =
  /\b(?:(?:we|i|they)(?:'ve| have)? (?:decided|agreed|chose|settled)\b|decided (?:to|on|against)\b|let(?:'|’)?s (?:use|go with|stick with|switch to|keep|drop)\b|(?:we(?:'|’)re|we are|i(?:'|’)m|i am)? ?going with\b|we(?:'ll| will) (?:use|go with|keep|stick with)\b|settled on\b)/i;
const DONE =
  /^(?:(?:i|we)(?:'ve| have)? (?:now |just |already )?)?(?:fixed|finished|completed|implemented|added|removed|renamed|merged|deployed|released|resolved|updated|refactored|migrated|wrote|created)\b(?! (?:it|that|this)?[.!]?$)|\b(?:is|are) (?:now )?(?:done|fixed|finished|complete|deployed|merged)\b|\ball (?:\d+ )?(?:tests|checks) (?:now )?pass(?:ed)?\b/i;
const STILL_OPEN =
  /\b(?:still (?:needs?|have|has) to|still (?:to do|missing|failing|open)|(?:needs?|remains?) to be|(?:is|are) not (?:yet )?(?:done|finished|fixed|implemented)|next(?:,| step is| we (?:need|have) to| i(?:'ll| will))|(?:todo|fixme)\b)/i;

function isQuestion(text: string): boolean {
  return text.endsWith("?") || text.endsWith("？");
}

function demands(sentence: string): boolean {
  const text = head(sentence);
  if (isQuestion(sentence) || sentence.length < 8) return false;
  return PLAIN_DEMAND.test(text) || STANDING_LIMIT.test(text) || hasImperative(text);
}

/** What somebody cannot, does not or will not, and what holds from now on. "I can't wait" is none of these. */
const STANDING_LIMIT =
  /\b(?:(?:can(?:'|’)t|cannot|can not|won(?:'|’)t) (?:spend|afford|pay|use|do|eat|drink|go|leave|arrive|have|take|change|touch|drive|fly|walk|climb|travel|come|exceed|be|work|stay|start)\b|(?:don(?:'|’)t|do not|doesn(?:'|’)t|does not) (?:want|eat|drink|like|use|allow|accept|support|fly|drive)\b|(?:is|am|are|(?:'|’)m|(?:'|’)s) (?:allergic|intolerant|vegetarian|vegan)\b|from now on|going forward|(?:we|i) (?:only )?use \S+,? (?:not|instead of|rather than)\b|^(?:please )?keep (?:the|all|my|our|every|this|that|these|those)\b.{0,80}\b(?:as (?:it is|they are|is)|unchanged|intact|the same)\b|^no (?!problem|worries|thanks|thank|idea|need|doubt|wonder|way|one\b|kidding|rush|question|matter)[a-z]+(?: [a-z-]+){0,3}[.!]?$)/i;

const PLAIN_DEMAND =
  /\b(?:must(?!'ve| have| be (?:nice|fun|great|hard|so|very)\b)|mustn(?:'|’)t|(?:should|shall|may|can) (?:not|never|always|only)\b|shouldn(?:'|’)t|(?:make|be) sure (?:to|that|not|you|it|the|we|every|all)\b|ensure (?:that|the|it|every|all|no)\b|under no circumstances|(?:is|are) (?:not allowed|forbidden|off.limits)|no more than|at most|only (?:use|edit|change|touch|modify|write|run|read|work|in|for|with|if|when|after|via|through)\b|use only|(?:nothing|anything) (?:else )?(?:but|except|other than)|without (?:changing|touching|breaking|modifying|adding|removing|using)\b)/i;

/** "Never", "always", "do not" and "avoid" where they command: not after somebody of whom they are told. */
function hasImperative(text: string): boolean {
  for (const match of text.matchAll(IMPERATIVE)) {
    const before = /(\S+)\s*$/.exec(text.slice(Math.max(0, match.index - 30), match.index))?.[1]?.toLowerCase() ?? "";
    const after = /^\s*([A-Za-z']+)/.exec(text.slice(match.index + match[0].length))?.[1]?.toLowerCase() ?? "";
    if (!TOLD_OF.has(before) && after !== "" && !IDLE.has(after)) return true;
  }
  return false;
}

const IMPERATIVE = /\b(?:never|always|do not|don(?:'|’)?t|avoid)\b/gi;
const TOLD_OF: ReadonlySet<string> = new Set(
  "i i've i'd i'm he she they you people who it was were is are am has have had he's she's they've you've has why which that but almost nearly not as to really just still would could did does can will i'll and".split(
    " ",
  ),
);
const IDLE: ReadonlySet<string> = new Set(
  "worry know think mind want care see get understand have need believe like remember mean feel been had was really wanted loved".split(
    " ",
  ),
);
