/** The provider double of `palimpsest/testing`, called over its socket as a program calls the provider. */
import { createAnthropic } from "@ai-sdk/anthropic";
import { generateText } from "ai";
import { describe, expect, test } from "vitest";
import { openPalimpsest } from "../src/index.ts";
import { createAnthropicDouble, startAnthropicDouble } from "../src/testing/public/index.ts";

const MODEL = "claude-opus-5-5";
const reply = () => ({ content: [{ type: "text", text: "Here it is." }] });
const messages = [{ role: "user", content: "Where is it?" }];
const base = { model: MODEL, max_tokens: 100, messages };
const HEADERS = { "x-api-key": "key", "anthropic-version": "2023-06-01", "content-type": "application/json" };

async function send(url: string, body: string, headers: Readonly<Record<string, string>> = HEADERS) {
  const response = await fetch(`${url}/v1/messages`, { method: "POST", headers, body });
  return { status: response.status, body: (await response.json()) as unknown };
}

describe("the Anthropic double", () => {
  const { max_tokens: _, ...withoutLimit } = base;
  const { model: __, ...withoutModel } = base;
  const { messages: ___, ...withoutMessages } = base;
  test.each([
    ["no message", JSON.stringify({ ...base, messages: [] }), "messages: at least one message is required"],
    ["no list of messages", JSON.stringify(withoutMessages), "messages: Field required"],
    ["messages as a string", JSON.stringify({ ...base, messages: "Hello" }), "messages: Input should be a valid list"],
    ["a message of null", JSON.stringify({ ...base, messages: [null] }), /^messages/],
    ["a message without content", JSON.stringify({ ...base, messages: [{ role: "user" }] }), /^messages/],
    ["no max_tokens", JSON.stringify(withoutLimit), "max_tokens: Field required"],
    [
      "max_tokens of zero",
      JSON.stringify({ ...base, max_tokens: 0 }),
      "max_tokens: Input should be greater than or equal to 1",
    ],
    [
      "max_tokens as a string",
      JSON.stringify({ ...base, max_tokens: "many" }),
      "max_tokens: Input should be a valid integer",
    ],
    [
      "max_tokens below the thinking budget",
      JSON.stringify({ ...base, thinking: { type: "enabled", budget_tokens: 1_024 } }),
      /^`max_tokens` must be greater than `thinking.budget_tokens`/,
    ],
    ["no model", JSON.stringify(withoutModel), "model: Field required"],
    ["a body that is invalid JSON", '{"model":', /^The request body is not valid JSON/],
    ["a body that is a list", "[]", "model: Field required"],
  ])("refuses a request with %s, with the provider's own error", async (_name, body, message) => {
    await using provider = await startAnthropicDouble({ reply });
    const answer = await send(provider.url, body);
    const expected = typeof message === "string" ? message : expect.stringMatching(message);
    const error = { type: "invalid_request_error", message: expected };
    expect(answer).toMatchObject({ status: 400, body: { type: "error", error, request_id: expect.any(String) } });
  });

  test.each([
    ["no key", { "anthropic-version": "2023-06-01" }, 401, "authentication_error", "x-api-key header is required"],
    ["no version", { "x-api-key": "key" }, 400, "invalid_request_error", "anthropic-version: header is required"],
  ])(
    "refuses a request with %s header, with the provider's own error",
    async (_name, headers, status, type, message) => {
      await using provider = await startAnthropicDouble({ reply });
      const answer = await send(provider.url, JSON.stringify(base), headers);
      expect(answer).toMatchObject({ status, body: { type: "error", error: { type, message } } });
      expect(provider.verdicts).toMatchObject([{ type: "refusal", status }]);
    },
  );

  test("refuses a request to an unknown path", async () => {
    await using provider = await startAnthropicDouble({ reply });
    const response = await fetch(`${provider.url}/v1/complete`, { method: "POST", headers: HEADERS, body: "{}" });
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ type: "error", error: { type: "not_found_error" } });
  });

  test("judges a request without a socket", () => {
    const double = createAnthropicDouble();
    expect(double.judge({ body: { ...base, messages: [] } })).toMatchObject({
      type: "refusal",
      rule: "field",
      path: "messages",
    });
    expect(double.judge({ body: withoutLimit })).toMatchObject({ type: "refusal", rule: "field", path: "max_tokens" });
    expect(double.judge({ body: base })).toEqual({ type: "accepted", dropped: [] });
  });
});

test("a script that throws leads to an error response with its message, and the socket stays open", async () => {
  await using provider = await startAnthropicDouble({
    reply: () => {
      throw new Error("The script has no more replies.");
    },
  });
  expect(await send(provider.url, JSON.stringify(base))).toMatchObject({
    status: 500,
    body: { type: "error", error: { type: "api_error", message: "The script has no more replies." } },
  });
});

test("usage reported by the Anthropic double leaves the engine's counts unchanged", async () => {
  await using provider = await startAnthropicDouble({
    reply: (_request, index) => ({
      content: [{ type: "text", text: `Answer ${index}: ${"the tide turns at noon. ".repeat(20)}` }],
    }),
  });
  const model = createAnthropic({ baseURL: `${provider.url}/v1`, apiKey: "key" })(MODEL);
  const palimpsest = await openPalimpsest({ model: MODEL, budgetTokens: 8_000 });
  const session = await palimpsest.session("s");
  const factors: number[] = [];
  const ratios: number[] = [];
  for (let turn = 0; turn < 12; turn += 1) {
    const next = { role: "user", content: `Question ${turn} about the harbour?` };
    const prompt = await session.prompt({ next, instructions: "Be brief.", provider: "anthropic" });
    const { responseMessages, usage } = await generateText({ model, ...prompt.forStreamText() });
    factors.push(prompt.report.counter.factor);
    ratios.push((usage.inputTokens ?? 0) / prompt.report.tokens);
    await session.append(responseMessages, { promptId: prompt.id, usage });
  }
  expect(new Set(factors).size).toBe(1);
  for (const ratio of ratios.slice(1)) expect(Math.abs(ratio - 1)).toBeLessThan(0.02);
  await palimpsest.close();
});
