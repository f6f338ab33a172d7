import type { TextStreamPart, ToolSet } from "ai";
import { describe, expect, test } from "vitest";
import { readAnswer } from "./read-answer.ts";

type StreamPart = TextStreamPart<ToolSet>;

const textDelta = (text: string): StreamPart => ({ type: "text-delta", id: "1", text });
const thought = (text: string): StreamPart => ({ type: "reasoning-delta", id: "1", text });

/** Creates a stream of these parts; `seen` counts the parts that were read. */
function streamOf(parts: readonly StreamPart[]) {
  const seen = { parts: 0 };
  async function* stream(): AsyncGenerator<StreamPart> {
    for (const part of parts) {
      seen.parts += 1;
      yield part;
    }
    yield finished;
  }
  return { stream: stream(), seen };
}

const finished: StreamPart = {
  type: "finish-step",
  finishReason: "stop",
  rawFinishReason: "stop",
  usage: {
    inputTokens: 10,
    outputTokens: Number.NaN,
    totalTokens: undefined,
    inputTokenDetails: { noCacheTokens: 3, cacheReadTokens: 7, cacheWriteTokens: undefined },
    outputTokenDetails: { textTokens: undefined, reasoningTokens: undefined },
  },
  response: { id: "r", timestamp: new Date(0), modelId: "m" },
  providerMetadata: undefined,
  performance: {
    effectiveOutputTokensPerSecond: 0,
    effectiveTotalTokensPerSecond: 0,
    responseTimeMs: 0,
    stepTimeMs: 0,
    toolExecutionMs: {},
    outputTokensPerSecond: undefined,
    inputTokensPerSecond: undefined,
    timeToFirstOutputMs: undefined,
  },
};

describe("readAnswer", () => {
  test("accepts an answer of twice its limit and cuts off a longer one", async () => {
    const twice = "abcd".repeat(1_000);
    const fits = await readAnswer(streamOf([textDelta(twice)]).stream, 500);
    expect(fits).toMatchObject({ type: "text", text: twice });
    const { stream, seen } = streamOf([textDelta(twice), textDelta("e"), textDelta("never read")]);
    expect(await readAnswer(stream, 500)).toMatchObject({ type: "failed", retryable: false });
    expect(seen.parts).toBe(2);
  });

  test("accepts a short sentence even if the limit is one token", async () => {
    expect(await readAnswer(streamOf([textDelta("Understood, nothing to add.")]).stream, 1)).toMatchObject({
      type: "text",
    });
  });

  test("cuts off an answer above 2 MB, counting reasoning", async () => {
    const half = "x".repeat(1_000_000);
    const { stream, seen } = streamOf([thought(half), thought(half), textDelta("x"), textDelta("never read")]);
    expect(await readAnswer(stream, 10_000_000)).toMatchObject({
      type: "failed",
      reason: "The answer was cut off: it exceeded 2000000 bytes.",
    });
    expect(seen.parts).toBe(3);
  });

  test("separates text blocks with a line break", async () => {
    const begun: StreamPart = { type: "text-start", id: "1" };
    const { stream } = streamOf([begun, textDelta("They "), textDelta("spoke."), begun, textDelta("They agreed.")]);
    expect(await readAnswer(stream, 100)).toMatchObject({ type: "text", text: "They spoke.\nThey agreed." });
  });

  test("omits usage figures that are missing or not numbers", async () => {
    expect(await readAnswer(streamOf([textDelta("fine")]).stream, 10)).toMatchObject({
      usage: { inputTokens: 10, cacheReadTokens: 7 },
    });
    const outcome = await readAnswer(streamOf([textDelta("fine")]).stream, 10);
    expect(outcome.type === "text" ? Object.keys(outcome.usage ?? {}) : []).toEqual(["inputTokens", "cacheReadTokens"]);
  });

  test("reports the usage of a blank answer", async () => {
    expect(await readAnswer(streamOf([textDelta("  ")]).stream, 10)).toMatchObject({
      type: "failed",
      usage: { inputTokens: 10 },
    });
  });

  test("rejects with the error that the stream contains", async () => {
    const error = new Error("reset");
    await expect(readAnswer(streamOf([textDelta("x"), { type: "error", error }]).stream, 10)).rejects.toBe(error);
  });
});
