import { describe, expect, test } from "vitest";
import type { ModelOutcome } from "../ports/model.ts";
import { scriptedClock } from "../testing/scripted-clock.ts";
import { shows } from "../testing/shows.ts";
import { callWithRetry, type RetryOptions } from "./call-with-retry.ts";

const transport: ModelOutcome = { type: "failed", reason: "reset", retryable: true };
const useless: ModelOutcome = { type: "failed", reason: "The answer was blank.", retryable: false };
const text: ModelOutcome = { type: "text", text: "fine", stopReason: "end", usage: undefined };

/** Plays outcomes in order, and sleeps by moving the clock. */
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
  test(shows("S4-50", "tries transport once more, 250 ms later"), async () => {
    expect(await play([transport, text, useless])).toEqual({
      outcome: text,
      attempts: 2,
      elapsedMs: 250,
      sleeps: [250],
      calls: [0, 1],
    });
  });

  test("gives back the second failure and tries no third time", async () => {
    const second = { ...transport, reason: "again" };
    expect(await play([transport, second, text])).toMatchObject({ outcome: second, attempts: 2 });
  });

  test("doubles the pause where a caller wants more attempts", async () => {
    const { sleeps, outcome } = await play([transport, transport, transport, text], { retries: 3 });
    expect(sleeps).toEqual([250, 500, 1_000]);
    expect(outcome).toBe(text);
  });

  test.each<ModelOutcome>([text, useless, { type: "refused", reason: "no" }, { type: "overflow", reason: "long" }])(
    "asks only once when the outcome is $type and not transport",
    async (outcome) => {
      expect(await play([outcome, text])).toMatchObject({ outcome, attempts: 1, sleeps: [] });
    },
  );

  test("waits as long as the provider asks, but never less than the backoff", async () => {
    expect((await play([{ ...transport, retryAfterMs: 3_000 }, text])).sleeps).toEqual([3_000]);
    expect((await play([{ ...transport, retryAfterMs: 1 }, text])).sleeps).toEqual([250]);
  });

  test("does not ask again when the provider wants a longer pause than the cap", async () => {
    const outcome: ModelOutcome = { ...transport, retryAfterMs: 10_001 };
    expect(await play([outcome, text])).toMatchObject({ outcome, attempts: 1, sleeps: [] });
    expect(await play([{ ...transport, retryAfterMs: 10_000 }, text])).toMatchObject({ outcome: text, attempts: 2 });
  });

  test("stops when the caller gives up during the pause", async () => {
    const controller = new AbortController();
    const sleep = async () => controller.abort();
    expect(await play([transport, text], { signal: controller.signal, sleep })).toMatchObject({
      outcome: transport,
      attempts: 1,
    });
  });
});
