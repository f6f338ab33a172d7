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
  test("turns a thrown error, a rejection or an invalid outcome into a failure with a reason", async () => {
    const broken = async () => JSON.parse("{}");
    expect(await ask(broken)).toMatchObject({
      type: "failed",
      reason: expect.stringMatching(/^The summarizer returned no outcome/),
    });
    const throws = () => {
      throw new Error("out of ink");
    };
    expect(await ask(throws)).toMatchObject({ type: "failed", kind: "validation", reason: "out of ink" });
    expect(await ask(() => Promise.reject(new Error("lost")))).toMatchObject({ type: "failed", reason: "lost" });
  });

  test("aborts a summarizer that does not answer in time, and returns a failure", async () => {
    let wasAborted = false;
    const outcome = await ask((_request, signal) => {
      signal.addEventListener("abort", () => {
        wasAborted = true;
      });
      return new Promise(() => undefined);
    }, 20);
    expect(outcome).toMatchObject({ type: "failed", reason: "No answer came within 20 ms." });
    expect(wasAborted).toBe(true);
  });

  test("returns a valid outcome unchanged, and treats an unknown cost as 0", async () => {
    const outcome = { type: "summary", text: "x", origin: { cuts: [] } } as never;
    expect(await ask(async () => outcome)).toMatchObject({
      ...(outcome as object),
      origin: { strategy: "own", calls: 1 },
    });
    expect(
      guardSummarizer({ name: "own", estimateCost: () => Number.NaN, summarize: ask as never }, 1).estimateCost(
        REQUEST,
      ),
    ).toBe(0);
  });

  test.each([
    ["keyPoints: expected a list", { keyPoints: "abc" }],
    ["keyPoints[1]: expected a text, found 1", { keyPoints: ["a", 1] }],
    ["facets: expected an object, found null", { facets: null }],
    ["facets.decisions: expected a list, found 5", { facets: { decisions: 5 } }],
    ["facets.actionItems[0]: expected an object, found null", { facets: { actionItems: [null] } }],
    ["facets.actionItems[0].task: expected a text", { facets: { actionItems: [{ owner: "Ana" }] } }],
    ["endedBy: expected one of", { endedBy: "tired" }],
    ["text: expected a text, found null", { text: null }],
    ["origin.cuts: expected a list, found null", { origin: { cuts: null } }],
    ["origin.costUsd: expected a number of at least 0, found 5", { origin: { costUsd: 5n } }],
    ["origin.calls: expected a number of at least 0, found NaN", { origin: { calls: Number.NaN } }],
    ["origin.usage.inputTokens: expected a number", { origin: { usage: { inputTokens: "x" } } }],
  ])("returns a failure with the reason %s", async (reason, changes) => {
    const outcome = await ask(async () => ({ ...ANSWER, ...changes }) as never);
    expect(outcome).toMatchObject({ type: "failed", kind: "validation", reason: expect.stringContaining(reason) });
  });

  test("counts the cost of an invalid outcome", async () => {
    const origin = { ...ANSWER.origin, calls: 3, costUsd: 0.02, usage: { outputTokens: 7 } };
    const outcome = await ask(async () => ({ ...ANSWER, origin, keyPoints: 5 }) as never);
    expect(outcome).toMatchObject({ type: "failed", origin: { calls: 3, costUsd: 0.02, usage: { outputTokens: 7 } } });
  });

  test("reads each field of an outcome once, and drops unknown fields", async () => {
    let reads = 0;
    const answer = {
      ...ANSWER,
      get text() {
        reads += 1;
        return `read ${reads}`;
      },
      facets: { decisions: ["x"], more: {} },
    };
    const outcome = await ask(async () => answer as never);
    expect([outcome, outcome]).toMatchObject([{ text: "read 1" }, { text: "read 1" }]);
    expect(outcome).toMatchObject({ type: "summary", facets: { decisions: ["x"] } });
    expect("facets" in outcome && Object.keys(outcome.facets ?? {})).not.toContain("more");
  });
});

const ANSWER = {
  type: "summary",
  text: "The services were discussed.",
  origin: { strategy: "own", calls: 1, request: "none", chunks: 1, cuts: [], noiseIds: [], trimmedIds: [] },
};
