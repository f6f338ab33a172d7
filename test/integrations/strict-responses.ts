/** OpenAI's Responses API without streams: parallel calls with encrypted reasoning, then a text. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../src/core/message/json.ts";
import { validate } from "../../src/core/public/index.ts";
import { anthropic } from "../../src/testing/anthropic-wire.ts";
import { startWireServer } from "../../src/testing/wire-server.ts";
import { finishProvider, RequestRecord, type StrictProvider, writeWords } from "./strict-provider.ts";

export async function startStrictResponses(): Promise<StrictProvider> {
  const record = new RequestRecord("openai-responses", ({ instructions, tools, input }) =>
    [instructions ?? null, tools ?? null, ...(Array.isArray(input) ? input : [input ?? null])].map((item) =>
      JSON.stringify(item),
    ),
  );
  let turn = 0;
  const server = await startWireServer({
    wires: { anthropic },
    reply: ({ body }) => {
      const faults = validate(body, "openai-responses").map(({ path, text }) => `${path}: ${text}`);
      record.add(body, faults);
      if (faults.length > 0)
        return { type: "raw", status: 400, body: JSON.stringify({ error: { message: faults[0] } }) };
      const isAnswered = endsWithOutput(body.input);
      if (!isAnswered) record.parallelCalls += 1;
      turn += 1;
      const output = isAnswered ? [writeAnswer(turn)] : writeCalls(turn);
      return { type: "raw", status: 200, body: JSON.stringify(writeResponse(turn, output)) };
    },
  });
  return finishProvider(server, record, []);
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
  return [{ type: "reasoning", id: `rs_${turn}`, summary: [], encrypted_content: `sealed ${turn}` }, ...calls];
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
