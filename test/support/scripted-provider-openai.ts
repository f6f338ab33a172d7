/** OpenAI's two wire formats, chat completions and responses, with the fields that clients read. */
import type { JsonObject } from "../../src/core/message/json.ts";
import { SCRIPTED_MODEL, type WireAnswer, type WireFormat, type WireUsage } from "../../src/testing/wire-server.ts";

const CALL_ID = "call_scripted_1";

const CODES: WireFormat["codes"] = {
  overflow: "context_length_exceeded",
  "rate-limit": "rate_limit_exceeded",
  server: "server_error",
  auth: "invalid_api_key",
  invalid: "invalid_request_error",
};

export const openAiChat: WireFormat = {
  whole: (answer) => ({
    id: "chatcmpl-scripted",
    object: "chat.completion",
    created: 0,
    model: SCRIPTED_MODEL,
    choices: [{ index: 0, message: openAiMessage(answer), finish_reason: openAiFinish(answer), logprobs: null }],
    usage: openAiUsage(answer.usage),
  }),
  *events(answer) {
    const chunk = (delta: JsonObject, finish: string | null = null): JsonObject => ({
      id: "chatcmpl-scripted",
      object: "chat.completion.chunk",
      created: 0,
      model: SCRIPTED_MODEL,
      choices: [{ index: 0, delta, finish_reason: finish }],
    });
    yield [undefined, chunk({ role: "assistant", content: "" })];
    const field = answer.stop === "refusal" ? "refusal" : "content";
    for (const piece of answer.pieces) yield [undefined, chunk({ [field]: piece })];
    if (answer.toolCall !== undefined) {
      yield [undefined, chunk({ tool_calls: [{ index: 0, ...openAiCall(answer.toolCall) }] })];
    }
    yield [undefined, chunk({}, openAiFinish(answer))];
    yield [undefined, { ...chunk({}), choices: [], usage: openAiUsage(answer.usage) }];
    yield [undefined, "[DONE]"];
  },
  error: ({ code, message }) => ({ error: { message, type: "invalid_request_error", param: null, code } }),
  codes: CODES,
};

function openAiMessage(answer: WireAnswer): JsonObject {
  const text = [...answer.pieces].join("");
  const refused = answer.stop === "refusal";
  const calls = answer.toolCall === undefined ? {} : { tool_calls: [openAiCall(answer.toolCall)] };
  return { role: "assistant", content: refused ? null : text, refusal: refused ? text : null, ...calls };
}

function openAiCall({ tool, input }: { readonly tool: string; readonly input: JsonObject }): JsonObject {
  return { id: CALL_ID, type: "function", function: { name: tool, arguments: JSON.stringify(input) } };
}

function openAiFinish({ stop }: WireAnswer): string {
  return { end: "stop", "output-limit": "length", "tool-call": "tool_calls", refusal: "stop" }[stop];
}

function openAiUsage({ inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens }: WireUsage): JsonObject {
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    prompt_tokens_details: { cached_tokens: cacheReadTokens, cache_write_tokens: cacheWriteTokens },
  };
}

export const openAiResponses: WireFormat = {
  whole: (answer) => responsesBody(answer, responsesOutput(answer)),
  *events(answer) {
    const started = { ...responsesBody({ ...answer, pieces: [] }, []), status: "in_progress", usage: null };
    yield ["response.created", { type: "response.created", response: started }];
    if (answer.toolCall === undefined) yield* responsesTextEvents(answer);
    else yield* responsesCallEvents(answer.toolCall);
    const limited = answer.stop === "output-limit";
    const name = limited ? "response.incomplete" : "response.completed";
    yield [name, { type: name, response: responsesBody({ ...answer, pieces: [] }, []) }];
  },
  error: ({ code, message }) => ({ error: { message, type: "invalid_request_error", param: "input", code } }),
  codes: CODES,
};

function* responsesTextEvents(answer: WireAnswer): Generator<readonly [string, JsonObject]> {
  const refused = answer.stop === "refusal";
  const item = { type: "message", id: "msg_1", status: "in_progress", role: "assistant", content: [] };
  yield ["response.output_item.added", { type: "response.output_item.added", output_index: 0, item }];
  const place = { item_id: "msg_1", output_index: 0, content_index: 0 };
  const empty = refused ? { type: "refusal", refusal: "" } : { type: "output_text", text: "", annotations: [] };
  yield ["response.content_part.added", { type: "response.content_part.added", ...place, part: empty }];
  const delta = refused ? "response.refusal.delta" : "response.output_text.delta";
  for (const piece of answer.pieces) yield [delta, { type: delta, ...place, delta: piece }];
  // Streams with many pieces do not repeat the whole text at the end.
  yield [
    "response.output_item.done",
    { type: "response.output_item.done", output_index: 0, item: { ...item, status: "completed" } },
  ];
}

function* responsesCallEvents(call: NonNullable<WireAnswer["toolCall"]>): Generator<readonly [string, JsonObject]> {
  const item = responsesCall(call);
  const open = { ...item, arguments: "", status: "in_progress" };
  yield ["response.output_item.added", { type: "response.output_item.added", output_index: 0, item: open }];
  yield ["response.output_item.done", { type: "response.output_item.done", output_index: 0, item }];
}

function responsesCall({ tool, input }: NonNullable<WireAnswer["toolCall"]>): JsonObject {
  const call = { call_id: CALL_ID, name: tool, arguments: JSON.stringify(input) };
  return { type: "function_call", id: "fc_1", status: "completed", ...call };
}

function responsesOutput(answer: WireAnswer): readonly JsonObject[] {
  if (answer.toolCall !== undefined) return [responsesCall(answer.toolCall)];
  const text = [...answer.pieces].join("");
  const content =
    answer.stop === "refusal" ? { type: "refusal", refusal: text } : { type: "output_text", text, annotations: [] };
  return [{ type: "message", id: "msg_1", status: "completed", role: "assistant", content: [content] }];
}

function responsesBody({ stop, usage }: WireAnswer, output: readonly JsonObject[]): JsonObject {
  const limited = stop === "output-limit";
  return {
    id: "resp_scripted",
    object: "response",
    created_at: 0,
    model: SCRIPTED_MODEL,
    status: limited ? "incomplete" : "completed",
    incomplete_details: limited ? { reason: "max_output_tokens" } : null,
    error: null,
    output,
    usage: {
      input_tokens: usage.inputTokens,
      input_tokens_details: { cached_tokens: usage.cacheReadTokens, cache_write_tokens: usage.cacheWriteTokens },
      output_tokens: usage.outputTokens,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: usage.inputTokens + usage.outputTokens,
    },
  };
}
