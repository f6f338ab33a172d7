import { describe, expect, test } from "vitest";
import { shows } from "../../testing/shows.ts";
import { findFamily } from "./model-family.ts";

describe("findFamily", () => {
  test(shows("S3-22", "returns the exact counter of an OpenAI model"), () => {
    for (const id of [
      "gpt-4o",
      "gpt-4o-mini",
      "gpt-4.1",
      "gpt-5",
      "gpt-5.6-sol",
      "o1",
      "o3-mini",
      "o4-mini",
      "gpt-oss-20b",
    ]) {
      expect(findFamily(id)).toMatchObject({
        provider: "openai",
        counter: "o200k",
        exactCounter: true,
        startFactor: 1,
      });
    }
    for (const id of ["gpt-4", "gpt-4-0613", "gpt-4-turbo", "gpt-4-32k", "gpt-3.5-turbo", "gpt-35-turbo"]) {
      expect(findFamily(id)).toMatchObject({
        provider: "openai",
        counter: "cl100k",
        exactCounter: true,
        startFactor: 1,
      });
    }
  });

  test("returns o200k and a factor above 1 for families without an exact counter", () => {
    const factors = {
      "claude-3-5-sonnet": 1.25,
      "claude-sonnet-4-5": 1.25,
      "claude-opus-4-6": 1.25,
      "claude-opus-4-7": 1.6,
      "claude-sonnet-5": 1.6,
      "claude-fable-5-1": 1.6,
      "gemini-2.5-pro": 1.05,
      "mistral-large": 1.05,
      "gpt-6-sol": 1.05,
      "some-model": 1.05,
    };
    for (const [id, startFactor] of Object.entries(factors)) {
      expect(findFamily(id)).toMatchObject({ counter: "o200k", exactCounter: false, startFactor });
    }
  });

  test("returns the documented minimum size of a cached prefix", () => {
    const minimums = {
      "claude-opus-5": 512,
      "claude-fable-5": 512,
      "claude-opus-4-8": 1_024,
      "claude-sonnet-5": 1_024,
      "claude-sonnet-4-5": 1_024,
      "claude-opus-4-1": 1_024,
      "claude-opus-4-7": 2_048,
      "claude-3-5-haiku-latest": 2_048,
      "claude-opus-4-5": 4_096,
      "claude-haiku-4-5": 4_096,
      "gpt-4o": 1_024,
      "gpt-5": 1_024,
      "gpt-5.6-luna": 1_024,
      "gemini-2.5-flash": 2_048,
      "gemini-3.1-pro-preview": 4_096,
    };
    for (const [id, tokens] of Object.entries(minimums))
      expect([id, findFamily(id).cache.minimumTokens]).toEqual([id, tokens]);
  });

  test("returns the documented breakpoints and cache ratios", () => {
    expect(findFamily("claude-opus-5").cache).toMatchObject({
      breakpoints: 4,
      readRatio: 0.1,
      writeRatio: 1.25,
      ttlMs: 300_000,
    });
    expect(findFamily("gpt-5").cache).toMatchObject({ breakpoints: 0, readRatio: 0.1, writeRatio: 1 });
    expect(findFamily("gpt-5.6-sol").cache).toMatchObject({ breakpoints: 3, readRatio: 0.1, writeRatio: 1.25 });
    expect(findFamily("gpt-4o").cache.readRatio).toBe(0.5);
  });

  test("sets bindsThinking for Claude models that check the prefix, and for unknown Claude models", () => {
    const free = [
      "claude-opus-5",
      "claude-opus-5-20260701",
      "claude-sonnet-4-5",
      "claude-fable-5",
      "claude-3-7-sonnet",
    ];
    const bound = [
      "claude-opus-5-5",
      "claude-fable-5-1-20260901",
      "claude-haiku-5-5",
      "claude-mythos-5-2",
      "claude-opus-6",
      "claude-opus-5-2",
      "claude-haiku-5-4",
    ];
    for (const id of [...free, "claude-mythos-preview", "claude-haiku-4-5", "gpt-6", "some-model"])
      expect([id, findFamily(id).bindsThinking]).toEqual([id, false]);
    for (const id of [...bound, "claude-sonnet-5-5", "claude-saga-1", "claude-opus-10"])
      expect([id, findFamily(id).bindsThinking]).toEqual([id, true]);
  });

  test("returns the media rules of each family", () => {
    expect(findFamily("gpt-4o").media).toBe("openai-tiles");
    expect(findFamily("gpt-5-mini").media).toBe("openai-mini");
    expect(findFamily("gpt-5.4-nano").media).toBe("openai-nano");
    expect(findFamily("gpt-6-sol").media).toBe("openai-patches");
    expect(findFamily("claude-3-5-sonnet").media).toBe("claude");
    expect(findFamily("claude-opus-5").media).toBe("claude-large");
    expect(findFamily("gemini-2.5-pro").media).toBe("gemini-2");
    expect(findFamily("gemini-3.5-flash").media).toBe("gemini-3");
    expect(findFamily("some-model")).toMatchObject({ provider: "unknown", media: "unknown" });
  });
});
