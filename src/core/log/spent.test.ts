import { describe, expect, test } from "vitest";
import { addAnswer, addSummary, MAX_MODELS, priceUsage, readAnswerUse, type Spending } from "./spent.ts";

const counts = { "chars4@1": 100 };
const asked = (model: string | undefined) => ({ model, countedTokens: 1_000, factor: 1.1, counterId: "chars4@1" });

describe("readAnswerUse", () => {
  test("returns the usage that the provider reported, with cached tokens as part of the input", () => {
    const usage = { inputTokens: 100, outputTokens: 40, cacheReadTokens: 900 };
    expect(readAnswerUse({ usage, tokens: counts, request: asked("gpt") })).toEqual({
      inputTokens: 1_000,
      outputTokens: 40,
      cacheReadTokens: 900,
      cacheWriteTokens: 0,
      isEstimate: false,
    });
  });

  test("estimates usage from our own count if the provider reported nothing", () => {
    for (const usage of [undefined, {}]) {
      const use = readAnswerUse({ usage, tokens: counts, request: asked("gpt") });
      expect(use).toMatchObject({ inputTokens: 1_100, outputTokens: 110, cacheReadTokens: 0, isEstimate: true });
    }
  });

  test("returns undefined if the provider reported nothing and the request names no model", () => {
    expect(readAnswerUse({ usage: undefined, tokens: counts, request: asked(undefined) })).toBeUndefined();
    expect(readAnswerUse({ usage: undefined, tokens: counts, request: undefined })).toBeUndefined();
  });
});

describe("addAnswer and addSummary", () => {
  const usage = { inputTokens: 10, outputTokens: 1 };

  test("add up answers by model, and count estimates", () => {
    const spent = [asked("a"), asked("b"), asked("a")].reduce<Spending | undefined>(
      (sum, request, index) => addAnswer(sum, { usage: index === 2 ? undefined : usage, tokens: counts, request }),
      undefined,
    );
    expect(spent?.models).toMatchObject([
      { model: "a", answers: 2, estimated: 1, inputTokens: 1_110 },
      { model: "b", answers: 1, estimated: 0, inputTokens: 10 },
    ]);
  });

  test("join further models into one, so that the list is limited and no token is lost", () => {
    let spent: Spending | undefined;
    for (let index = 0; index < 3 * MAX_MODELS; index += 1) {
      spent = addAnswer(spent, { usage, tokens: counts, request: asked(`model-${index}`) });
    }
    expect(spent?.models).toHaveLength(MAX_MODELS + 1);
    expect(spent?.models.reduce((sum, { inputTokens }) => sum + inputTokens, 0)).toBe(3 * MAX_MODELS * 10);
  });

  test("add up the cost of summaries", () => {
    const spent = addSummary(addSummary(undefined, { costUsd: 0.5 }), {});
    expect(spent).toEqual({ models: [], summaries: 2, summariesUsd: 0.5 });
  });
});

const prices = { input: 2, output: 8, cacheRead: 0.2, cacheWrite: 2.5 };

describe("priceUsage", () => {
  test("prices cached tokens separately from the input", () => {
    const usage = { inputTokens: 1_000, outputTokens: 100, cacheReadTokens: 600, cacheWriteTokens: 300 };
    expect(priceUsage(usage, { prices })).toBeCloseTo((100 * 2 + 600 * 0.2 + 300 * 2.5 + 100 * 8) / 1e6, 12);
  });

  test("recognizes a provider that leaves cached tokens out of the input", () => {
    const usage = { inputTokens: 100, outputTokens: 0, cacheReadTokens: 600 };
    expect(priceUsage(usage, { prices })).toBeCloseTo((100 * 2 + 600 * 0.2) / 1e6, 12);
  });

  test("returns undefined if usage or prices are unknown", () => {
    expect(priceUsage(undefined, { prices })).toBeUndefined();
    expect(priceUsage({ inputTokens: 1 }, {})).toBeUndefined();
  });
});
