/** OpenAI's chat completions on a real socket, with strict checks of each request: one call, then a text. */
import type { JsonObject } from "../../src/core/message/json.ts";
import { validate } from "../../src/core/public/index.ts";
import { anthropic } from "../../src/testing/anthropic-wire.ts";
import { startWireServer } from "../../src/testing/wire-server.ts";
import { finishProvider, RequestRecord, type StrictProvider, writeWords } from "../integrations/strict-provider.ts";
import { openAiChat } from "../support/scripted-provider-openai.ts";

export async function startStrictChat(): Promise<StrictProvider> {
  const record = new RequestRecord("openai-chat", ({ tools, messages }) =>
    [tools ?? null, ...(Array.isArray(messages) ? messages : [])].map((item) => JSON.stringify(item)),
  );
  let turn = 0;
  const usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
  const server = await startWireServer({
    wires: {
      anthropic,
      "openai-chat": {
        ...openAiChat,
        *events(answer) {
          for (const [name, data] of openAiChat.events(answer)) yield [name, nameCalls(data, turn)];
        },
      },
    },
    reply: ({ body }) => {
      const faults = validate(body, "openai").map(({ path, text }) => `${path}: ${text}`);
      record.add(body, faults);
      if (faults.length > 0) {
        return { type: "raw", status: 400, body: JSON.stringify({ error: { message: faults[0] } }) };
      }
      turn += 1;
      const { messages } = body;
      const last = Array.isArray(messages) ? (messages.at(-1) as JsonObject) : {};
      if (last.role !== "tool") {
        const toolCall = { tool: "lookup", input: { topic: `topic ${turn}` } };
        return { type: "answer", answer: { pieces: [], stop: "tool-call", toolCall, usage } };
      }
      const pieces = [`Answer ${turn}: `, writeWords(60, turn)];
      return { type: "answer", answer: { pieces, stop: "end", usage } };
    },
  });
  return finishProvider(server, record, []);
}

/** Gives each call its own id, as the provider does. */
function nameCalls<Data>(data: Data, turn: number): Data {
  return JSON.parse(JSON.stringify(data).replaceAll("call_scripted_1", `call_${turn}`));
}
