/** Short constructors for the messages of a generated conversation. */
import type { JsonObject } from "../../src/core/message/json.ts";
import type { Message } from "../../src/core/message/message.ts";

export function textMessage(role: "user" | "assistant", id: string, text: string): Message {
  return { id, role, parts: [{ type: "text", text }] };
}

export interface ToolCall {
  readonly callId: string;
  readonly tool: string;
  readonly input: JsonObject;
}

export function callMessage(id: string, text: string, calls: readonly ToolCall[]): Message {
  return {
    id,
    role: "assistant",
    parts: [{ type: "text", text }, ...calls.map((call) => ({ type: "tool-call", ...call }) as const)],
  };
}

export function resultMessage(
  id: string,
  results: readonly { readonly callId: string; readonly text: string }[],
): Message {
  return {
    id,
    role: "tool",
    parts: results.map(({ callId, text }) => ({
      type: "tool-result",
      callId,
      output: { type: "text", text },
      failed: false,
    })),
  };
}
