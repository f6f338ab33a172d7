import { describe, expect, test } from "vitest";
import type { ModelOutcome } from "../ports/model.ts";
import { scriptedClock } from "../testing/scripted-clock.ts";
import { shows } from "../testing/shows.ts";
import { callWithRetry, type RetryOptions } from "./call-with-retry.ts";

const transport: ModelOutcome = { type: "failed", reason: "reset", retryable: true };
const useless: ModelOutcome = { type: "failed", reason: "The answer was blank.", retryable: false };
const text: ModelOutcome = { type: "text", text: "fine", stopReason: "end", usage: undefined };

/** Calls with these outcomes in order; a sleep advances the clock. */
async function play(outcomes: readonly ModelOutcome[], options: Partial<RetryOptions> = {}) {
  const clock = scriptedClock({ startMs: 1_000 });
  const sleeps: number[] = [];
  const attempts: number[] = [];
  const result = await callWithRetry(
    async (attempt) => {
      attempts.push(attempt);
      return outcomes[attempt] ?? useless;
    },
    {
      signal: new AbortController().signal,
      clock,
      sleep: async (milliseconds) => {
        sleeps.push(milliseconds);
        clock.advance(milliseconds);
      },
      ...options,
    },
  );
  return { ...result, sleeps, calls: attempts };
}

describe("callWithRetry", () => {
  test(shows("S4-50", "retries a transport failure once, after 250 ms"), async () => {
    expect(await play([transport, text, useless])).toEqual({
      outcome: text,
      attempts: 2,
      elapsedMs: 250,
      sleeps: [250],
      calls: [0, 1],
    });
  });

  test("returns the second failure without a third attempt", async () => {
    const second = { ...transport, reason: "again" };
    expect(await play([transport, second, text])).toMatchObject({ outcome: second, attempts: 2 });
  });

  test("doubles the pause before each further attempt", async () => {
    const { sleeps, outcome } = await play([transport, transport, transport, text], { retries: 3 });
    expect(sleeps).toEqual([250, 500, 1_000]);
    expect(outcome).toBe(text);
  });

  test.each<ModelOutcome>([text, useless, { type: "refused", reason: "no" }, { type: "overflow", reason: "long" }])(
    "calls once if the outcome is $type and not a transport failure",
    async (outcome) => {
      expect(await play([outcome, text])).toMatchObject({ outcome, attempts: 1, sleeps: [] });
    },
  );

  test("waits as long as the provider requests, but never less than the backoff", async () => {
    expect((await play([{ ...transport, retryAfterMs: 3_000 }, text])).sleeps).toEqual([3_000]);
    expect((await play([{ ...transport, retryAfterMs: 1 }, text])).sleeps).toEqual([250]);
  });

  test("does not retry if the provider requests a longer pause than the limit", async () => {
    const outcome: ModelOutcome = { ...transport, retryAfterMs: 10_001 };
    expect(await play([outcome, text])).toMatchObject({ outcome, attempts: 1, sleeps: [] });
    expect(await play([{ ...transport, retryAfterMs: 10_000 }, text])).toMatchObject({ outcome: text, attempts: 2 });
  });

  test("stops when the caller aborts during the pause", async () => {
    const controller = new AbortController();
    const sleep = async () => controller.abort();
    expect(await play([transport, text], { signal: controller.signal, sleep })).toMatchObject({
      outcome: transport,
      attempts: 1,
    });
  });
});
