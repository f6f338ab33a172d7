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
  readonly maxOutputTokens: number;
  /** A JSON schema that the answer must follow, where the caller wants structure. */
  readonly schema?: JsonObject | undefined;
}

export type ModelOutcome =
  | { readonly type: "text"; readonly text: string; readonly usage: Usage | undefined }
  /** The request was larger than the model's window; a smaller one may succeed. */
  | { readonly type: "overflow"; readonly reason: string }
  | { readonly type: "refused"; readonly reason: string }
  | {
      readonly type: "failed";
      readonly reason: string;
      readonly retryable: boolean;
      /** What the provider asked us to wait, where it did. */
      readonly retryAfterMs?: number | undefined;
    };

export interface Model {
  readonly id: string;
  /**
   * One answer, at temperature 0, without tools. Never throws and never rejects; honours the signal within a second;
   * retries nothing by itself, because the caller counts attempts.
   */
  generate(request: ModelRequest, signal: AbortSignal): Promise<ModelOutcome>;
}
