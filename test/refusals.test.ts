/** Which errors of a provider require a smaller prompt, and how the others are handled. */
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { APICallError, generateText, RetryError } from "ai";
import { describe, expect, test } from "vitest";
import { isTooLong, openPalimpsest, type PalimpsestError } from "../src/index.ts";
import { longTalk } from "./support/long-talk.ts";
import { startScriptedProvider } from "./support/scripted-provider.ts";
import { type ScriptedReply, scriptedReplies } from "./support/scripted-provider-reply.ts";

/** Errors of vendors' own packages, with their fields: a status, a code and the parsed body. */
class VendorError extends Error {
  readonly status: number;
  readonly error: unknown;
  readonly code: string | null;

  constructor(status: number, message: string, { error, code = null }: { error?: unknown; code?: string | null } = {}) {
    super(message);
    this.status = status;
    this.error = error;
    this.code = code;
  }
}

const OPENAI_TEXT =
  "This model's maximum context length is 128000 tokens. However, your messages resulted in 204308 tokens.";
const ANTHROPIC_BODY = {
  type: "error",
  error: { type: "invalid_request_error", message: "prompt is too long: 213462 tokens > 200000 maximum" },
};
const GEMINI_BODY = {
  error: {
    code: 400,
    message: "The input token count (1200293) exceeds the maximum number of tokens allowed (1048576).",
    status: "INVALID_ARGUMENT",
  },
};

const named = (error: Error, name: string) => Object.assign(error, { name });
const apiCallError = (statusCode: number, responseBody: string) =>
  new APICallError({ message: "Bad Request", url: "https://a.test", requestBodyValues: {}, statusCode, responseBody });

const tooLong: readonly (readonly [string, unknown])[] = [
  ["an APICallError of the AI SDK", apiCallError(400, JSON.stringify(ANTHROPIC_BODY))],
  [
    "a RetryError of the AI SDK",
    new RetryError({
      message: "Failed after 3 attempts.",
      reason: "maxRetriesExceeded",
      errors: [new Error("other"), apiCallError(400, JSON.stringify(GEMINI_BODY))],
    }),
  ],
  ["openai's APIError", new VendorError(400, `400 ${OPENAI_TEXT}`, { code: "context_length_exceeded" })],
  [
    "openai's APIError with only a code",
    new VendorError(400, "400 status code (no body)", { code: "context_length_exceeded" }),
  ],
  ["@anthropic-ai/sdk's APIError", new VendorError(400, "400 Bad Request", { error: ANTHROPIC_BODY })],
  ["@google/genai's ApiError", new VendorError(400, JSON.stringify(GEMINI_BODY))],
  ["a fetch response body as text", JSON.stringify(ANTHROPIC_BODY)],
  ["a fetch response body as JSON", GEMINI_BODY],
  ["a proxy's 413", { status: 413, statusText: "Payload Too Large" }],
  ["LangChain's ContextOverflowError", named(new Error("Too large."), "ContextOverflowError")],
  ["a LangChain error that wraps the provider's", named(new Error(OPENAI_TEXT), "BadRequestError")],
  ["a cause inside a cause", new Error("a", { cause: new Error("b", { cause: new Error(OPENAI_TEXT) }) })],
];

const other: readonly (readonly [string, unknown])[] = [
  ["a network that is down", new Error("network down")],
  ["a fetch that failed", new TypeError("fetch failed", { cause: new Error("connect ECONNREFUSED 127.0.0.1:9") })],
  ["a bug of the host", new TypeError("Cannot read properties of undefined (reading 'content')")],
  ["an abort", new DOMException("This operation was aborted", "AbortError")],
  ["a wrong key", new VendorError(401, "Incorrect API key provided", { code: "invalid_api_key" })],
  ["a rate limit", new VendorError(429, "Rate limit reached: Limit 30000, Used 29000, Requested 2400")],
  ["a quota per minute", apiCallError(429, '{"error":{"message":"30,000 input tokens per minute"}}')],
  ["an overloaded provider", apiCallError(529, '{"error":{"type":"overloaded_error","message":"Overloaded"}}')],
  ["a server's 500", new VendorError(500, "Internal server error")],
  ["an output limit", new VendorError(400, "max_tokens is too large: 100000.")],
  ["a bad request", new VendorError(400, "messages: roles must alternate")],
  ["an undefined error", undefined],
];

describe("isTooLong", () => {
  test.each(tooLong)("recognizes %s as a prompt that was too long", (_, error) => {
    expect(isTooLong(error)).toBe(true);
  });

  test.each(other)("recognizes %s as another failure", (_, error) => {
    expect(isTooLong(error)).toBe(false);
  });
});

async function open() {
  const palimpsest = await openPalimpsest({ windowTokens: 20_000, counter: "estimate" });
  const session = await palimpsest.session("s");
  await session.append(longTalk({ turns: 60 }), { format: "palimpsest" });
  return { session, prompt: await session.prompt(), [Symbol.asyncDispose]: () => palimpsest.close() };
}

describe("session.refused", () => {
  test.each(tooLong)("returns a smaller prompt after %s", async (_, error) => {
    await using scene = await open();
    const { session, prompt } = scene;
    const smaller = await session.refused(error, { promptId: prompt.id });
    expect(smaller.report.tokens).toBeLessThan(prompt.report.tokens);
  });

  test.each(other)("throws a typed error after %s and changes nothing", async (_, error) => {
    await using scene = await open();
    const { session, prompt } = scene;
    const before = await session.entries();
    const next = { role: "user", content: "What the attempt left behind." };
    const thrown = await session.refused(error, { promptId: prompt.id, next }).catch((reason: unknown) => reason);
    expect(thrown).toMatchObject({ name: "PalimpsestError", code: "not-too-long", retryable: false });
    expect((thrown as PalimpsestError).cause).toBe(error);
    expect(await session.entries()).toEqual(before);
    expect((await session.prompt()).report.tokens).toBe(prompt.report.tokens);
  });

  const over: readonly (readonly [string, ScriptedReply, boolean])[] = [
    ["an overflow", scriptedReplies.overflow(), true],
    ["a 401", scriptedReplies.unauthorised(), false],
    ["a 429", scriptedReplies.rateLimited("1"), false],
    ["a 500", scriptedReplies.serverError(), false],
  ];

  test.each(over)("recognizes %s of a provider through the AI SDK", async (_, reply, isOverflow) => {
    await using scene = await open();
    await using provider = await startScriptedProvider(() => reply);
    const at = { baseURL: `${provider.url}/v1`, apiKey: "none" };
    for (const model of [createOpenAI(at).chat("gpt-4.1"), createAnthropic(at)("claude-sonnet-4-5")]) {
      const request = { model, ...scene.prompt.forStreamText(), maxRetries: 0 };
      const error = await generateText(request).catch((thrown: unknown) => thrown);
      expect(isTooLong(error)).toBe(isOverflow);
    }
  });
});

describe("append with a prompt id", () => {
  test("fails as session.refused does if no prompt of the session has that id, and stores nothing", async () => {
    await using scene = await open();
    const { session } = scene;
    const before = await session.entries();
    const answer = { role: "assistant", content: "Yes." };
    const expected = { code: "prompt-not-found", message: expect.stringMatching(/no prompt with the id "prompt-9"/) };
    await expect(session.append(answer, { promptId: "prompt-9" })).rejects.toMatchObject(expected);
    await expect(session.refused("prompt is too long", { promptId: "prompt-9" })).rejects.toMatchObject(expected);
    const [message] = await session.entries({ types: ["message"], limit: 1 });
    await expect(session.append(answer, { promptId: `${message?.id}` })).rejects.toMatchObject({
      code: "prompt-not-found",
    });
    expect(await session.entries()).toEqual(before);
  });

  test("accepts an id from another engine on the same store, from a fork's parent and from before an import", async () => {
    const { createMemoryStore } = await import("../src/stores/memory/memory-store.ts");
    const store = createMemoryStore();
    const [here, elsewhere] = await Promise.all([openPalimpsest({ store }), openPalimpsest({ store })]);
    const session = await here.session("s");
    const prompt = await session.prompt({ next: { role: "user", content: "Is it raining?" } });
    const lines: string[] = [];
    for await (const line of here.exportSession("s")) lines.push(line);
    const fork = await session.fork();
    const answer = { id: "answer", role: "assistant", content: "No." };
    const append = { promptId: prompt.id, usage: { inputTokens: 12, outputTokens: 2 } };
    await (await elsewhere.session("s")).append(answer, append);
    // A client that did not receive the response sends it again.
    await session.append(answer, append);
    await fork.append(answer, append);
    await elsewhere.importSession(lines, { id: "copy" });
    await (await here.session("copy")).append(answer, append);
    for (const id of ["s", fork.id, "copy"]) {
      const [stored] = await (await here.session(id)).entries({ types: ["message"], newestFirst: true, limit: 1 });
      expect(stored).toMatchObject({ id: "answer", promptId: prompt.id, usage: { inputTokens: 12 } });
    }
    await Promise.all([here.close(), elsewhere.close()]);
  });
});
