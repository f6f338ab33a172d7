/**
 * Anthropic's Messages API by its strict rules, with streams whose bytes are cut at any place, also inside a character.
 * Questions are answered with two parallel calls, results with a text.
 */
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { isJsonObject, type JsonObject } from "../../src/core/message/json.ts";
import { createAnthropicDouble } from "../../src/testing/anthropic-double.ts";
import { anthropic } from "../../src/testing/anthropic-wire.ts";
import { type SeededRandom, seededRandom } from "../../src/testing/seeded-random.ts";

export interface SplitAnthropic extends AsyncDisposable {
  readonly url: string;
  readonly requests: number;
  readonly refusals: readonly string[];
  /** Requests whose list had a summary. */
  readonly folded: number;
}

const ZERO = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
const MAX_PIECE_BYTES = 90;

export async function startSplitAnthropic(seed: number): Promise<SplitAnthropic> {
  const double = createAnthropicDouble();
  const random = seededRandom(seed);
  const refusals: string[] = [];
  let [requests, folded] = [0, 0];
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    const body: JsonObject = JSON.parse(text);
    requests += 1;
    if (text.includes("[Summary of the")) folded += 1;
    const verdict = double.judge({ body });
    if (verdict.type === "refusal") {
      refusals.push(`${verdict.rule}: ${verdict.path}: ${verdict.message}`);
      response
        .writeHead(verdict.status)
        .end(JSON.stringify(anthropic.error({ ...verdict, code: "invalid_request_error" })));
      return;
    }
    const blocks = double.issue({ body }, writeBlocks(body, requests));
    const stop = blocks.some(({ type }) => type === "tool_use") ? "tool-call" : "end";
    const answer = { id: `msg_${requests}`, pieces: [], stop, blocks, usage: ZERO } as const;
    if (body.stream !== true) {
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(anthropic.whole(answer)));
      return;
    }
    const events = [...anthropic.events(answer)].map(
      ([name, data]) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`,
    );
    events.splice(1, 0, 'event: ping\ndata: {"type": "ping"}\n\n');
    await writeCut(response, Buffer.from(events.join("")), random);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    refusals,
    get requests() {
      return requests;
    },
    get folded() {
      return folded;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function writeBlocks({ messages }: JsonObject, turn: number): readonly JsonObject[] {
  const last = Array.isArray(messages) ? messages.at(-1) : undefined;
  const content = isJsonObject(last) && Array.isArray(last.content) ? last.content : [];
  const hasResults = content.some((block) => isJsonObject(block) && block.type === "tool_result");
  const thought = { type: "thinking", thinking: `Thought ${turn}, 舟 first.` };
  if (hasResults)
    return [thought, { type: "text", text: `Answer ${turn}: the ñ boat 舟 🚢 lies at pier ${turn % 7}.` }];
  const call = (place: number) => ({
    ...{ type: "tool_use", id: `toolu_${turn}_${place}`, name: "lookup" },
    input: { topic: `topic ${turn}.${place}` },
  });
  return [thought, call(0), call(1)];
}

/** Cuts the bytes into pieces of random length, each in its own write. */
async function writeCut(response: ServerResponse, bytes: Buffer, random: SeededRandom): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.socket?.setNoDelay(true);
  for (let start = 0; start < bytes.length; ) {
    const end = start + 1 + random.integer(MAX_PIECE_BYTES);
    response.write(bytes.subarray(start, end));
    start = end;
    await new Promise((resolve) => setImmediate(resolve));
  }
  response.end();
}
