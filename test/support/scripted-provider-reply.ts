/**
 * Replies of a scripted provider: good answers, useless answers, and every failure of real providers and networks. A
 * reply does not depend on a wire format; the same script works with all of them.
 */
import type { JsonObject, JsonValue } from "../../src/core/message/json.ts";
import type { WireUsage } from "../../src/testing/wire-server.ts";

export type ScriptedReply =
  | {
      readonly type: "text";
      readonly text: string;
      /** `output-limit`: the answer was cut at the output limit. */
      readonly stop?: "end" | "output-limit" | undefined;
      readonly usage?: WireUsage | undefined;
      /** Writes one byte at a time, with this pause between them; zero means the next turn of the event loop. */
      readonly byteEveryMs?: number | undefined;
      /** Holds the stream in its middle until this resolves, so that the test can act in the meantime. */
      readonly heldUntil?: Promise<unknown> | undefined;
      /** The connection is reset after this many bytes of the body. */
      readonly resetAfterBytes?: number | undefined;
    }
  | {
      readonly type: "tool-call";
      readonly tool: string;
      readonly input: JsonObject;
      readonly usage?: WireUsage | undefined;
    }
  /** Content blocks as Anthropic writes them, which only its wire format can send. */
  | {
      readonly type: "blocks";
      readonly blocks: readonly JsonObject[];
      readonly usage?: WireUsage | undefined;
      /** Content that the provider reports as left out of the request. */
      readonly inputTransformations?: readonly JsonObject[] | undefined;
    }
  | { readonly type: "refusal"; readonly text: string }
  /** An endless answer, up to this many bytes of text. */
  | { readonly type: "flood"; readonly bytes: number }
  /** The request is read and never answered. */
  | { readonly type: "hang" }
  /** An error in the provider's own format. */
  | {
      readonly type: "error";
      readonly status: number;
      readonly kind: "overflow" | "rate-limit" | "server" | "auth";
      readonly headers?: Readonly<Record<string, string>> | undefined;
    }
  /** Any status with any body, sent unchanged. */
  | {
      readonly type: "raw";
      readonly status: number;
      readonly body: string;
      readonly headers?: Readonly<Record<string, string>> | undefined;
    };

/** More than twice what the buffers of a socket hold. */
export const FLOOD_BYTES = 50_000_000;
const FENCE = "```";

/** Creates replies by name: good answers, and the faults of the fault matrix. */
export const scriptedReplies = {
  text: (text: string): ScriptedReply => ({ type: "text", text }),
  json: (value: JsonValue): ScriptedReply => ({ type: "text", text: JSON.stringify(value) }),
  fencedJson: (value: JsonValue): ScriptedReply => ({
    type: "text",
    text: `Here you are:\n\n${FENCE}json\n${JSON.stringify(value, null, 2)}\n${FENCE}\n`,
  }),
  /** The first half of the JSON, cut at the output limit. */
  truncatedJson(value: JsonValue): ScriptedReply {
    const text = JSON.stringify(value);
    return { type: "text", text: text.slice(0, Math.ceil(text.length / 2)), stop: "output-limit" };
  },
  empty: (): ScriptedReply => ({ type: "text", text: "" }),
  whitespace: (): ScriptedReply => ({ type: "text", text: " \n\t\n " }),
  toolCall: (tool: string, input: JsonObject): ScriptedReply => ({ type: "tool-call", tool, input }),
  refusal: (text = "I cannot help with that."): ScriptedReply => ({ type: "refusal", text }),
  flood: (bytes = FLOOD_BYTES): ScriptedReply => ({ type: "flood", bytes }),
  hang: (): ScriptedReply => ({ type: "hang" }),
  slow: (text: string, byteEveryMs = 0): ScriptedReply => ({ type: "text", text, byteEveryMs }),
  held: (text: string, heldUntil: Promise<unknown>): ScriptedReply => ({ type: "text", text, heldUntil }),
  reset: (text: string, resetAfterBytes: number): ScriptedReply => ({ type: "text", text, resetAfterBytes }),
  /** `retryAfter` as in the header: seconds, or an HTTP date. */
  rateLimited: (retryAfter?: string): ScriptedReply => ({
    type: "error",
    status: 429,
    kind: "rate-limit",
    headers: retryAfter === undefined ? {} : { "retry-after": retryAfter },
  }),
  serverError: (status = 500): ScriptedReply => ({ type: "error", status, kind: "server" }),
  unauthorised: (): ScriptedReply => ({ type: "error", status: 401, kind: "auth" }),
  overflow: (status = 400): ScriptedReply => ({ type: "error", status, kind: "overflow" }),
};
