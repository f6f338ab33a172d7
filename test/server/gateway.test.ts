/** The gateway with the official clients of two vendors, between them and providers that check every request. */
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../src/core/message/json.ts";
import { validate } from "../../src/core/public/index.ts";
import { hashToken, newToken } from "../../src/server/access/tokens.ts";
import { createMemoryStore } from "../../src/stores/memory/memory-store.ts";
import { anthropic } from "../../src/testing/anthropic-wire.ts";
import { startWireServer } from "../../src/testing/wire-server.ts";
import {
  finishProvider,
  RequestRecord,
  type StrictProvider,
  startStrictAnthropic,
  writeWords,
} from "../integrations/strict-provider.ts";
import { startStrictResponses } from "../integrations/strict-responses.ts";
import { newFolders } from "../support/new-folders.ts";
import { openAiChat } from "../support/scripted-provider-openai.ts";
import { startTestServer, type TestServer } from "../support/start-server.ts";

const newFolder = newFolders("gateway");
const WINDOW_TOKENS = 8_000;
const TURNS = 16;
const CLAUDE = "claude-fable-5-1";
const TOOL = { name: "lookup", description: "Looks a topic up." };
const SCHEMA = { type: "object", properties: { topic: { type: "string" } } } as const;

function startGateway(url: string, options: Parameters<typeof startTestServer>[0] = {}): Promise<TestServer> {
  const upstreams = [
    { vendor: "anthropic", url },
    { vendor: "openai", url: `${url}/v1` },
  ] as const;
  return startTestServer({
    ...options,
    gateway: { upstreams, windowTokens: WINDOW_TOKENS, ...options.gateway },
    engine: { counter: "estimate", summarizer: "offline", ...options.engine },
  });
}

function expectHeld(provider: StrictProvider): void {
  expect(provider.faults).toEqual([]);
  expect(Math.max(...provider.sizes)).toBeLessThanOrEqual(WINDOW_TOKENS);
  // Each compaction changes the past once; requests between them only grow.
  expect(provider.brokenPrefixes).toBeGreaterThan(0);
  expect(provider.brokenPrefixes).toBeLessThan(provider.requests.length / 4);
}

const resultOf = (topic: unknown) => `Found on ${JSON.stringify(topic)}: ${writeWords(150, 7)}`;

describe("the gateway", () => {
  test("keeps a long conversation of Anthropic's client valid and in its window, over a restart", async () => {
    await using provider = await startStrictAnthropic();
    const store = `sqlite:${newFolder()}/store.db`;
    const messages: Anthropic.MessageParam[] = [];
    for (const part of [0, 1]) {
      await using gateway = await startGateway(provider.url, { store });
      const client = new Anthropic({ baseURL: gateway.url, apiKey: "key of the client", maxRetries: 0 });
      for (let turn = 0; turn < TURNS / 2; turn += 1) {
        messages.push({ role: "user", content: `Question ${part}.${turn}: ${writeWords(40, turn)}` });
        for (let step = 0; step < 2; step += 1) {
          const reply = await client.messages
            .stream({
              model: CLAUDE,
              max_tokens: 100,
              system: [{ type: "text", text: "Answer briefly.", cache_control: { type: "ephemeral" } }],
              tools: [{ ...TOOL, input_schema: SCHEMA }],
              thinking: { type: "adaptive" },
              messages,
            })
            .finalMessage();
          messages.push({ role: "assistant", content: reply.content });
          const calls = reply.content.filter((block) => block.type === "tool_use");
          if (calls.length === 0) break;
          const results = calls.map(({ id, input }) => ({
            type: "tool_result" as const,
            tool_use_id: id,
            content: resultOf(input),
          }));
          messages.push({ role: "user", content: results });
        }
      }
      const { body } = await gateway.ask("GET", "/api/sessions");
      expect(body.sessions).toHaveLength(1);
      expect(body.sessions[0].messageCount).toBeGreaterThanOrEqual(messages.length);
    }
    expectHeld(provider);
    expect(provider.requests.map(({ body }) => body.system)).toEqual(
      provider.requests.map(() => [{ type: "text", text: "Answer briefly.", cache_control: { type: "ephemeral" } }]),
    );
    expect(new Set(provider.requests.map(({ headers }) => headers.authorization))).toEqual(
      new Set(["Bearer key of the client"]),
    );
  });

  test("keeps a long conversation of OpenAI's client valid and in its window, in chat completions", async () => {
    await using provider = await startStrictChat();
    await using gateway = await startGateway(provider.url);
    const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: "key of the client", maxRetries: 0 });
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: "developer", content: "Answer briefly." }];
    for (let turn = 0; turn < TURNS; turn += 1) {
      messages.push({ role: "user", content: `Question ${turn}: ${writeWords(40, turn)}` });
      for (let step = 0; step < 2; step += 1) {
        const completion = await client.chat.completions
          .stream({
            model: "gpt-5.4",
            max_completion_tokens: 100,
            tools: [{ type: "function", function: { ...TOOL, parameters: SCHEMA } }],
            messages,
          })
          .finalMessage();
        messages.push(completion);
        const calls = completion.tool_calls ?? [];
        for (const { id } of calls) messages.push({ role: "tool", tool_call_id: id, content: resultOf(id) });
        if (calls.length === 0) break;
      }
    }
    expectHeld(provider);
    const heads = provider.requests.map(({ body }) => (body.messages as readonly JsonObject[])[0]);
    expect(new Set(heads.map((head) => JSON.stringify(head)))).toEqual(
      new Set([JSON.stringify({ role: "developer", content: "Answer briefly." })]),
    );
  });

  test("keeps a long conversation of OpenAI's client valid and in its window, in responses", async () => {
    await using provider = await startStrictResponses();
    await using gateway = await startGateway(provider.url);
    const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: "key of the client", maxRetries: 0 });
    const input: OpenAI.Responses.ResponseInputItem[] = [];
    for (let turn = 0; turn < TURNS; turn += 1) {
      input.push({ role: "user", content: `Question ${turn}: ${writeWords(40, turn)}` });
      for (let step = 0; step < 2; step += 1) {
        const response = await client.responses.create({
          model: "gpt-5.4",
          instructions: "Answer briefly.",
          store: false,
          include: ["reasoning.encrypted_content"],
          tools: [{ type: "function", ...TOOL, parameters: SCHEMA, strict: false }],
          input,
        });
        input.push(...(response.output as OpenAI.Responses.ResponseInputItem[]));
        const calls = response.output.filter((item) => item.type === "function_call");
        for (const { call_id } of calls)
          input.push({ type: "function_call_output", call_id, output: resultOf(call_id) });
        if (calls.length === 0) break;
      }
    }
    expectHeld(provider);
  });
});

const hash = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

interface RawRequest {
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
}

/** An upstream that answers with given bytes and records the bytes of requests. */
async function startRaw(answer: (request: RawRequest, response: ServerResponse) => void) {
  const requests: RawRequest[] = [];
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const request = { headers: incoming.headers, bytes: Buffer.concat(chunks) };
    requests.push(request);
    answer(request, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function post(gateway: TestServer, body: string | Uint8Array, headers: Record<string, string> = {}): Promise<Response> {
  const sent = { "content-type": "application/json", ...headers };
  return fetch(`${gateway.url}/v1/chat/completions`, { method: "POST", headers: sent, body });
}

async function readText(response: Response): Promise<unknown> {
  return JSON.parse(await response.text()).choices[0].message.content;
}

async function readError(response: Response): Promise<{ readonly type: string; readonly message: string }> {
  return JSON.parse(await response.text()).error;
}

const chat = (...texts: readonly string[]) =>
  JSON.stringify({
    model: "gpt-5.4",
    messages: texts.map((content, index) => ({ role: index % 2 === 0 ? "user" : "assistant", content })),
  });

const replyWith = (text: string) =>
  JSON.stringify({
    choices: [{ index: 0, message: { role: "assistant", content: text }, finish_reason: "stop" }],
    usage: { prompt_tokens: 10, completion_tokens: 2, total_tokens: 12 },
  });

describe("a conversation that fits", () => {
  test("passes through byte for byte in both directions, compressed or not", async () => {
    const reply = gzipSync(Buffer.from(`  ${replyWith("Pier four. ñ 舟")}\n`));
    await using upstream = await startRaw((_request, response) => {
      response.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip", "x-own": "kept" });
      response.end(reply);
    });
    await using gateway = await startGateway(upstream.url);
    const plain = Buffer.from(
      `{ "messages" :[ {"content":"Which pier?","role":"user"}],\n "model":"gpt-5.4", "n":1.0}`,
    );
    for (const [bytes, headers] of [
      [plain, {}],
      [gzipSync(plain), { "content-encoding": "gzip" }],
    ] as const) {
      const response = await new Promise<{ readonly bytes: Buffer; readonly incoming: IncomingMessage }>((resolve) => {
        const options = { method: "POST", headers: { "content-type": "application/json", ...headers } };
        const outgoing = request(`${gateway.url}/v1/chat/completions`, options, async (incoming) => {
          const chunks: Buffer[] = [];
          for await (const chunk of incoming) chunks.push(chunk);
          resolve({ bytes: Buffer.concat(chunks), incoming });
        });
        outgoing.end(bytes);
      });
      expect(hash(response.bytes)).toBe(hash(reply));
      expect(response.incoming.headers).toMatchObject({ "x-own": "kept", "content-encoding": "gzip" });
      expect(hash(upstream.requests.at(-1)?.bytes ?? Buffer.alloc(0))).toBe(hash(bytes));
    }
    const { body } = await gateway.ask("GET", "/api/sessions");
    const messages = await gateway.ask("GET", `/api/sessions/${body.sessions.at(-1).id}/entries`);
    expect(JSON.stringify(messages.body)).toContain("Pier four. ñ 舟");
  });

  test("continues its session with a new message, and forks after an edit, a retry or another reply", async () => {
    let count = 0;
    await using upstream = await startRaw((_request, response) => {
      count += 1;
      response.writeHead(200, { "content-type": "application/json" }).end(replyWith(`Reply ${count}.`));
    });
    await using gateway = await startGateway(upstream.url);
    const sessionOf = async (...texts: string[]) => {
      const response = await post(gateway, chat(...texts));
      await response.text();
      return response.headers.get("x-palimpsest-session");
    };
    const first = await sessionOf("Hello");
    expect(await sessionOf("Hello", "Reply 1.", "More")).toBe(first);
    expect(await sessionOf("Hello", "Reply 1.", "More", "Reply 2.", "Still more")).toBe(first);
    const edited = await sessionOf("Hello", "Reply 1.", "Other");
    expect(edited).not.toBe(first);
    expect(await sessionOf("Hello", "Reply 1.", "Other", "Reply 4.", "On")).toBe(edited);
    const retried = await sessionOf("Hello");
    expect(await sessionOf("Hello", "Reply 6.", "More")).toBe(retried);
    expect(await sessionOf("Hello", "Reply 1.", "More", "Reply 2.", "Still more", "Reply 3.", "End")).toBe(first);
    expect(new Set([first, edited, retried]).size).toBe(3);
  });

  test("is compacted without text of other conversations that began alike", async () => {
    await using upstream = await startRaw((request, response) => {
      const [, name = ""] = /marker-(\w+)/.exec(request.bytes.toString()) ?? [];
      response
        .writeHead(200, { "content-type": "application/json" })
        .end(replyWith(`Noted ${name}. ${writeWords(200, 3)}`));
    });
    await using gateway = await startGateway(upstream.url, { gateway: { windowTokens: 2_000 } });
    const names = ["alpha", "beta", "gamma"];
    const lists = names.map(() => ["Hello", "Welcome", writeWords(60, 1), "Yes"]);
    for (let turn = 0; turn < 8; turn += 1) {
      for (const [index, name] of names.entries()) {
        const list = lists[index] ?? [];
        list.push(`marker-${name} ${turn} ${writeWords(80, turn)}`);
        const response = await post(gateway, chat(...list));
        list.push(JSON.parse(await response.text()).choices[0].message.content);
        const sent = upstream.requests.at(-1)?.bytes.toString() ?? "";
        for (const other of names.filter((each) => each !== name)) expect(sent).not.toContain(other);
      }
    }
    expect(upstream.requests.at(-1)?.bytes.toString()).toContain("[Summary of");
  });
});

describe("the gateway under faults", () => {
  test("sends a smaller prompt once, after the upstream has refused one as too long", async () => {
    const error = {
      error: {
        message: "This model's maximum context length is 900 tokens. However, your messages resulted in 1500 tokens.",
        code: "context_length_exceeded",
      },
    };
    await using upstream = await startRaw((request, response) => {
      const isLong = request.bytes.length > 4_000;
      response.writeHead(isLong ? 400 : 200, { "content-type": "application/json" });
      response.end(isLong ? JSON.stringify(error) : replyWith("Fits."));
    });
    await using gateway = await startGateway(upstream.url);
    const texts = Array.from({ length: 11 }, (_, index) => `${index}. ${writeWords(70, index)}`);
    const response = await post(gateway, chat(...texts));
    expect([response.status, await readText(response)]).toEqual([200, "Fits."]);
    expect(upstream.requests).toHaveLength(2);
  });

  test("returns other errors of the upstream unchanged, with their headers", async () => {
    const text = `{"error": {"message":"Slow down.",  "type":"rate_limit"}}`;
    await using upstream = await startRaw((_request, response) => {
      response
        .writeHead(429, { "content-type": "application/json", "retry-after": "7", "x-should-retry": "true" })
        .end(text);
    });
    await using gateway = await startGateway(upstream.url);
    const response = await post(gateway, chat("Hello"));
    expect([response.status, await response.text()]).toEqual([429, text]);
    expect([response.headers.get("retry-after"), response.headers.get("x-should-retry")]).toEqual(["7", "true"]);
  });

  test("reports an upstream that cannot be reached in the form of the client's API", async () => {
    await using gateway = await startGateway("http://127.0.0.1:9");
    const openAi = await post(gateway, chat("Hello"));
    expect([openAi.status, (await readError(openAi)).message]).toEqual([
      502,
      expect.stringContaining("127.0.0.1:9 cannot be reached (ECONNREFUSED)"),
    ]);
    const body = JSON.stringify({ model: CLAUDE, max_tokens: 10, messages: [{ role: "user", content: "Hello" }] });
    const claude = await fetch(`${gateway.url}/v1/messages`, { method: "POST", body });
    expect([claude.status, (await readError(claude)).type]).toEqual([502, "api_error"]);
  });

  test("cancels the upstream's request when the client cancels, and continues the session afterwards", async () => {
    const canceled = Promise.withResolvers<void>();
    let isFirst = true;
    await using upstream = await startRaw((_request, response) => {
      if (!isFirst) return void response.writeHead(200, { "content-type": "application/json" }).end(replyWith("Done."));
      isFirst = false;
      response.on("close", () => canceled.resolve());
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(`data: {"choices":[{"index":0,"delta":{"content":"Half a"}}]}\n\n`);
    });
    await using gateway = await startGateway(upstream.url);
    const abort = new AbortController();
    const response = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: "POST",
      body: chat("Hello"),
      signal: abort.signal,
    });
    await response.body?.getReader().read();
    abort.abort();
    await canceled.promise;
    const next = await post(gateway, chat("Hello"));
    expect(await readText(next)).toBe("Done.");
    expect(next.headers.get("x-palimpsest-session")).toBe(response.headers.get("x-palimpsest-session"));
  });

  test("forwards a conversation untouched, and says so, if the store has failed", async () => {
    await using upstream = await startRaw((_request, response) => {
      response.writeHead(200, { "content-type": "application/json" }).end(replyWith("Done."));
    });
    const store = createMemoryStore();
    await using gateway = await startGateway(upstream.url, { store });
    await post(gateway, chat("Hello")).then((response) => response.text());
    await store.close();
    const body = chat("Another");
    const response = await post(gateway, body);
    expect(response.headers.get("x-palimpsest-degraded")).toBeTruthy();
    expect(await readText(response)).toBe("Done.");
    expect(upstream.requests.at(-1)?.bytes.toString()).toBe(body);
  });

  test("answers 503 for a conversation that was compacted, if the store has failed", async () => {
    await using upstream = await startRaw((_request, response) => {
      response.writeHead(200, { "content-type": "application/json" }).end(replyWith("Done."));
    });
    const store = createMemoryStore();
    await using gateway = await startGateway(upstream.url, { store, gateway: { windowTokens: 2_000 } });
    const texts = Array.from({ length: 15 }, (_, index) => `${index}. ${writeWords(80, index)}`);
    const folded = await post(gateway, chat(...texts));
    await folded.text();
    expect(Number(folded.headers.get("x-palimpsest-saved-tokens"))).toBeGreaterThan(500);
    await store.close();
    const response = await post(gateway, chat(...texts, "Reply.", "More"));
    expect([response.status, (await readError(response)).type]).toEqual([503, "server_error"]);
    expect(upstream.requests).toHaveLength(1);
  });

  test("refuses a WebSocket with 426, after which Codex uses HTTP", async () => {
    await using gateway = await startGateway("http://127.0.0.1:9");
    const headers = { connection: "upgrade", upgrade: "websocket", "sec-websocket-version": "13" };
    const outgoing = request(`${gateway.url}/v1/responses`, { headers }).end();
    const [response] = (await once(outgoing, "response")) as [IncomingMessage];
    response.resume();
    expect(response.statusCode).toBe(426);
  });

  test("replaces a token of the server with the operator's key, and refuses other keys", async () => {
    await using upstream = await startRaw((_request, response) => {
      response.writeHead(200, { "content-type": "application/json" }).end(replyWith("Done."));
    });
    const token = newToken();
    const row = { hash: hashToken(token), tenantId: "harbor" };
    const upstreams = [{ vendor: "openai", url: upstream.url, apiKey: "key of the operator" }] as const;
    await using gateway = await startTestServer({ tokens: [row], gateway: { upstreams } });
    const admitted = await post(gateway, chat("Hello"), { authorization: `Bearer ${token}` });
    expect(admitted.status).toBe(200);
    expect(upstream.requests[0]?.headers.authorization).toBe("Bearer key of the operator");
    expect(JSON.stringify(upstream.requests[0]?.headers)).not.toContain(token);
    const refused = await post(gateway, chat("Hello"), { authorization: "Bearer key of another server" });
    expect([refused.status, (await readError(refused)).type]).toEqual([401, "invalid_request_error"]);
    expect(upstream.requests).toHaveLength(1);
  });
});

/** OpenAI's chat completions: one call, then a text. */
async function startStrictChat(): Promise<StrictProvider> {
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
