import { APICallError, JSONParseError, LoadAPIKeyError } from "ai";
import { describe, expect, test } from "vitest";
import { describeFailure } from "./describe-failure.ts";

const NOW = Date.UTC(2026, 0, 1);

const refused = (statusCode: number, responseBody: string, responseHeaders: Record<string, string> = {}) =>
  new APICallError({
    message: "The request was refused.",
    url: "https://example.test",
    requestBodyValues: { secret: "never shown" },
    statusCode,
    responseBody,
    responseHeaders,
  });

const groq =
  '{"error":{"message":"Rate limit reached for model `x` on tokens per minute (TPM): Limit 6000, Used 5034, Requested 1443. Please try again in 4.77s. Need more tokens? Upgrade to Dev Tier today at https://example.test/settings/billing","code":"rate_limit_exceeded"}}';
const gemini =
  '{"error":{"code":429,"message":"You exceeded your current quota, please check your plan and billing details.","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"34.5s"}]}}';

describe("describeFailure", () => {
  test.each<readonly [string, unknown, boolean]>([
    ["a rate limit that advertises a larger plan", refused(429, groq), true],
    ["a quota that is renewed", refused(429, gemini), true],
    ["an account without credit", refused(429, '{"error":{"code":"insufficient_quota"}}'), false],
    ["a provider that is overloaded", refused(529, '{"error":{"type":"overloaded_error"}}'), true],
    ["an error inside a stream", { type: "overloaded_error", message: "Overloaded" }, true],
    [
      "a refused connection",
      new TypeError("fetch failed", { cause: Object.assign(new Error("x"), { code: "ECONNREFUSED" }) }),
      true,
    ],
    ["a truncated body", new JSONParseError({ text: '{"a', cause: new SyntaxError("end") }), true],
    ["a missing key", new LoadAPIKeyError({ message: "API key is missing." }), false],
    ["a bug of this program", new RangeError("x is not a function"), false],
    ["undefined", undefined, false],
  ])("describeFailure decides for %s whether a retry helps", (_, error, retryable) => {
    expect(describeFailure(error, NOW)).toMatchObject({ type: "failed", retryable });
  });

  test.each([
    ["in a header as seconds", refused(429, groq, { "Retry-After": "5" }), 5_000],
    ["in a header as milliseconds", refused(429, groq, { "retry-after-ms": "1250", "retry-after": "2" }), 1_250],
    ["in a header as a date", refused(503, "", { "retry-after": "Thu, 01 Jan 2026 00:00:09 GMT" }), 9_000],
    ["in a body, as Gemini writes it", refused(429, gemini), 34_500],
    ["as years, and limits it to a day", refused(429, groq, { "retry-after": "99999999" }), 86_400_000],
  ])("reads a wait that is given %s", (_, error, retryAfterMs) => {
    expect(describeFailure(error, NOW)).toMatchObject({ type: "failed", retryAfterMs });
  });

  test("reports a content filter as a refusal", () => {
    const azure = '{"error":{"code":"content_filter","message":"The response was filtered due to the prompt."}}';
    expect(describeFailure(refused(400, azure), NOW)).toMatchObject({ type: "refused" });
  });

  test("the reason of a failure is one short line with the status and without the request", () => {
    const error = refused(500, "x");
    expect(describeFailure(error, NOW)).toMatchObject({ reason: "HTTP 500: The request was refused." });
    const long = describeFailure(new Error("line\n".repeat(1_000)), NOW);
    expect(long.type === "failed" ? long.reason.length : 0).toBe(300);
    expect(long).toMatchObject({ reason: expect.not.stringContaining("\n") });
  });
});
