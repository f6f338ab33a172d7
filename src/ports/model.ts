/**
 * A language model, as far as the engine asks for one: to write summaries and to find topic boundaries. Chat replies
 * do not pass through here; the host calls its own model with the prompt that the engine hands out.
 */
import type { Usage } from "../core/log/entry.ts";
import type { JsonObject } from "../core/message/json.ts";
import type { Message } from "../core/message/message.ts";

export interface ModelRequest {
  readonly instructions: string;
  readonly messages: readonly Message[];
  /** What the answer may take. One that is twice as long, or longer than 2 MB, is cut off and reported as failed. */
  readonly maxOutputTokens: number;
  /**
   * A JSON schema that the answer must follow, where the caller wants structure. A model that knows no schemas is asked
   * in words instead, so the caller checks the answer in any case.
   */
  readonly schema?: JsonObject | undefined;
  /**
   * The conversation's own tools, sent along only so that its cached prefix is found again. The model is told to call
   * none of them.
   */
  readonly tools?: readonly ModelTool[] | undefined;
  /**
   * Messages after which a provider that has to be told remembers what it has read, and looks for what it remembers; -1
   * is after the instructions. Only where the conversation's own prompt goes before the request.
   */
  readonly breakpoints?: readonly number[] | undefined;
  /** Called at every piece of the answer, thoughts included. */
  readonly onPiece?: (() => void) | undefined;
}

export interface ModelTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
}

export type ModelOutcome =
  | {
      readonly type: "text";
      /** Never blank. */
      readonly text: string;
      /** `output-limit`: the text was cut at `maxOutputTokens`, so JSON in it is most likely broken. */
      readonly stopReason: "end" | "output-limit" | "unknown";
      readonly usage: Usage | undefined;
    }
  /** The request was larger than the provider takes; a smaller one may succeed. Figures are the provider's own. */
  | {
      readonly type: "overflow";
      readonly reason: string;
      readonly tokens?: number | undefined;
      readonly limitTokens?: number | undefined;
    }
  /** The model or its provider would not answer this. Asking again would not help. */
  | { readonly type: "refused"; readonly reason: string; readonly usage?: Usage | undefined }
  | {
      readonly type: "failed";
      readonly reason: string;
      /** True for transport: the same request may succeed later. False for an answer that is no use, or a bad request. */
      readonly retryable: boolean;
      /** What the provider asked us to wait, where it did. */
      readonly retryAfterMs?: number | undefined;
      /** A useless answer is paid for like any other. */
      readonly usage?: Usage | undefined;
    };

export interface Model {
  readonly id: string;
  /**
   * One answer, at temperature 0, calling no tools. Never throws and never rejects; honours the signal within a second
   * (`failed`, not retryable); retries nothing by itself, because the caller counts attempts.
   */
  generate(request: ModelRequest, signal: AbortSignal): Promise<ModelOutcome>;
}
