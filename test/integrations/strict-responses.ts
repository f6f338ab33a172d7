/** OpenAI's Responses API, also as a stream: parallel calls with encrypted reasoning, then a text. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../src/core/message/json.ts";
import { validate } from "../../src/core/public/index.ts";
import { anthropic } from "../../src/testing/anthropic-wire.ts";
import { startWireServer, type WireReply } from "../../src/testing/wire-server.ts";
import {
  finishProvider,
  type NextStream,
  playPart,
  RequestRecord,
  type StrictProvider,
  writeWords,
} from "./strict-provider.ts";

export async function startStrictResponses(): Promise<StrictProvider> {
  const record = new RequestRecord("openai-responses", ({ instructions, tools, input }) =>
    [instructions ?? null, tools ?? null, ...(Array.isArray(input) ? input : [input ?? null])].map((item) =>
      JSON.stringify(item),
    ),
  );
  const next: NextStream[] = [];
  let turn = 0;
  const server = await startWireServer({
    wires: { anthropic },
    reply: ({ body, streaming }) => {
      const faults = validate(body, "openai-responses").map(({ path, text }) => `${path}: ${text}`);
      record.add(body, faults);
      if (faults.length > 0)
        return { type: "raw", status: 400, body: JSON.stringify({ error: { message: faults[0] } }) };
      const isAnswered = endsWithOutput(body.input);
      if (!isAnswered) record.parallelCalls += 1;
      turn += 1;
      const output = isAnswered ? [writeAnswer(turn)] : writeCalls(turn);
      const response = writeResponse(turn, output);
      if (!streaming) return { type: "raw", status: 200, body: JSON.stringify(response) };
      return playEvents([...listEvents(response, output)], isAnswered ? next.shift() : undefined);
    },
  });
  return finishProvider(server, record, next);
}

/** Sends all events, or those up to the first text. */
function playEvents(events: readonly JsonObject[], stop: NextStream | undefined): WireReply {
  const chunks = events.map((event) => `event: ${String(event.type)}\ndata: ${JSON.stringify(event)}\n\n`);
  const headers = { "content-type": "text/event-stream", connection: "close" };
  if (stop === undefined) return { type: "raw", status: 200, body: chunks.join(""), headers };
  return playPart(stop, ({ response }) => {
    response.writeHead(200, headers);
    return chunks;
  });
}

function* listEvents(response: JsonObject, output: readonly JsonObject[]): Generator<JsonObject> {
  yield { type: "response.created", response: { ...response, status: "in_progress", output: [] } };
  for (const item of output) {
    if (item.type !== "message" || !Array.isArray(item.content)) continue;
    const place = { item_id: item.id ?? "", output_index: 0, content_index: 0 };
    const [part] = item.content;
    const text = isJsonObject(part) && typeof part.text === "string" ? part.text : "";
    const half = Math.ceil(text.length / 2);
    for (const delta of [text.slice(0, half), text.slice(half)]) {
      yield { type: "response.output_text.delta", ...place, delta };
    }
  }
  yield { type: "response.completed", response };
}

function endsWithOutput(input: JsonValue | undefined): boolean {
  const last = Array.isArray(input) ? input.at(-1) : undefined;
  return isJsonObject(last) && last.type === "function_call_output";
}

function writeAnswer(turn: number): JsonObject {
  const text = `Answer ${turn}: ${writeWords(60, turn)}`;
  const content = [{ type: "output_text", text, annotations: [] }];
  return { type: "message", id: `msg_${turn}`, role: "assistant", status: "completed", content };
}

/** Reasoning takes room in the prompt, so that a prompt that does not count it is too large. */
const SEALED_LENGTH = 400;

function writeCalls(turn: number): readonly JsonObject[] {
  const calls = [0, 1].map((place): JsonObject => {
    const input = JSON.stringify({ topic: `topic ${turn}.${place}` });
    const id = `${turn}_${place}`;
    return {
      type: "function_call",
      id: `fc_${id}`,
      call_id: `call_${id}`,
      name: "lookup",
      arguments: input,
      status: "completed",
    };
  });
  return [
    {
      type: "reasoning",
      id: `rs_${turn}`,
      summary: [],
      encrypted_content: `sealed ${turn}:`.padEnd(SEALED_LENGTH, "x"),
    },
    ...calls,
  ];
}

const USAGE = {
  input_tokens: 0,
  output_tokens: 0,
  total_tokens: 0,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens_details: { reasoning_tokens: 0 },
};

function writeResponse(turn: number, output: readonly JsonObject[]): JsonObject {
  const id = `resp_${turn}`;
  return { id, object: "response", created_at: 1, status: "completed", model: "gpt-5", output, usage: USAGE };
}
