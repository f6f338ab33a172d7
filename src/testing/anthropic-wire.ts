/** Anthropic's messages, whole and as events, with the fields that clients read. */
import type { JsonObject } from "../core/message/json.ts";
import { SCRIPTED_MODEL, type WireAnswer, type WireFormat, type WireUsage } from "./wire-server.ts";

export const anthropic: WireFormat = {
  whole: (answer) => ({
    ...startMessage(answer),
    content: wholeContent(answer),
    stop_reason: anthropicStop(answer),
    ...transformationsOf(answer),
    usage: anthropicUsage(answer.usage),
  }),
  *events(answer) {
    const usage = { ...anthropicUsage(answer.usage), output_tokens: 1 };
    const message = { ...startMessage(answer), content: [], ...transformationsOf(answer), usage };
    yield ["message_start", { type: "message_start", message }];
    if (answer.blocks !== undefined) {
      for (const [index, block] of answer.blocks.entries()) yield* blockEvents(block, index);
    } else if (answer.toolCall === undefined) {
      yield startBlock({ type: "text", text: "" });
      for (const text of answer.pieces) yield blockDelta({ type: "text_delta", text });
      yield endBlock();
    } else {
      yield* blockEvents({ ...anthropicCall(answer.toolCall), input: answer.toolCall.input });
    }
    const delta = { stop_reason: anthropicStop(answer), stop_sequence: null };
    const spent = { output_tokens: answer.usage.outputTokens };
    yield ["message_delta", { type: "message_delta", delta, usage: spent }];
    yield ["message_stop", { type: "message_stop" }];
  },
  error: ({ code, message }) => ({ type: "error", error: { type: code, message }, request_id: "req_scripted" }),
  codes: {
    overflow: "invalid_request_error",
    "rate-limit": "rate_limit_error",
    server: "api_error",
    auth: "authentication_error",
    invalid: "invalid_request_error",
  },
};

function startMessage({ id = "msg_scripted" }: WireAnswer): JsonObject {
  const model = SCRIPTED_MODEL;
  return { id, type: "message", role: "assistant", model, stop_reason: null, stop_sequence: null };
}

function wholeContent({ blocks, toolCall, pieces }: WireAnswer): readonly JsonObject[] {
  if (blocks !== undefined) return blocks;
  if (toolCall === undefined) return [{ type: "text", text: [...pieces].join("") }];
  return [{ ...anthropicCall(toolCall), input: toolCall.input }];
}

function transformationsOf({ inputTransformations = [] }: WireAnswer): JsonObject {
  return inputTransformations.length === 0 ? {} : { input_transformations: inputTransformations };
}

type WireEvent = readonly [string, JsonObject];

/** Streams a block: its start without content, and the content as deltas. */
function* blockEvents(block: JsonObject, index = 0): Generator<WireEvent> {
  switch (block.type) {
    case "text":
      yield startBlock({ ...block, text: "" }, index);
      yield blockDelta({ type: "text_delta", text: block.text }, index);
      break;
    case "thinking":
      yield startBlock({ ...block, thinking: "", signature: "" }, index);
      if (block.thinking !== "") yield blockDelta({ type: "thinking_delta", thinking: block.thinking }, index);
      yield blockDelta({ type: "signature_delta", signature: block.signature }, index);
      break;
    case "tool_use":
      yield startBlock({ ...block, input: {} }, index);
      yield blockDelta({ type: "input_json_delta", partial_json: JSON.stringify(block.input) }, index);
      break;
    default:
      yield startBlock(block, index);
  }
  yield endBlock(index);
}

function startBlock(block: JsonObject, index = 0): WireEvent {
  return ["content_block_start", { type: "content_block_start", index, content_block: block }];
}

function blockDelta(delta: JsonObject, index = 0): WireEvent {
  return ["content_block_delta", { type: "content_block_delta", index, delta }];
}

function endBlock(index = 0): WireEvent {
  return ["content_block_stop", { type: "content_block_stop", index }];
}

function anthropicCall({ tool }: { readonly tool: string }): JsonObject {
  return { type: "tool_use", id: "toolu_scripted_1", name: tool };
}

function anthropicStop({ stop }: WireAnswer): string {
  return { end: "end_turn", "output-limit": "max_tokens", "tool-call": "tool_use", refusal: "refusal" }[stop];
}

function anthropicUsage({ inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens }: WireUsage): JsonObject {
  return {
    input_tokens: inputTokens - cacheReadTokens - cacheWriteTokens,
    cache_read_input_tokens: cacheReadTokens,
    cache_creation_input_tokens: cacheWriteTokens,
    output_tokens: outputTokens,
  };
}
