/** How the sample conversation is written down: one entry a turn, in order. `sample-conversation.ts` makes messages of it. */
import type { JsonObject, JsonValue } from "../core/message/json.ts";

/** Nora runs the museum, Tomasz builds the guide, Ifeoma keeps the accounts. None of them exists. */
export type Speaker = "Nora" | "Tomasz" | "Ifeoma";

export interface ScriptCall {
  readonly tool: string;
  readonly input: JsonObject;
  /** A text, or a structured value. */
  readonly output: JsonValue;
  readonly failed?: true | undefined;
}

/** Calls that are made at once, and what the assistant says before them. */
export interface ScriptRound {
  readonly says?: string | undefined;
  readonly calls: readonly ScriptCall[];
}

export interface ScriptTurn {
  /** In UTC, to the minute. */
  readonly at: string;
  readonly who: Speaker;
  readonly asks: string;
  readonly rounds?: readonly ScriptRound[] | undefined;
  readonly answer: string;
}
