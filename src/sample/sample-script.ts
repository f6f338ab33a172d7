/** The script of the sample conversation, one entry per turn. `sample-conversation.ts` turns it into messages. */
import type { JsonObject, JsonValue } from "../core/message/json.ts";

/** Nora runs the museum, Tomasz builds the guide, Ifeoma keeps the accounts. All are invented. */
export type Speaker = "Nora" | "Tomasz" | "Ifeoma";

export interface ScriptCall {
  readonly tool: string;
  readonly input: JsonObject;
  /** A text or a structured value. */
  readonly output: JsonValue;
  readonly failed?: true | undefined;
}

/** Parallel calls, and the assistant's text before them. */
export interface ScriptRound {
  readonly says?: string | undefined;
  readonly calls: readonly ScriptCall[];
}

export interface ScriptTurn {
  /** UTC, to the minute. */
  readonly at: string;
  readonly who: Speaker;
  readonly asks: string;
  readonly rounds?: readonly ScriptRound[] | undefined;
  readonly answer: string;
}
