/** Usage in the formats of providers and their packages, passed to `append` unchanged. */
import { describe, expect, test } from "vitest";
import type { Usage } from "../src/core/log/entry.ts";
import { openPalimpsest } from "../src/index.ts";
import { startTestServer } from "./support/start-server.ts";

const ALL: Usage = { inputTokens: 1_200, outputTokens: 48, cacheReadTokens: 1_024, cacheWriteTokens: 100 };
const NO_WRITES: Usage = { inputTokens: 1_200, outputTokens: 48, cacheReadTokens: 1_024 };
const NO_CACHE: Usage = { inputTokens: 1_200, outputTokens: 48 };

const shapes: readonly (readonly [string, object, Usage])[] = [
  ["Palimpsest itself", { ...ALL, model: "gpt-4.1" }, { ...ALL, model: "gpt-4.1" }],
  [
    "the AI SDK 7",
    {
      inputTokens: 1_200,
      inputTokenDetails: { noCacheTokens: 76, cacheReadTokens: 1_024, cacheWriteTokens: 100 },
      outputTokens: 48,
      outputTokenDetails: { textTokens: 40, reasoningTokens: 8 },
      totalTokens: 1_248,
      raw: { prompt_tokens: 1 },
    },
    ALL,
  ],
  [
    "the AI SDK 6 with deprecated figures",
    {
      inputTokens: 1_200,
      inputTokenDetails: { noCacheTokens: 176, cacheReadTokens: 1_024, cacheWriteTokens: undefined },
      outputTokens: 48,
      outputTokenDetails: { textTokens: 48, reasoningTokens: undefined },
      totalTokens: 1_248,
      reasoningTokens: undefined,
      cachedInputTokens: 1_024,
    },
    NO_WRITES,
  ],
  [
    "the AI SDK 5",
    { inputTokens: 1_200, outputTokens: 48, totalTokens: 1_248, reasoningTokens: 8, cachedInputTokens: 1_024 },
    NO_WRITES,
  ],
  [
    "a model of the AI SDK 6 or 7",
    {
      inputTokens: { total: 1_200, noCache: 76, cacheRead: 1_024, cacheWrite: 100 },
      outputTokens: { total: 48, text: 40, reasoning: 8 },
    },
    ALL,
  ],
  ["the AI SDK 4", { promptTokens: 1_200, completionTokens: 48, totalTokens: 1_248 }, NO_CACHE],
  ["OpenAI chat completions with the fewest fields", { prompt_tokens: 1_200 }, { inputTokens: 1_200 }],
  [
    "OpenAI chat completions",
    {
      prompt_tokens: 1_200,
      completion_tokens: 48,
      total_tokens: 1_248,
      prompt_tokens_details: { cached_tokens: 1_024, audio_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 8, accepted_prediction_tokens: 0 },
    },
    NO_WRITES,
  ],
  [
    "DeepSeek",
    {
      prompt_tokens: 1_200,
      completion_tokens: 48,
      total_tokens: 1_248,
      prompt_cache_hit_tokens: 1_024,
      prompt_cache_miss_tokens: 176,
    },
    NO_WRITES,
  ],
  [
    "OpenAI responses",
    {
      input_tokens: 1_200,
      input_tokens_details: { cached_tokens: 1_024 },
      output_tokens: 48,
      output_tokens_details: { reasoning_tokens: 8 },
      total_tokens: 1_248,
    },
    NO_WRITES,
  ],
  [
    "Anthropic, whose input leaves the cache out",
    {
      input_tokens: 76,
      cache_creation_input_tokens: 100,
      cache_read_input_tokens: 1_024,
      cache_creation: { ephemeral_5m_input_tokens: 100, ephemeral_1h_input_tokens: 0 },
      output_tokens: 48,
      service_tier: "standard",
    },
    ALL,
  ],
  [
    "Anthropic without a cache",
    { input_tokens: 1_200, cache_creation_input_tokens: null, cache_read_input_tokens: null, output_tokens: 48 },
    NO_CACHE,
  ],
  [
    "Gemini, with thoughts",
    {
      promptTokenCount: 1_200,
      candidatesTokenCount: 40,
      thoughtsTokenCount: 8,
      cachedContentTokenCount: 1_024,
      totalTokenCount: 1_248,
      promptTokensDetails: [{ modality: "TEXT", tokenCount: 1_200 }],
    },
    NO_WRITES,
  ],
  [
    "LangChain",
    {
      input_tokens: 1_200,
      output_tokens: 48,
      total_tokens: 1_248,
      input_token_details: { cache_read: 1_024, cache_creation: 100 },
    },
    ALL,
  ],
  [
    "Amazon Bedrock",
    {
      inputTokens: 76,
      outputTokens: 48,
      totalTokens: 124,
      cacheReadInputTokens: 1_024,
      cacheWriteInputTokens: 100,
    },
    ALL,
  ],
];

/** Usage as the log has it after an append. */
async function storeUsage(usage: object): Promise<unknown> {
  const palimpsest = await openPalimpsest();
  const session = await palimpsest.session("s");
  const prompt = await session.prompt({ next: { role: "user", content: "Is it raining?" } });
  await session.append({ role: "assistant", content: "No." }, { promptId: prompt.id, usage });
  const [answer] = await session.entries({ types: ["message"], newestFirst: true, limit: 1 });
  await palimpsest.close();
  return JSON.parse(JSON.stringify(answer)).usage;
}

describe("usage given to append", () => {
  test.each(shapes)("is read in the format of %s", async (_, usage, expected) => {
    expect(await storeUsage(usage)).toEqual(expected);
  });

  const impossible = [-1, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 1e300, 1_000_000_001];
  const paths = [
    ["inputTokens", (value: number) => ({ inputTokens: value })],
    ["outputTokens", (value: number) => ({ inputTokens: 1, outputTokens: value })],
    ["inputTokenDetails.cacheReadTokens", (value: number) => ({ inputTokenDetails: { cacheReadTokens: value } })],
    ["prompt_tokens_details.cached_tokens", (value: number) => cachedOf(value)],
    ["cache_creation_input_tokens", (value: number) => ({ input_tokens: 1, cache_creation_input_tokens: value })],
    ["thoughtsTokenCount", (value: number) => ({ promptTokenCount: 1, thoughtsTokenCount: value })],
  ] as const;
  const cachedOf = (value: number) => ({ prompt_tokens: 1, prompt_tokens_details: { cached_tokens: value } });

  test.each(paths)("is refused if %s is an impossible figure, and nothing is stored", async (path, make) => {
    const palimpsest = await openPalimpsest();
    const session = await palimpsest.session("s");
    for (const value of impossible) {
      const appending = session.append({ role: "assistant", content: "No." }, { usage: make(value) });
      await expect(appending).rejects.toMatchObject({
        code: "config-invalid",
        message: `session.append: usage.${path}: expected a number of tokens from 0 to 1,000,000,000, found ${value}.`,
      });
    }
    expect(await session.entries()).toEqual([]);
    await palimpsest.close();
  });

  test("is empty if the AI SDK 4 returns NaN, because the provider reported none", async () => {
    expect(await storeUsage({ promptTokens: Number.NaN, completionTokens: Number.NaN })).toEqual({});
  });

  test("is refused over HTTP if a figure is impossible, and the error names the figure", async () => {
    await using server = await startTestServer();
    await server.ask("POST", "/api/sessions", { id: "s" });
    for (const inputTokens of [-1, 1e300]) {
      const messages = [{ role: "assistant", content: "No." }];
      expect(await server.ask("POST", "/api/sessions/s/messages", { messages, usage: { inputTokens } })).toMatchObject({
        status: 400,
        body: { error: { code: "config-invalid", message: expect.stringContaining("usage.inputTokens: expected") } },
      });
    }
    expect((await server.ask("GET", "/api/sessions/s/entries")).body.entries).toEqual([]);
  });

  test("is accepted over HTTP in the provider's format, and an error suggests the nearest name", async () => {
    await using server = await startTestServer();
    await server.ask("POST", "/api/sessions", { id: "s" });
    const messages = [{ role: "assistant", content: "No." }];
    const raw = { prompt_tokens: 1_200, completion_tokens: 48, prompt_tokens_details: { cached_tokens: 1_024 } };
    expect(await server.ask("POST", "/api/sessions/s/messages", { messages, usage: raw })).toMatchObject({
      status: 200,
    });
    const { body } = await server.ask("GET", "/api/sessions/s/entries");
    expect(body.entries).toMatchObject([{ usage: NO_WRITES }]);
    const wrong = { messages, usage: { promt_tokens: 1_200 } };
    expect(await server.ask("POST", "/api/sessions/s/messages", wrong)).toMatchObject({
      status: 400,
      body: { error: { code: "config-invalid", message: expect.stringContaining('Did you mean "prompt_tokens"?') } },
    });
    const unknown = { messages, promptId: "prompt-9" };
    expect(await server.ask("POST", "/api/sessions/s/messages", unknown)).toMatchObject({
      status: 404,
      body: { error: { code: "prompt-not-found" } },
    });
  });
});
