/** The options that all adapters share, and the rules that check them. */
import {
  COUNT,
  FLAG,
  FUNCTION,
  ID,
  type OptionRules,
  oneOf,
  RECORD,
  TEXT,
  WHOLE_NUMBER,
  withMethods,
} from "../../core/check-options.ts";
import type { PromptOptions } from "../../engine/session/session-options.ts";
import type { HistoryKeeper } from "./host-messages.ts";

/** Sizes of the prompt and what it contains, as in `session.prompt`. The model is by default the one that is called. */
export interface PromptSettings
  extends Pick<
    PromptOptions,
    "model" | "counter" | "budgetTokens" | "windowTokens" | "reserveTokens" | "notes" | "breakpoints"
  > {
  /** `host` (default): each call has the whole conversation. `session`: each call has only the current turn. */
  readonly history?: HistoryKeeper | undefined;
}

export const SETTINGS_RULES = {
  model: ID,
  counter: TEXT,
  budgetTokens: COUNT,
  windowTokens: COUNT,
  reserveTokens: WHOLE_NUMBER,
  notes: { allowed: "a string or { text, keep }", holds: (value) => TEXT.holds(value) || RECORD.holds(value) },
  breakpoints: FLAG,
  history: oneOf("host", "session"),
} satisfies OptionRules;

export const SESSION_RULE = withMethods("sync", "append", "prompt", "ended");
export const SESSION_FOR = FUNCTION;
