/**
 * Models as the engine calls them, over a real socket: the AI SDK's own providers against a scripted server. Every
 * fault is returned as an outcome, and no connection outlives its call.
 */
import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { LanguageModel } from "ai";
import { describe, expect, test } from "vitest";
import { isJsonObject, type JsonObject } from "../src/core/message/json.ts";
import { createAiSdkModel } from "../src/models/ai-sdk-model.ts";
import type { ModelOutcome, ModelRequest } from "../src/ports/model.ts";
import { scriptedClock } from "../src/testing/scripted-clock.ts";
import { shows } from "../src/testing/shows.ts";
import {
  type ProviderScript,
  SCRIPTED_USAGE,
  type ScriptedProvider,
  startScriptedProvider,
} from "./support/scripted-provider.ts";
import { scriptedReplies as replies, type ScriptedReply } from "./support/scripted-provider-reply.ts";
import { SCRIPTED_OVERFLOW } from "./support/scripted-provider-wire.ts";

const apiKey = "test-key";

const vendors: Readonly<Record<string, (url: string) => LanguageModel>> = {
  "openai chat": (url) => createOpenAI({ baseURL: `${url}/v1`, apiKey }).chat("gpt-4.1-mini"),
  "openai responses": (url) => createOpenAI({ baseURL: `${url}/v1`, apiKey }).responses("gpt-4.1-mini"),
  anthropic: (url) => createAnthropic({ baseURL: `${url}/v1`, apiKey })("claude-haiku-4-5"),
  google: (url) => createGoogleGenerativeAI({ baseURL: `${url}/v1beta`, apiKey })("gemini-2.5-flash"),
  "openai-compatible": (url) =>
    createOpenAICompatible({ name: "local", baseURL: `${url}/v1`, apiKey, includeUsage: true })("qwen3"),
};

const request: ModelRequest = {
  instructions: "Fold the conversation.",
  messages: [
    { id: "m1", role: "user", parts: [{ type: "text", text: "My port is 4711." }] },
    { id: "m2", role: "assistant", parts: [{ type: "text", text: "Noted." }] },
    { id: "m3", role: "user", parts: [{ type: "text", text: "Summarise." }] },
  ],
  maxOutputTokens: 500,
};

const schema = {
  type: "object",
  properties: { summary: { type: "string" } },
  required: ["summary"],
  additionalProperties: false,
} as const;

interface AskResult {
  readonly outcome: ModelOutcome;
  readonly provider: ScriptedProvider;
}

interface AskOptions {
  readonly request?: Partial<ModelRequest>;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

const START_MS = Date.UTC(2026, 0, 1);

/** Calls once and waits until the server has lost every connection. */
async function ask(vendor: string, script: ProviderScript, options: AskOptions = {}): Promise<AskResult> {
  await using provider = await startScriptedProvider(script);
  const make = vendors[vendor];
  if (make === undefined) throw new Error(`There is no vendor ${vendor}.`);
  const clock = scriptedClock({ startMs: START_MS });
  const model = createAiSdkModel(make(provider.url), { timeoutMs: options.timeoutMs ?? 10_000, clock });
  const signal = options.signal ?? new AbortController().signal;
  const outcome = await model.generate({ ...request, ...options.request }, signal);
  await provider.settle(1_000);
  return { outcome, provider };
}

const names = Object.keys(vendors);

describe.each(names)("a model of %s", (vendor) => {
  const text = "The user's port is 4711. 🙂 Ünïcödé, 中文.";

  test(shows("S2-22", "answers with text, at temperature 0 with a token limit and no tools"), async () => {
    const { outcome, provider } = await ask(vendor, [replies.text(text)]);
    expect(outcome).toMatchObject({ type: "text", text, stopReason: "end" });
    expect(provider.requests).toHaveLength(1);
    const body: JsonObject = provider.requests[0]?.body ?? {};
    const settings: JsonObject = isJsonObject(body.generationConfig) ? body.generationConfig : body;
    expect(settings.temperature).toBe(0);
    const caps = ["max_tokens", "max_completion_tokens", "max_output_tokens", "maxOutputTokens"];
    expect(caps.map((key) => settings[key])).toContain(request.maxOutputTokens);
    for (const key of ["tools", "tool_choice", "toolConfig"]) expect(body[key]).toBeUndefined();
    expect(JSON.stringify(body)).toContain("My port is 4711.");
    expect(JSON.stringify(body)).toContain("Fold the conversation.");
  });

  test("reports usage, including tokens read from and written to the cache", async () => {
    const { outcome } = await ask(vendor, [replies.text(text)]);
    const { cacheWriteTokens, ...everybody } = SCRIPTED_USAGE;
    // Gemini and most compatible servers do not report tokens written to the cache.
    const says = vendor === "google" || vendor === "openai-compatible" ? {} : { cacheWriteTokens };
    expect(outcome).toMatchObject({ usage: { ...everybody, ...says } });
  });

  test(shows("S4-29", "requests structured output by the schema"), async () => {
    const { outcome, provider } = await ask(vendor, [replies.json({ summary: text })], { request: { schema } });
    expect(outcome).toMatchObject({ type: "text", text: JSON.stringify({ summary: text }) });
    const asked = JSON.stringify(provider.requests[0]?.body);
    if (vendor === "openai-compatible") expect(asked).toContain("json_object");
    else expect(asked).toContain('"summary":{"type":"string"}');
  });

  test(shows("S2-23", "sends the conversation's tools only if they are given, and forbids their use"), async () => {
    const tools = [{ name: "read_file", description: "Reads.", inputSchema: { type: "object", properties: {} } }];
    const { outcome, provider } = await ask(vendor, [replies.text(text)], { request: { tools } });
    expect(outcome).toMatchObject({ type: "text", text });
    const body = JSON.stringify(provider.requests[0]?.body);
    expect(body).toContain("read_file");
    expect(body).toMatch(/"tool_choice":"none"|"tool_choice":\{"type":"none"\}|"mode":"NONE"/);
  });

  test.each<readonly [string, ScriptedReply]>([
    ["fenced JSON", replies.fencedJson({ summary: "x" })],
    ["text that arrives one byte at a time", replies.slow("The port is 4711. 🙂")],
  ])("returns %s unchanged", async (_, reply) => {
    const { outcome } = await ask(vendor, [reply]);
    expect(outcome).toMatchObject({ type: "text", text: reply.type === "text" ? reply.text : "" });
  });

  test("reports that the token limit cut an answer", async () => {
    const { outcome } = await ask(vendor, [replies.truncatedJson({ summary: "a long one" })], { request: { schema } });
    expect(outcome).toMatchObject({ type: "text", text: '{"summary":"', stopReason: "output-limit" });
  });

  test.each<readonly [string, ScriptedReply, RegExp]>([
    ["an empty answer", replies.empty(), /blank/],
    ["an answer of white space", replies.whitespace(), /blank/],
    ["a tool call", replies.toolCall("read_file", { path: "a.ts" }), /read_file/],
  ])("reports that a retry after %s cannot help", async (_, reply, reason) => {
    const { outcome } = await ask(vendor, [reply]);
    expect(outcome).toMatchObject({ type: "failed", retryable: false, reason: expect.stringMatching(reason) });
  });

  test("returns no text if the model refuses", async () => {
    const { outcome } = await ask(vendor, [replies.refusal()]);
    expect(outcome).toMatchObject({ type: "refused" });
  });

  test("stops reading an endless answer long before 50 MB, and disconnects", async () => {
    const { outcome, provider } = await ask(vendor, [replies.flood()]);
    expect(outcome).toMatchObject({ type: "failed", retryable: false, reason: expect.stringContaining("cut off") });
    expect(provider.bytesSent).toBeLessThan(5_000_000);
  });

  test.each([400, 413])("recognizes an overflow with status %i", async (status) => {
    const { outcome, provider } = await ask(vendor, [replies.overflow(status)], { request: { schema } });
    expect(outcome).toMatchObject({ type: "overflow", ...SCRIPTED_OVERFLOW });
    expect(provider.requests).toHaveLength(1);
  });

  test.each<readonly [string, string | undefined, number | undefined]>([
    ["a header in seconds", "7", 7_000],
    ["a header with a date", new Date(START_MS + 12_000).toUTCString(), 12_000],
    ["a header with a date that has passed", new Date(START_MS - 12_000).toUTCString(), 0],
    ["no header", undefined, undefined],
    ["a header in an unknown format", "soon", undefined],
  ])("reports the delay that a provider requests, if it can be read: %s", async (_, header, retryAfterMs) => {
    const { outcome, provider } = await ask(vendor, [replies.rateLimited(header)]);
    expect(outcome).toMatchObject({ type: "failed", retryable: true });
    expect(outcome.type === "failed" ? outcome.retryAfterMs : undefined).toBe(retryAfterMs);
    expect(provider.requests).toHaveLength(1);
  });

  test.each<readonly [string, ScriptedReply, boolean]>([
    ["a 500", replies.serverError(), true],
    ["a 503", replies.serverError(503), true],
    ["a reset before the first byte", replies.reset(text, 0), true],
    ["a reset mid-stream", replies.reset(text.repeat(50), 700), true],
    ["an HTML page", { type: "raw", status: 502, body: "<html>Bad gateway</html>" }, true],
    [
      "a stream that ends too early",
      { type: "raw", status: 200, body: "", headers: { "content-type": "text/event-stream" } },
      true,
    ],
    ["a wrong key", replies.unauthorised(), false],
    ["a bad request", { type: "raw", status: 400, body: '{"error":{"message":"Unknown field x."}}' }, false],
  ])(shows(["S4-31", "S4-49"], "reports whether a retry after %s makes sense"), async (_, reply, retryable) => {
    const { outcome, provider } = await ask(vendor, [reply]);
    expect(outcome).toMatchObject({ type: "failed", retryable });
    expect(provider.requests).toHaveLength(1);
  });

  test.each<readonly [string, ScriptedReply]>([
    ["hangs", replies.hang()],
    ["sends its answer too slowly", replies.slow(text.repeat(20), 20)],
  ])("stops at its deadline if the provider %s", async (_, reply) => {
    const { outcome } = await ask(vendor, [reply], { timeoutMs: 150 });
    const reason = "There was no complete answer after 150 ms.";
    expect(outcome).toEqual({ type: "failed", reason, retryable: true });
  });

  test.each<readonly [string, ScriptedReply]>([
    ["nothing has arrived", replies.hang()],
    ["text is streaming", replies.slow(text.repeat(20), 5)],
  ])("stops when it is aborted, while %s", async (_, reply) => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 100);
    const { outcome } = await ask(vendor, [reply], { signal: controller.signal });
    expect(outcome).toEqual({ type: "failed", reason: "The call was aborted.", retryable: false });
  });

  test("sends nothing when it was aborted before it started", async () => {
    const { outcome, provider } = await ask(vendor, [], { signal: AbortSignal.abort() });
    expect(outcome).toMatchObject({ type: "failed", retryable: false });
    expect(provider.requests).toEqual([]);
  });
});

describe("a model whose provider refuses the schema", () => {
  const refusal: ScriptedReply = {
    type: "raw",
    status: 400,
    body: '{"error":{"message":"This response_format type is unavailable now","type":"invalid_request_error"}}',
  };

  test("is called again without a schema, and without one in later calls", async () => {
    await using provider = await startScriptedProvider([refusal, replies.json({ summary: "x" }), replies.text("y")]);
    const model = createAiSdkModel(createOpenAI({ baseURL: `${provider.url}/v1`, apiKey }).chat("gpt-4.1-mini"), {
      timeoutMs: 5_000,
    });
    const { signal } = new AbortController();
    expect(await model.generate({ ...request, schema }, signal)).toMatchObject({
      type: "text",
      text: '{"summary":"x"}',
    });
    expect(await model.generate({ ...request, schema }, signal)).toMatchObject({ type: "text", text: "y" });
    const bodies = provider.requests.map(({ body }) => body);
    expect(bodies.map((body) => (body.response_format === undefined ? "words" : "schema"))).toEqual([
      "schema",
      "words",
      "words",
    ]);
    expect(JSON.stringify(bodies[1]?.messages)).toContain("must follow this JSON schema");
  });

  test("reports the second refusal unchanged", async () => {
    const { outcome, provider } = await ask("openai chat", [refusal, replies.serverError()], { request: { schema } });
    expect(outcome).toMatchObject({ type: "failed", retryable: true, reason: expect.stringContaining("HTTP 500") });
    expect(provider.requests).toHaveLength(2);
  });
});

describe("an answer of 50 MB in one piece", () => {
  test("is cut off", async () => {
    const choices = [{ index: 0, delta: { content: "word ".repeat(10_000_000) }, finish_reason: "stop" }];
    const body = `data: ${JSON.stringify({ id: "1", object: "chat.completion.chunk", created: 0, model: "m", choices })}\n\n`;
    const reply: ScriptedReply = { type: "raw", status: 200, body, headers: { "content-type": "text/event-stream" } };
    const { outcome } = await ask("openai chat", [reply]);
    expect(outcome).toMatchObject({ type: "failed", retryable: false, reason: expect.stringContaining("cut off") });
  });
});

describe("the scripted provider", () => {
  test.each([
    ["/v1/chat/completions", { model: "m", messages: [] }, /"content":"hello"/],
    ["/v1/responses", { model: "m", input: [] }, /"text":"hello"/],
    ["/v1/messages", { model: "m", messages: [] }, /"text":"hello"/],
    ["/v1beta/models/m:generateContent", { contents: [] }, /"text":"hello"/],
  ])("answers %s in one piece if no stream is requested, and records the request", async (path, body, expected) => {
    await using provider = await startScriptedProvider([replies.text("hello")]);
    const response = await fetch(`${provider.url}${path}`, {
      method: "POST",
      headers: { "x-test": "1" },
      body: JSON.stringify(body),
    });
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(await response.text()).toMatch(expected);
    expect(provider.requests).toMatchObject([{ path, body, streaming: false, headers: { "x-test": "1" } }]);
  });

  test("reports a request for which its script has no reply", async () => {
    const { outcome } = await ask("openai chat", []);
    expect(outcome).toMatchObject({ type: "failed", retryable: false, reason: expect.stringContaining("one more") });
  });
});
