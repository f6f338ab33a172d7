/** Writes a summary in the form in which a client expects the reply to its own compaction. */
import { randomUUID } from "node:crypto";
import type { JsonObject } from "../../core/message/json.ts";
import type { CompactionForm } from "./compaction-request.ts";
import type { OpenRequest } from "./prepare-turn.ts";
import { sealSummary } from "./sealed-summary.ts";

export interface CompactionReplyOptions {
  readonly form: CompactionForm;
  readonly open: OpenRequest;
  readonly headers: Readonly<Record<string, string>>;
}

export function writeCompactionReply(text: string, { form, open, headers }: CompactionReplyOptions): Response {
  const { body, history } = open.read;
  const model = typeof body.model === "string" ? body.model : "";
  const isStream = body.stream === true;
  switch (form) {
    case "text": {
      const message = writeMessage(text, model);
      return isStream ? streamEvents(listMessageEvents(message, text), headers) : Response.json(message, { headers });
    }
    case "item": {
      const response = writeResponse([writeItem(text)], model);
      return isStream ? streamEvents(listResponseEvents(response), headers) : Response.json(response, { headers });
    }
    case "list": {
      const output = [...history.filter(({ role }) => role === "user").slice(-LAST_REQUESTS), writeItem(text)];
      const fields = { id: createId("resp"), object: "response.compaction", created_at: readSeconds() };
      return Response.json({ ...fields, output, usage: RESPONSE_USAGE }, { headers });
    }
    default:
      return form satisfies never;
  }
}

/** User messages that stay in a shortened list. */
const LAST_REQUESTS = 2;
const MILLISECONDS_A_SECOND = 1_000;
/** The upstream was not asked. */
const MESSAGE_USAGE = { input_tokens: 0, output_tokens: 0 };
const RESPONSE_USAGE = {
  ...{ input_tokens: 0, output_tokens: 0, total_tokens: 0 },
  input_tokens_details: { cached_tokens: 0 },
  output_tokens_details: { reasoning_tokens: 0 },
};

function createId(prefix: string): string {
  return `${prefix}_${randomUUID().replaceAll("-", "")}`;
}

function readSeconds(): number {
  return Math.floor(Date.now() / MILLISECONDS_A_SECOND);
}

function writeMessage(text: string, model: string): JsonObject {
  const content = [{ type: "text", text: `<summary>\n${text}\n</summary>` }];
  const end = { stop_reason: "end_turn", stop_sequence: null, usage: MESSAGE_USAGE };
  return { id: createId("msg"), type: "message", role: "assistant", model, content, ...end };
}

function* listMessageEvents(message: JsonObject, text: string): Generator<JsonObject> {
  yield { type: "message_start", message: { ...message, content: [], stop_reason: null } };
  yield { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } };
  const delta = { type: "text_delta", text: `<summary>\n${text}\n</summary>` };
  yield { type: "content_block_delta", index: 0, delta };
  yield { type: "content_block_stop", index: 0 };
  const usage = { output_tokens: MESSAGE_USAGE.output_tokens };
  yield { type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage };
  yield { type: "message_stop" };
}

function writeItem(text: string): JsonObject {
  return { id: createId("cmp"), type: "compaction", encrypted_content: sealSummary(text) };
}

function writeResponse(output: readonly JsonObject[], model: string): JsonObject {
  const fields = { id: createId("resp"), object: "response", created_at: readSeconds(), status: "completed" };
  return { ...fields, model, output, usage: RESPONSE_USAGE };
}

function* listResponseEvents(response: JsonObject): Generator<JsonObject> {
  yield { type: "response.created", sequence_number: 0, response: { ...response, status: "in_progress", output: [] } };
  const [item = null] = Array.isArray(response.output) ? response.output : [];
  yield { type: "response.output_item.added", sequence_number: 1, output_index: 0, item };
  yield { type: "response.output_item.done", sequence_number: 2, output_index: 0, item };
  yield { type: "response.completed", sequence_number: 3, response };
}

function streamEvents(events: Iterable<JsonObject>, headers: Readonly<Record<string, string>>): Response {
  const chunks = [...events].map((event) => `event: ${String(event.type)}\ndata: ${JSON.stringify(event)}\n\n`);
  return new Response(chunks.join(""), {
    headers: { ...headers, "content-type": "text/event-stream", "cache-control": "no-cache" },
  });
}
