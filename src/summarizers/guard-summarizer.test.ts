import { describe, expect, test } from "vitest";
import { estimate } from "../core/tokens/estimate.ts";
import type { Summarizer, SummaryRequest } from "../ports/summarizer.ts";
import { guardSummarizer } from "./guard-summarizer.ts";

const REQUEST: SummaryRequest = {
  stretch: [],
  previous: undefined,
  capTokens: 100,
  nonce: "0123456789",
  counter: estimate,
};
const ask = (summarize: Summarizer["summarize"], timeoutMs = 1_000) =>
  guardSummarizer({ name: "own", estimateCost: () => Number.NaN, summarize }, timeoutMs).summarize(
    REQUEST,
    new AbortController().signal,
  );

describe("guardSummarizer", () => {
  test("takes what throws, rejects or answers with something else for a failure that says why", async () => {
    const broken = async () => JSON.parse("{}");
    expect(await ask(broken)).toMatchObject({ type: "failed", reason: "The answer is no outcome of a summarizer." });
    const throws = () => {
      throw new Error("out of ink");
    };
    expect(await ask(throws)).toMatchObject({ type: "failed", kind: "validation", reason: "out of ink" });
    expect(await ask(() => Promise.reject(new Error("lost")))).toMatchObject({ type: "failed", reason: "lost" });
  });

  test("gives up what never answers, and tells it to stop", async () => {
    let told = false;
    const outcome = await ask((_request, signal) => {
      signal.addEventListener("abort", () => {
        told = true;
      });
      return new Promise(() => undefined);
    }, 20);
    expect(outcome).toMatchObject({ type: "failed", reason: "No answer came within 20 ms." });
    expect(told).toBe(true);
  });

  test("lets an outcome through as it is, and weighs an unknown cost as nothing", async () => {
    const outcome = { type: "summary", text: "x", origin: { cuts: [] } } as never;
    expect(await ask(async () => outcome)).toBe(outcome);
    expect(
      guardSummarizer({ name: "own", estimateCost: () => Number.NaN, summarize: ask as never }, 1).estimateCost(
        REQUEST,
      ),
    ).toBe(0);
  });
});
