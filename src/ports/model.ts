/**
 * A language model as the engine uses it: to write summaries and to find topic boundaries. Chat replies do not pass
 * through here; the host calls its own model with the engine's prompt.
 */
import type { Usage } from "../core/log/entry.ts";
import type { JsonObject } from "../core/message/json.ts";
import type { Message } from "../core/message/message.ts";

/** A request to a language model: instructions, messages, and limits of the answer. */
export interface ModelRequest {
  readonly instructions: string;
  readonly messages: readonly Message[];
  /** Limit of the answer. An answer twice as long, or longer than 2 MB, is cut off and reported as failed. */
  readonly maxOutputTokens: number;
  /** A JSON schema for the answer. Some models get it as text only, so the caller checks the answer. */
  readonly schema?: JsonObject | undefined;
  /** The conversation's own tools, sent only so that its cached prefix matches. The instructions forbid calling them. */
  readonly tools?: readonly ModelTool[] | undefined;
  /** Indexes of messages with a cache breakpoint, after the conversation's own prompt; -1 means the instructions. */
  readonly breakpoints?: readonly number[] | undefined;
  /** Called for each chunk of the answer, reasoning included. */
  readonly onPiece?: (() => void) | undefined;
}

export interface ModelTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
}

/** An answer of a model, or why there is none. */
export type ModelOutcome =
  | {
      readonly type: "text";
      /** Never blank. */
      readonly text: string;
      /** `output-limit`: the text was cut at `maxOutputTokens`, so JSON in it is most likely broken. */
      readonly stopReason: "end" | "output-limit" | "unknown";
      readonly usage: Usage | undefined;
    }
  /** The request exceeds the provider's limit; a smaller one may succeed. Figures are the provider's. */
  | {
      readonly type: "overflow";
      readonly reason: string;
      readonly tokens?: number | undefined;
      readonly limitTokens?: number | undefined;
    }
  /** The model or its provider refused. A retry would not help. */
  | { readonly type: "refused"; readonly reason: string; readonly usage?: Usage | undefined }
  | {
      readonly type: "failed";
      readonly reason: string;
      /** True for transport failures, which may be temporary; false for an unusable answer or a bad request. */
      readonly retryable: boolean;
      /** Wait that the provider asked for. */
      readonly retryAfterMs?: number | undefined;
      /** True if the model cannot call tools, and the request offered some. */
      readonly refusesTools?: boolean | undefined;
      /** An unusable answer is billed like any other. */
      readonly usage?: Usage | undefined;
    };

/** A language model that the engine calls for summaries and topics. */
export interface Model {
  readonly id: string;
  /**
   * Generates one answer at temperature 0, without tool calls. Never throws or rejects; honors the signal within a
   * second (`failed`, not retryable); never retries, because the caller counts attempts.
   */
  generate(request: ModelRequest, signal: AbortSignal): Promise<ModelOutcome>;
}
