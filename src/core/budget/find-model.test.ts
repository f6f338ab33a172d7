import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../../test/support/property-runs.ts";
import { codePoints } from "../../testing/generate-texts.ts";
import { shows } from "../../testing/shows.ts";
import { computeHistoryTokens, computeInputLimit } from "./budget.ts";
import { catalogue } from "./catalogue.ts";
import { assumeModel, findModel, normalizeModelId } from "./find-model.ts";

const find = (id: string) => findModel(id, { catalogue });

describe("the catalogue", () => {
  test.each(["claude-fable-5-1", "claude-mythos-5-1", "claude-opus-5-5", "claude-sonnet-5-5", "claude-haiku-5-5"])(
    "has the window and the prices of %s, which binds thinking",
    (id) => {
      expect(find(id)).toMatchObject({ windowTokens: 1_000_000, bindsThinking: true });
      expect(find(id)?.prices?.cacheRead).toBeGreaterThan(0);
    },
  );

  test("has a date, a source, and models sorted by canonical id", () => {
    const ids = Object.keys(catalogue.models);
    expect(catalogue.generatedOn).toMatch(/^\d{4}-\d{2}-\d{2}$/);
    expect(catalogue.source).toContain("genai-prices");
    expect(ids).toEqual(ids.toSorted());
    expect(ids).toEqual(ids.map(normalizeModelId));
    expect(ids.length).toBeGreaterThan(150);
  });

  test("contains only plausible windows, limits and prices", () => {
    for (const [id, [window, input, output, ...prices]] of Object.entries(catalogue.models)) {
      expect([id, window >= 4_096 && input <= window && input > 0 && output <= window && output >= 1_024]).toEqual([
        id,
        true,
      ]);
      expect([id, prices.every((price) => price !== undefined && price >= 0 && price <= 1_000)]).toEqual([id, true]);
    }
  });

  test("contains no models that handle only images, audio or embeddings", () => {
    expect(
      Object.keys(catalogue.models).filter((id) => /embed|whisper|tts|image|dall|moderation|realtime/.test(id)),
    ).toEqual([]);
  });
});

describe("findModel", () => {
  test(shows("S3-25", "returns the limits that the provider documents"), () => {
    const documented = {
      "gpt-4": { windowTokens: 8_192, inputTokens: 8_192, maxOutputTokens: 8_192 },
      "gpt-4o": { windowTokens: 128_000, inputTokens: 128_000, maxOutputTokens: 16_384 },
      "gpt-4.1": { windowTokens: 1_047_576, inputTokens: 1_047_576, maxOutputTokens: 32_768 },
      "gpt-5": { windowTokens: 400_000, inputTokens: 272_000, maxOutputTokens: 128_000 },
      "gpt-6-sol": { windowTokens: 1_050_000, inputTokens: 922_000, maxOutputTokens: 128_000 },
      "claude-3-5-sonnet": { windowTokens: 200_000, inputTokens: 200_000, maxOutputTokens: 8_192 },
      "claude-haiku-4-5": { windowTokens: 200_000, inputTokens: 200_000, maxOutputTokens: 64_000 },
      "claude-opus-5": { windowTokens: 1_000_000, inputTokens: 1_000_000, maxOutputTokens: 128_000 },
      "gemini-2.5-pro": { windowTokens: 1_048_576, inputTokens: 1_048_576, maxOutputTokens: 65_536 },
    };
    for (const [id, { inputTokens, ...limits }] of Object.entries(documented)) {
      const model = find(id);
      expect(model).toMatchObject(limits);
      if (model === undefined) continue;
      expect(computeInputLimit(model)).toBe(inputTokens);
      expect(computeHistoryTokens(computeInputLimit(model))).toBe(Math.floor(inputTokens / 16));
    }
  });

  test("returns prices, and computes the ratios for cache reads and writes from them", () => {
    const model = find("claude-sonnet-4-5");
    expect(model?.prices).toEqual({ input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 });
    expect(model?.cache.readRatio).toBeCloseTo(0.1, 10);
    expect(model?.cache.writeRatio).toBeCloseTo(1.25, 10);
    expect(find("claude-opus-5-5")?.cache.readRatio).toBeCloseTo(0.05, 10);
    expect(find("gpt-4o")?.cache.readRatio).toBeCloseTo(0.5, 10);
  });

  test("finds a model by names with a gateway prefix, a cloud prefix or a date", () => {
    const spellings = {
      "gpt-5": ["openai/gpt-5", "GPT-5", "gpt-5-2025-08-07", "openrouter/openai/gpt-5", "azure/gpt-5"],
      "gpt-4o": ["gpt-4o-2024-11-20", "openai/gpt-4o:extended"],
      "claude-sonnet-4-5": [
        "claude-sonnet-4-5-20250929",
        "anthropic/claude-sonnet-4.5",
        "anthropic.claude-sonnet-4-5-20250929-v1:0",
        "us.anthropic.claude-sonnet-4-5-20250929-v1:0",
        "claude-sonnet-4-5@20250929",
        "claude-sonnet-4-5-latest",
        "claude-sonnet-4-5[1m]",
      ],
      "claude-sonnet-4-0": ["claude-sonnet-4-20250514", "claude-sonnet-4@20250514", "anthropic/claude-4-sonnet"],
      "claude-3-5-haiku-latest": ["claude-3-5-haiku-20241022", "anthropic/claude-3.5-haiku"],
      "claude-3-7-sonnet-latest": ["claude-3-7-sonnet-20250219", "anthropic/claude-3.7-sonnet:thinking"],
      "gemini-2.5-pro": ["models/gemini-2.5-pro", "google/gemini-2.5-pro", "vertex_ai/gemini-2.5-pro"],
      "nova-pro": ["amazon.nova-pro-v1:0", "us.amazon.nova-pro-v1:0"],
    };
    for (const [id, names] of Object.entries(spellings)) {
      for (const name of names) expect({ ...find(name), id: name }).toEqual({ ...find(id), id: name });
      expect(find(id)).toBeDefined();
    }
  });

  test("returns undefined for a name that is only similar to a known one", () => {
    expect(find("gpt-5-experimental")).toBeUndefined();
    expect(find("my-claude")).toBeUndefined();
    expect(find("meta-llama/llama-3.2-1b-instruct")).toBeDefined();
    expect(find("@cf/meta/llama-3.2-1b-instruct")).toBeUndefined();
  });

  test("accepts any text, and ignores inherited properties of objects", () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: codePoints() }), fc.constantFrom("constructor", "__proto__", "toString", "")),
        (id) => {
          const model = find(id);
          expect(model === undefined || model.windowTokens > 0).toBe(true);
        },
      ),
      { numRuns: propertyRuns() },
    );
    expect(find("constructor")).toBeUndefined();
  });

  test("applies the caller's overrides to known models and to new ones", () => {
    const overrides = { "openai/gpt-5": { windowTokens: 100_000 }, "house-model": { windowTokens: 32_000 } };
    expect(findModel("gpt-5-2025-08-07", { catalogue, overrides })).toMatchObject({
      windowTokens: 100_000,
      maxOutputTokens: 128_000,
    });
    const house = findModel("house-model", { catalogue, overrides });
    expect(house).toMatchObject({ id: "house-model", windowTokens: 32_000, counter: "o200k", exactCounter: false });
    expect(house === undefined ? 0 : computeInputLimit(house)).toBe(32_000);
  });
});

describe("assumeModel", () => {
  test("returns a small window and a warning", () => {
    const { info, warning } = assumeModel("house-model");
    expect(info).toMatchObject({ id: "house-model", provider: "unknown", windowTokens: 8_192, maxOutputTokens: 8_192 });
    expect(warning).toContain("house-model");
    expect(warning).toContain("8192");
  });

  test("recognizes the model family from the name", () => {
    expect(assumeModel("claude-opus-9").info).toMatchObject({
      provider: "anthropic",
      startFactor: 1.6,
      windowTokens: 8_192,
    });
    expect(assumeModel().warning).toContain("No model is named");
  });
});
