/**
 * Decides whether the answer of a summarizer may replace a stretch: accepts it, requests it again, or rejects it by a
 * named rule. Looks only at the answer; `verify` checks it against its source.
 */
import { countText } from "../../tokens/count-text.ts";
import { type TrimOptions, trimSummary } from "../record/trim-summary.ts";
import { cleanMarkup, proseOf, stripScratchpad } from "./clean-answer.ts";
import {
  countWords,
  isAcknowledgment,
  isEmptyTemplate,
  isRefusal,
  isThinkingAloud,
  isToolCall,
} from "./recognize-answer.ts";
import { findJunk, isRepetitive, repeatsWords } from "./recognize-junk.ts";

export const SUMMARY_RULES = {
  empty: "The answer is empty.",
  "reasoning-only": "The answer has reasoning but no summary.",
  "tool-call": "The answer calls a tool instead of summarizing.",
  refusal: "The summarizer refused, or asked for the conversation it already has.",
  "empty-template": "The answer has headings without content.",
  "too-small": "The answer is too short for the text it would replace.",
  runaway: "The answer repeats itself or is several times larger than its limit.",
  "too-large": "Summary too large.",
  "not-smaller": "The answer is not smaller than the text it would replace.",
  "server-error": "The answer is a web page, an error message or encoded data instead of a summary.",
  dialogue: "The answer continues the conversation instead of summarizing it.",
  orders: "The answer gives orders to its reader that no message contains.",
  language: "The answer is in a language that the conversation does not use.",
  unsupported: "The answer shares too few words with the conversation, or too little of it is left after verification.",
} as const;

export type SummaryRule = keyof typeof SUMMARY_RULES;

export interface SummarizerAnswer {
  readonly text: string;
  /** Number of tool calls in addition to the text. */
  readonly toolCalls?: number | undefined;
  /** `length`: the provider stopped at the output limit, so the last sentence may be incomplete. */
  readonly endedBy?: "stop" | "length" | "content-filter" | "tool-calls" | undefined;
}

/** `reask-trim` requests a shorter answer once, then trims at a sentence end; `reject` rejects it. */
export type OnOversize = "reask-trim" | "reject";

export interface AcceptOptions extends TrimOptions {
  /** Tokens of the replaced text. Undefined if the summary need not be smaller: a refresh, an edit by hand. */
  readonly replacedTokens?: number | undefined;
  readonly onOversize: OnOversize;
  /** Number of earlier requests for this summary. A shorter answer is requested only after the first one. */
  readonly earlierRequests?: number | undefined;
}

export type AcceptOutcome =
  | {
      readonly type: "accepted";
      readonly text: string;
      readonly tokens: number;
      /** Tokens before the text was trimmed to the cap; absent if it was not. */
      readonly trimmedFromTokens?: number | undefined;
      readonly strippedCharacters: number;
    }
  | { readonly type: "reask"; readonly rule: "too-large"; readonly tokens: number; readonly request: string }
  | { readonly type: "rejected"; readonly rule: SummaryRule; readonly reason: string; readonly tokens: number };

/** An answer above this multiple of the cap is a fault, not a long summary. */
export const RUNAWAY_FACTOR = 4;

/** No counter counts more characters of ordinary text as one token, so longer answers are rejected without counting. */
const MAX_CHARACTERS_PER_TOKEN = 16;

export function acceptSummary(answer: SummarizerAnswer, options: AcceptOptions): AcceptOutcome {
  const longest = options.capTokens * RUNAWAY_FACTOR * MAX_CHARACTERS_PER_TOKEN;
  if ((answer.toolCalls ?? 0) > 0 || answer.endedBy === "tool-calls") return rejected("tool-call", 0);
  if (answer.text.length > longest + SCRATCHPAD_CHARACTERS)
    return rejected("runaway", Math.ceil(answer.text.length / 4));
  const stripped = stripScratchpad(cleanMarkup(answer.text));
  if (stripped.text.length > longest) return rejected("runaway", Math.ceil(stripped.text.length / 4));
  const tokens = countText(stripped.text, options.counter);
  const fault = findAnswerFault(stripped, { ...options, answer, tokens });
  if (fault !== undefined) return rejected(fault, tokens);
  const strippedCharacters = answer.text.length - stripped.text.length;
  const isOversize = tokens > options.capTokens || answer.endedBy === "length";
  if (isOversize) return handleOversize(stripped.text, { ...options, tokens, strippedCharacters });
  return checkAccepted({ type: "accepted", text: stripped.text, tokens, strippedCharacters }, options);
}

/** Characters allowed for reasoning, which may be much longer than the summary after it. */
const SCRATCHPAD_CHARACTERS = 1_000_000;

interface AnswerFacts extends AcceptOptions {
  readonly answer: SummarizerAnswer;
  readonly tokens: number;
}

function findAnswerFault(
  { text, isUnclosed }: { readonly text: string; readonly isUnclosed: boolean },
  { answer, tokens, capTokens, replacedTokens }: AnswerFacts,
): SummaryRule | undefined {
  if (text === "") return /[\p{L}\p{N}]/u.test(answer.text) ? "reasoning-only" : "empty";
  if (isUnclosed || isThinkingAloud(text)) return "reasoning-only";
  if (isToolCall(text)) return "tool-call";
  if (!/[\p{L}\p{N}]/u.test(proseOf(text))) return "empty";
  if (isRefusal(text) || answer.endedBy === "content-filter") return "refusal";
  if (isEmptyTemplate(text)) return "empty-template";
  if (isAcknowledgment(text) || isTooSmall(text, { answer, replacedTokens })) return "too-small";
  if (tokens > capTokens * RUNAWAY_FACTOR || isRepetitive(text)) return "runaway";
  return findJunk(text);
}

/** Returns false for an answer that the provider cut off: `handleOversize` decides what happens to it. */
function isTooSmall(
  text: string,
  { answer, replacedTokens = 0 }: Pick<AnswerFacts, "answer" | "replacedTokens">,
): boolean {
  // The last word of an answer that ends in the middle of a sentence may be half a word.
  const least = SENTENCE_END.test(text) ? MIN_WORDS : MIN_WORDS + 1;
  return replacedTokens >= LONG_TOKENS && answer.endedBy !== "length" && countWords(proseOf(text)) < least;
}

const MIN_WORDS = 3;
const SENTENCE_END = /[.!?…。！？।]["'”’)\]*_`]*$/u;
/** A source of this size needs at least one sentence. */
const LONG_TOKENS = 1_000;

interface OversizeOptions extends AcceptOptions {
  readonly tokens: number;
  readonly strippedCharacters: number;
}

function handleOversize(text: string, options: OversizeOptions): AcceptOutcome {
  const { onOversize, earlierRequests = 0, tokens, capTokens, strippedCharacters } = options;
  if (onOversize === "reject") return rejected("too-large", tokens);
  if (earlierRequests === 0) return { type: "reask", rule: "too-large", tokens, request: shorterRequest(capTokens) };
  // An answer that was cut off may be within its cap and still end in half a sentence.
  const limit = Math.min(capTokens, Math.max(0, tokens - 1));
  const trimmed = trimSummary(text, { capTokens: limit, counter: options.counter });
  if (trimmed.text === "") return rejected("too-large", tokens);
  const kept = { type: "accepted", text: trimmed.text, tokens: trimmed.tokens } as const;
  return checkAccepted({ ...kept, trimmedFromTokens: tokens, strippedCharacters }, options);
}

/** Four words take about five tokens; the request asks for a little less, because models overshoot. */
function shorterRequest(capTokens: number): string {
  const words = Math.max(1, Math.floor(capTokens * 0.65));
  return `That was too long. Write it again in at most ${words} words. Keep names, numbers, decisions and open items; leave out the rest.`;
}

function checkAccepted(
  outcome: AcceptOutcome & { readonly type: "accepted" },
  { replacedTokens }: AcceptOptions,
): AcceptOutcome {
  if (repeatsWords(outcome.text)) return rejected("runaway", outcome.tokens);
  const isSmaller = replacedTokens === undefined || outcome.tokens < replacedTokens;
  return isSmaller ? outcome : rejected("not-smaller", outcome.tokens);
}

function rejected(rule: SummaryRule, tokens: number): AcceptOutcome {
  return { type: "rejected", rule, reason: SUMMARY_RULES[rule], tokens };
}
