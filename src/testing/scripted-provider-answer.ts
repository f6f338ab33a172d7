/** What a wire is given to write, and what it has to offer. */
import type { JsonObject } from "../core/message/json.ts";
import type { ScriptedUsage } from "./scripted-provider-reply.ts";

export interface WireAnswer {
  readonly pieces: Iterable<string>;
  readonly stop: "end" | "output-limit" | "tool-call" | "refusal";
  readonly toolCall?: { readonly tool: string; readonly input: JsonObject } | undefined;
  readonly usage: ScriptedUsage;
  /** Anthropic's own content blocks, instead of pieces and call. */
  readonly blocks?: readonly JsonObject[] | undefined;
  readonly inputTransformations?: readonly JsonObject[] | undefined;
}

export interface WireFormat {
  /** The whole answer as one body. */
  whole(answer: WireAnswer): JsonObject;
  /** Server-sent events: the name, where the wire has one, and the data. */
  events(answer: WireAnswer): Iterable<readonly [name: string | undefined, data: JsonObject | "[DONE]"]>;
  error(options: { readonly status: number; readonly code: string; readonly message: string }): JsonObject;
}

/** The name under which every wire says that it answers. */
export const SCRIPTED_MODEL = "scripted";
