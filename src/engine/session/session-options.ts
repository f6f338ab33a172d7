/** The options of a session's methods, and the rules that check them. */
import { COUNTER_NAMES } from "../../core/budget/model-info.ts";
import {
  ANYTHING,
  COUNT,
  checkArgument,
  checkOptions,
  FLAG,
  FUNCTION,
  ID,
  MILLISECONDS,
  NEW_ID,
  type OptionRule,
  type OptionRules,
  oneOf,
  optionsOf,
  RECORD,
  required,
  SIGNAL,
  TEXT,
  TOOLS,
  WHOLE_NUMBER,
  withMethods,
} from "../../core/check-options.ts";
import { ENTRY_TYPES, type PromptId } from "../../core/log/entry.ts";
import { FORMAT_NAMES } from "../../core/message/formats/format.ts";
import type { MessagesInput } from "../../core/message/input-types.ts";
import { PROVIDERS } from "../../core/prompt/provider.ts";
import type { SearchQuery } from "../../ports/store.ts";
import type { PromptRequest } from "../context/prompt-request.ts";

/**
 * What a prompt is for: new messages, model, sizes, instructions, tools and notes.
 *
 * @example
 * ```ts
 * await session.prompt({ next: { role: "user", content: "Hello" }, model: "gpt-5", provider: "openai" });
 * ```
 */
export interface PromptOptions extends Omit<PromptRequest, "next"> {
  /** Messages to append before the prompt is made. They stay appended even if the prompt fails. */
  readonly next?: MessagesInput | undefined;
  /** Stops the call: it rejects with the code `aborted`. An appended `next` stays appended. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * The prompt that a provider refused, and messages that arrived since.
 *
 * @example
 * ```ts
 * const smaller = await session.refused(error, { promptId: prompt.id });
 * ```
 */
export interface RefusedOptions {
  readonly promptId?: PromptId | undefined;
  /** Messages of the failed attempt, such as tool results. They are appended first. */
  readonly next?: MessagesInput | undefined;
}

/**
 * How long cleared messages stay hidden.
 *
 * @example
 * ```ts
 * await session.clear({ scope: "for-good" });
 * ```
 */
export interface ClearOptions {
  /** `next-generation`: only the next reply is made without history. By default the policy decides. */
  readonly scope?: "for-good" | "next-generation" | undefined;
}

export interface ForkOptions {
  readonly id?: string | undefined;
}

const NOTE_FIELDS = optionsOf({ text: required(TEXT), keep: FLAG });

const NOTE: OptionRule = {
  allowed: "a string or { text, keep }",
  holds: (value) => TEXT.holds(value) || RECORD.holds(value),
  check: (value, place) => {
    if (typeof value === "object") NOTE_FIELDS.check?.(value, place);
  },
};

export const PROMPT_RULES = {
  next: ANYTHING,
  instructions: TEXT,
  tools: TOOLS,
  notes: NOTE,
  provider: oneOf("ai-sdk", ...PROVIDERS),
  preview: FLAG,
  breakpoints: FLAG,
  ceilingTokens: WHOLE_NUMBER,
  model: TEXT,
  counter: oneOf(...COUNTER_NAMES),
  budgetTokens: WHOLE_NUMBER,
  windowTokens: WHOLE_NUMBER,
  reserveTokens: WHOLE_NUMBER,
  signal: SIGNAL,
};

const { next: _next, preview: _preview, ceilingTokens: _ceiling, signal: _signal, ...SEEN } = PROMPT_RULES;
export const ASSUMED_REQUEST_RULES = SEEN;

export const APPEND_RULES = { promptId: ID, usage: RECORD, format: oneOf(...FORMAT_NAMES) };

const TYPES: OptionRule = {
  allowed: `a list of ${ENTRY_TYPES.join(", ")}`,
  holds: (value) => Array.isArray(value) && value.every((type) => ENTRY_TYPES.includes(type)),
};

export const ENTRIES_RULES = {
  afterSeq: WHOLE_NUMBER,
  throughSeq: WHOLE_NUMBER,
  types: TYPES,
  limit: WHOLE_NUMBER,
  newestFirst: FLAG,
};
export const WORK_RULES = { once: FLAG, newestSessions: COUNT, everyMs: MILLISECONDS, signal: SIGNAL };
export const REFUSED_RULES = { promptId: ID, next: ANYTHING };
export const SYNC_RULES = {
  edited: TEXT,
  isOwn: FUNCTION,
  beforeFork: FUNCTION,
  format: oneOf(...FORMAT_NAMES),
  forkId: FUNCTION,
  afterSeq: WHOLE_NUMBER,
  preview: FLAG,
};
export const FORK_RULES = { id: NEW_ID };
export const CLEAR_RULES = { scope: oneOf("for-good", "next-generation") };
export const USAGE_RULES = { newest: WHOLE_NUMBER };
export const COMPACT_RULES = {
  instructions: TEXT,
  preview: FLAG,
  as: optionsOf(SEEN),
  keep: optionsOf({ messages: WHOLE_NUMBER, tokens: WHOLE_NUMBER }),
  summarizer: withMethods("summarize", "estimateCost"),
  signal: SIGNAL,
};
export const STRIP_RULES = { firstSeq: WHOLE_NUMBER, lastSeq: WHOLE_NUMBER, buckets: required(COUNT) };
export const RESUMMARIZE_RULES = { signal: SIGNAL };

export type SearchOptions = Partial<Omit<SearchQuery, "text">>;

const LIMIT = 50;

export const SEARCH_VIEW_RULES = { role: oneOf("user", "assistant", "system", "tool"), limit: COUNT };
export const SEARCH_RULES = { order: oneOf("newest", "relevance"), ...SEARCH_VIEW_RULES };
export const SEARCH_ALL_RULES = { ...SEARCH_RULES, sessionId: ID };

export function readQuery(
  text: string,
  options: SearchOptions,
  { name, rules }: { readonly name: string; readonly rules: OptionRules },
): SearchQuery {
  checkArgument(text, TEXT, name);
  checkOptions(options, rules, name);
  return { ...options, limit: options.limit ?? LIMIT, text };
}
