/** Anthropic's messages, whole and as events, with what clients read of them and nothing else. */
import type { JsonObject } from "../core/message/json.ts";
import { SCRIPTED_MODEL, type WireAnswer, type WireFormat } from "./scripted-provider-answer.ts";
import type { ScriptedUsage } from "./scripted-provider-reply.ts";

export const anthropic: WireFormat = {
  whole: (answer) => ({
    ...anthropicMessage,
    content:
      answer.toolCall === undefined
        ? [{ type: "text", text: [...answer.pieces].join("") }]
        : [{ ...anthropicCall(answer.toolCall), input: answer.toolCall.input }],
    stop_reason: anthropicStop(answer),
    usage: anthropicUsage(answer.usage),
  }),
  *events(answer) {
    const usage = { ...anthropicUsage(answer.usage), output_tokens: 1 };
    yield ["message_start", { type: "message_start", message: { ...anthropicMessage, content: [], usage } }];
    if (answer.toolCall === undefined) {
      yield anthropicBlock({ type: "text", text: "" });
      for (const text of answer.pieces) yield anthropicDelta({ type: "text_delta", text });
    } else {
      yield anthropicBlock({ ...anthropicCall(answer.toolCall), input: {} });
      yield anthropicDelta({ type: "input_json_delta", partial_json: JSON.stringify(answer.toolCall.input) });
    }
    yield ["content_block_stop", { type: "content_block_stop", index: 0 }];
    const delta = { stop_reason: anthropicStop(answer), stop_sequence: null };
    const spent = { output_tokens: answer.usage.outputTokens };
    yield ["message_delta", { type: "message_delta", delta, usage: spent }];
    yield ["message_stop", { type: "message_stop" }];
  },
  error: ({ code, message }) => ({ type: "error", error: { type: code, message } }),
};

const anthropicMessage = {
  id: "msg_scripted",
  type: "message",
  role: "assistant",
  model: SCRIPTED_MODEL,
  stop_reason: null,
  stop_sequence: null,
};

function anthropicBlock(block: JsonObject): readonly [string, JsonObject] {
  return ["content_block_start", { type: "content_block_start", index: 0, content_block: block }];
}

function anthropicDelta(delta: JsonObject): readonly [string, JsonObject] {
  return ["content_block_delta", { type: "content_block_delta", index: 0, delta }];
}

function anthropicCall({ tool }: { readonly tool: string }): JsonObject {
  return { type: "tool_use", id: "toolu_scripted_1", name: tool };
}

function anthropicStop({ stop }: WireAnswer): string {
  return { end: "end_turn", "output-limit": "max_tokens", "tool-call": "tool_use", refusal: "refusal" }[stop];
}

function anthropicUsage({ inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens }: ScriptedUsage): JsonObject {
  return {
    input_tokens: inputTokens - cacheReadTokens - cacheWriteTokens,
    cache_read_input_tokens: cacheReadTokens,
    cache_creation_input_tokens: cacheWriteTokens,
    output_tokens: outputTokens,
  };
}
