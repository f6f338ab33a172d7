/** Error bodies of providers, each with its meaning. A row of the table without a sample here fails the test. */
import { APICallError } from "ai";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cpuMsOf, growthOf, LINEAR_GROWTH } from "../../test/support/growth.ts";
import { propertyRuns } from "../../test/support/property-runs.ts";
import { OVERFLOW_SOURCES, type Overflow, recognizeOverflow } from "./recognize-refusal.ts";

interface Sample {
  readonly from: string;
  readonly status: number;
  readonly body: string;
  readonly overflow: Overflow;
}

const openAiBody = (message: string, code: string | null = "context_length_exceeded") =>
  JSON.stringify({ error: { message, type: "invalid_request_error", param: "messages", code } });
const anthropicBody = (type: string, message: string) => JSON.stringify({ type: "error", error: { type, message } });

const openAiFamily = "OpenAI, Azure, DeepSeek, OpenRouter, vLLM";

const samples: readonly Sample[] = [
  {
    from: openAiFamily,
    status: 400,
    body: openAiBody(
      "This model's maximum context length is 128000 tokens. However, your messages resulted in 204308 tokens. Please reduce the length of the messages.",
    ),
    overflow: { tokens: 204_308, limitTokens: 128_000 },
  },
  {
    // Azure, including functions.
    from: openAiFamily,
    status: 400,
    body: openAiBody(
      "This model's maximum context length is 8192 tokens. However, you requested 8213 tokens (6683 in the messages, 730 in the functions, and 800 in the completion). Please reduce the length of the messages, functions, or completion.",
    ),
    overflow: { tokens: 8_213, limitTokens: 8_192 },
  },
  {
    // DeepSeek has no error code for this.
    from: openAiFamily,
    status: 400,
    body: openAiBody(
      "This model's maximum context length is 65536 tokens. However, you requested 87731 tokens (87731 in the messages, 0 in the completion). Please reduce the length of the messages or completion.",
      "invalid_request_error",
    ),
    overflow: { tokens: 87_731, limitTokens: 65_536 },
  },
  {
    from: openAiFamily,
    status: 400,
    body: JSON.stringify({
      error: {
        message:
          'This endpoint\'s maximum context length is 16384 tokens. However, you requested about 94307 tokens (94307 of text input). Please reduce the length of either one, or use the "middle-out" transform to compress your prompt automatically.',
        code: 400,
        metadata: { provider_name: null },
      },
    }),
    overflow: { tokens: 94_307, limitTokens: 16_384 },
  },
  {
    // vLLM, versions of 2026.
    from: openAiFamily,
    status: 400,
    body: JSON.stringify({
      object: "error",
      message:
        "This model's maximum context length is 262144 tokens. However, you requested 0 output tokens and your prompt contains at least 262145 input tokens, for a total of at least 262145 tokens. Please reduce the length of the input prompt or the number of requested output tokens. (parameter=input_tokens, value=262145)",
      type: "BadRequestError",
      code: 400,
    }),
    overflow: { tokens: 262_145, limitTokens: 262_144 },
  },
  {
    from: "OpenAI, a limit set for the project",
    status: 400,
    body: openAiBody(
      "Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 300012 tokens. Please reduce the length of the messages.",
    ),
    overflow: { tokens: 300_012, limitTokens: 272_000 },
  },
  {
    from: "OpenAI and others, without a total",
    status: 400,
    body: openAiBody("The prompt exceeds the model's maximum context length of 32768 tokens.", null),
    overflow: { limitTokens: 32_768 },
  },
  {
    from: "OpenAI Responses",
    status: 400,
    body: openAiBody("Your input exceeds the context window of this model. Please adjust your input and try again."),
    overflow: {},
  },
  {
    from: "Anthropic, Bedrock",
    status: 400,
    body: anthropicBody("invalid_request_error", "prompt is too long: 213462 tokens > 200000 maximum"),
    overflow: { tokens: 213_462, limitTokens: 200_000 },
  },
  {
    from: "Anthropic, with the output counted in",
    status: 400,
    body: anthropicBody(
      "invalid_request_error",
      "input length and `max_tokens` exceed context limit: 199759 + 8192 > 200000, decrease input length or `max_tokens` and try again",
    ),
    overflow: { tokens: 207_951, limitTokens: 200_000 },
  },
  {
    from: "Anthropic, by bytes",
    status: 413,
    body: anthropicBody("request_too_large", "Request exceeds the maximum allowed number of bytes."),
    overflow: {},
  },
  {
    from: "Anthropic, above the plan's window",
    status: 429,
    body: anthropicBody("rate_limit_error", "Extra usage is required for long context requests."),
    overflow: {},
  },
  {
    from: "Gemini",
    status: 400,
    body: JSON.stringify({
      error: {
        code: 400,
        message: "The input token count (1200293) exceeds the maximum number of tokens allowed (1048576).",
        status: "INVALID_ARGUMENT",
      },
    }),
    overflow: { tokens: 1_200_293, limitTokens: 1_048_576 },
  },
  {
    from: "Vertex AI",
    status: 400,
    body: JSON.stringify({
      error: {
        code: 400,
        message:
          "Unable to submit request because the input token count is 1250000 but model only supports up to 1048576. Reduce the input token count and try again.",
        status: "INVALID_ARGUMENT",
      },
    }),
    overflow: { tokens: 1_250_000, limitTokens: 1_048_576 },
  },
  {
    from: "Bedrock",
    status: 400,
    body: '{"message":"ValidationException: Input is too long for requested model."}',
    overflow: {},
  },
  {
    from: "xAI",
    status: 400,
    body: '{"code":"Client specified an invalid argument","error":"This model\'s maximum prompt length is 131072 but the request contains 537812 tokens."}',
    overflow: { tokens: 537_812, limitTokens: 131_072 },
  },
  {
    from: "Cerebras",
    status: 400,
    body: openAiBody(
      "Please reduce the length of the messages or completion. Current length is 42328 while limit is 40000",
    ),
    overflow: { tokens: 42_328, limitTokens: 40_000 },
  },
  {
    from: "Groq",
    status: 400,
    body: openAiBody("Please reduce the length of the messages or completion."),
    overflow: {},
  },
  {
    from: "Mistral",
    status: 400,
    body: '{"object":"error","message":"Prompt contains 65673 tokens and 0 draft tokens, too large for model with 32768 maximum context length","type":"invalid_request_error","code":"3051"}',
    overflow: { tokens: 65_673, limitTokens: 32_768 },
  },
  {
    from: "llama.cpp, with its figures in the sentence",
    status: 400,
    body: '{"error":{"code":400,"message":"request (14429 tokens) exceeds the available context size (8192 tokens), try increasing it"}}',
    overflow: { tokens: 14_429, limitTokens: 8_192 },
  },
  {
    from: "llama.cpp, with its figures next to the sentence",
    status: 500,
    body: '{"error":{"code":500,"message":"the request exceeds the available context size. try increasing the context size or enable context shift","type":"exceed_context_size_error","n_prompt_tokens":1407,"n_ctx":256}}',
    overflow: { tokens: 1_407, limitTokens: 256 },
  },
  {
    from: "llama.cpp",
    status: 400,
    body: "the request exceeds the available context size, try increasing it",
    overflow: {},
  },
  {
    from: "llama-cpp-python",
    status: 400,
    body: openAiBody("Requested tokens (2285) exceed context window of 2048", null),
    overflow: { tokens: 2_285, limitTokens: 2_048 },
  },
  {
    from: "LM Studio",
    status: 400,
    body: '{"error":"Trying to keep the first 15857 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough. Try to load the model with a larger context length, or provide a shorter input"}',
    overflow: { tokens: 15_857, limitTokens: 4_096 },
  },
  {
    from: "LM Studio, newer",
    status: 400,
    body: '{"error":"The number of tokens to keep from the initial prompt is greater than the context length. Try to load the model with a larger context length, or provide a shorter input"}',
    overflow: {},
  },
  { from: "Ollama", status: 400, body: '{"error":"the input length exceeds the context length"}', overflow: {} },
  {
    from: "Text Generation Inference, Together",
    status: 422,
    body: '{"error":"Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8192. Given: 6204 `inputs` tokens and 2047 `max_new_tokens`","error_type":"validation"}',
    overflow: { tokens: 8_251, limitTokens: 8_192 },
  },
  {
    from: "SGLang",
    status: 400,
    body: '{"object":"error","message":"The input (9120 tokens) is longer than the model\'s context length (8192 tokens).","type":"BadRequestError","code":400}',
    overflow: { tokens: 9_120, limitTokens: 8_192 },
  },
  {
    from: "GitHub Copilot",
    status: 400,
    body: openAiBody("prompt token count of 130511 exceeds the limit of 128000", "model_max_prompt_tokens_exceeded"),
    overflow: { tokens: 130_511, limitTokens: 128_000 },
  },
  {
    from: "Moonshot",
    status: 400,
    body: openAiBody("Invalid request: Your request exceeded model token limit: 262144 (requested: 291351)", null),
    overflow: { tokens: 291_351, limitTokens: 262_144 },
  },
  {
    from: "MiniMax",
    status: 400,
    body: '{"base_resp":{"status_code":2013,"status_msg":"invalid params, context window exceeds limit"}}',
    overflow: {},
  },
  {
    from: "Fireworks",
    status: 400,
    body: openAiBody("The prompt is too long: 140022, model maximum context length: 131071", null),
    overflow: { tokens: 140_022, limitTokens: 131_071 },
  },
  {
    from: "Cohere",
    status: 400,
    body: '{"message":"too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 5310. Try using a shorter prompt."}',
    overflow: { tokens: 5_310, limitTokens: 4_081 },
  },
  {
    from: "Poolside",
    status: 400,
    body: openAiBody("Input length 131393 exceeds the maximum allowed input length of 131040 tokens.", null),
    overflow: { tokens: 131_393, limitTokens: 131_040 },
  },
  {
    from: "DashScope",
    status: 400,
    body: openAiBody("Range of input length should be [1, 129024]", "invalid_parameter_error"),
    overflow: { limitTokens: 129_024 },
  },
  {
    from: "any provider, by a code or an old phrase",
    status: 400,
    body: '{"error":{"code":"1261","message":"Prompt too long"}}',
    overflow: {},
  },
  {
    from: "Z.AI",
    status: 400,
    body: '{"error":{"code":"1261","message":"Prompt exceeds max length"}}',
    overflow: {},
  },
  {
    from: "Z.AI",
    status: 400,
    body: '{"error":{"code":"1210","message":"tokens in request more than max tokens allowed"}}',
    overflow: {},
  },
  {
    from: "Bedrock, other models",
    status: 400,
    body: '{"message":"The model returned the following errors: Input Tokens Exceeded: Number of input tokens exceeds maximum length. Please update the input to try again."}',
    overflow: {},
  },
  {
    from: "LangChain",
    status: 400,
    body: "Input exceeded the model's context window.",
    overflow: {},
  },
  {
    // Cloudflare Workers AI.
    from: "OpenAI and others, without a total",
    status: 400,
    body: openAiBody(
      "Requested token count exceeds the model's maximum context length of 256000 tokens. You requested a total of 256878 tokens: 31216 tokens from the input messages and 225662 tokens for the completion.",
      null,
    ),
    overflow: { limitTokens: 256_000 },
  },
  {
    from: "any provider, by a code or an old phrase",
    status: 400,
    body: openAiBody("Unhandled stop reason: model_context_window_exceeded", null),
    overflow: {},
  },
  {
    from: "any provider, by a code or an old phrase",
    status: 400,
    body: openAiBody("litellm.ContextWindowExceededError: the request does not fit", null),
    overflow: {},
  },
];

const others: readonly Omit<Sample, "overflow">[] = [
  {
    from: "OpenAI rate limit",
    status: 429,
    body: openAiBody(
      "Rate limit reached for gpt-4o in organization org-1 on tokens per min (TPM): Limit 30000, Used 29000, Requested 2400. Please try again in 2.8s.",
      "rate_limit_exceeded",
    ),
  },
  {
    from: "Anthropic, rate limit",
    status: 429,
    body: anthropicBody(
      "rate_limit_error",
      "This request would exceed your organization's rate limit of 30,000 input tokens per minute.",
    ),
  },
  {
    from: "Bedrock, throttling",
    status: 429,
    body: '{"message":"ThrottlingException: Too many tokens, please wait before trying again."}',
  },
  {
    from: "Gemini, quota",
    status: 429,
    body: '{"error":{"code":429,"message":"Quota exceeded for metric: generate_content_free_tier_input_token_count, limit: 250000","status":"RESOURCE_EXHAUSTED"}}',
  },
  { from: "Anthropic, overloaded", status: 529, body: anthropicBody("overloaded_error", "Overloaded") },
  {
    from: "OpenAI, invalid key",
    status: 401,
    body: openAiBody("Incorrect API key provided: sk-x.", "invalid_api_key"),
  },
  {
    from: "OpenAI, account without credit",
    status: 429,
    body: openAiBody(
      "You exceeded your current quota, please check your plan and billing details.",
      "insufficient_quota",
    ),
  },
  {
    from: "OpenAI, output limit",
    status: 400,
    body: openAiBody(
      "max_tokens is too large: 100000. This model supports at most 16384 completion tokens, whereas you provided 100000.",
      "invalid_value",
    ),
  },
  {
    from: "Anthropic, output limit",
    status: 400,
    body: anthropicBody(
      "invalid_request_error",
      "max_tokens: 100000 > 64000, which is the maximum allowed number of output tokens for this model",
    ),
  },
  {
    from: "an unknown model",
    status: 404,
    body: openAiBody("The model `gpt-9` does not exist or you do not have access to it.", "model_not_found"),
  },
  {
    from: "a server error",
    status: 500,
    body: openAiBody("The server had an error while processing your request.", "server_error"),
  },
  {
    from: "an invalid schema",
    status: 400,
    body: openAiBody(
      "Invalid schema for response_format 'answer': In context=(), 'additionalProperties' is required to be supplied and to be false.",
      null,
    ),
  },
];

const apiCallError = ({ status, body }: Pick<Sample, "status" | "body">, requestBodyValues: unknown = {}) =>
  new APICallError({
    message: "Bad Request",
    url: "https://example.test",
    requestBodyValues,
    statusCode: status,
    responseBody: body,
  });

describe("recognizeOverflow", () => {
  test.each(samples)("reads the token counts of an overflow: $from", ({ status, body, overflow }) => {
    expect(recognizeOverflow(apiCallError({ status, body }))).toEqual(overflow);
  });

  test("every row of the overflow table has a sample in this test", () => {
    expect([...new Set(samples.map(({ from }) => from))].sort()).toEqual([...OVERFLOW_SOURCES].sort());
  });

  test.each(others)("returns undefined for another error: $from", ({ status, body }) => {
    expect(recognizeOverflow(apiCallError({ status, body }))).toBeUndefined();
  });

  test("a request that exceeds the whole rate limit of a minute is an overflow, because it can never succeed", () => {
    const message =
      "Request too large for model `llama-3.1-8b-instant` in organization `org_1` service tier `on_demand` on tokens per minute (TPM): Limit 6000, Requested 12328, please reduce your message size and try again.";
    const error = apiCallError({ status: 413, body: openAiBody(message, "rate_limit_exceeded") });
    expect(recognizeOverflow(error)).toEqual({ tokens: 12_328, limitTokens: 6_000 });
  });

  test("a 413 without a body is an overflow, and a 400 without a body is not", () => {
    expect(recognizeOverflow({ status: 413 })).toEqual({});
    expect(recognizeOverflow({ status: 413, statusText: "Payload Too Large" })).toEqual({});
    expect(recognizeOverflow({ status: 400 })).toBeUndefined();
  });

  test.each([
    ["a string", "prompt is too long: 11 tokens > 10 maximum"],
    ["an error", new Error("prompt is too long: 11 tokens > 10 maximum")],
    ["a cause", new Error("failed", { cause: new Error("prompt is too long: 11 tokens > 10 maximum") })],
    [
      "a parsed body",
      { error: { type: "invalid_request_error", message: "prompt is too long: 11 tokens > 10 maximum" } },
    ],
    ["a list of errors", { errors: [new Error("other"), { lastError: "prompt is too long: 11 tokens > 10 maximum" }] }],
    [
      "a provider's error inside a router's",
      {
        error: {
          code: 400,
          message: "Provider returned error",
          metadata: { raw: '{"message":"prompt is too long: 11 tokens > 10 maximum"}' },
        },
      },
    ],
    ["parsed figures", { error: { type: "exceed_context_size_error", n_prompt_tokens: 11, n_ctx: 10 } }],
    [
      "a response whose body was read",
      { status: 400, body: '{"message":"prompt is too long: 11 tokens > 10 maximum"}' },
    ],
  ])("recognizeOverflow finds the message in %s", (_, error) => {
    expect(recognizeOverflow(error)).toEqual({ tokens: 11, limitTokens: 10 });
  });

  test("ignores the request that an error contains", () => {
    const quoted = { messages: [{ role: "user", content: "prompt is too long: 11 tokens > 10 maximum" }] };
    expect(recognizeOverflow(apiCallError({ status: 500, body: "" }, quoted))).toBeUndefined();
  });

  test("handles circular, deep, throwing and very long errors quickly", async () => {
    const circular: Record<string, unknown> = { message: "x" };
    circular.cause = circular;
    let deep: unknown = "prompt is too long";
    for (let level = 0; level < 10_000; level++) deep = { cause: deep };
    const hostile = Object.defineProperty({}, "message", {
      get: () => {
        throw new Error("no");
      },
    });
    for (const error of [circular, deep, hostile, null, undefined, 7, Symbol("x"), () => 1]) {
      expect(recognizeOverflow(error)).toBeUndefined();
    }
    const long = `maximum context length is 1 tokens ${"requested ".repeat(1_000_000)}`;
    const cost = (text: string) => cpuMsOf(() => expect(recognizeOverflow(text)).toEqual({ limitTokens: 1 }));
    expect(await growthOf(long, cost)).toBeLessThan(LINEAR_GROWTH);
  });

  test("never throws, whatever the error is", () => {
    fc.assert(
      fc.property(fc.anything(), (error) => {
        expect(() => recognizeOverflow(error)).not.toThrow();
      }),
      { numRuns: propertyRuns() },
    );
  });
});
