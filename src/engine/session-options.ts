/** What a session's verbs take, and how it is checked at the border. */
import { COUNTER_NAMES } from "../core/budget/model-info.ts";
import type { PromptId } from "../core/log/entry.ts";
import { FORMAT_NAMES } from "../core/message/formats/format.ts";
import { PROVIDERS } from "../core/prompt/provider.ts";
import { ANYTHING, FLAG, oneOf, TEXT, TOKENS } from "./check-options.ts";
import type { PromptRequest } from "./prompt-request.ts";

export interface PromptOptions extends Omit<PromptRequest, "next"> {
  /** Appended before the prompt is made, and acknowledged even if the prompt cannot be. */
  readonly next?: unknown;
}

export interface RefusedOptions {
  /** The prompt that was refused; without it, the newest. */
  readonly promptId?: PromptId | undefined;
  /** What the failed attempt leaves behind, such as results of tools that ran meanwhile. It is appended first. */
  readonly next?: unknown;
}

export interface ClearOptions {
  /** `next-generation`: the next reply is made without history, then it is back. Without a word, as the policy says. */
  readonly scope?: "for-good" | "next-generation" | undefined;
}

export const PROMPT_RULES = {
  next: ANYTHING,
  instructions: TEXT,
  tools: ANYTHING,
  notes: TEXT,
  provider: oneOf("ai-sdk", ...PROVIDERS),
  preview: FLAG,
  breakpoints: FLAG,
  ceilingTokens: TOKENS,
  model: TEXT,
  counter: oneOf(...COUNTER_NAMES),
  budgetTokens: TOKENS,
  windowTokens: TOKENS,
  reserveTokens: TOKENS,
};

export const APPEND_RULES = { promptId: TEXT, usage: ANYTHING, format: oneOf(...FORMAT_NAMES) };
export const REFUSED_RULES = { promptId: TEXT, next: ANYTHING };
export const CLEAR_RULES = { scope: oneOf("for-good", "next-generation") };
export const COMPACT_RULES = { instructions: TEXT, preview: FLAG };
