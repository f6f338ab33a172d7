import { describe, expect, test } from "vitest";
import { assumeModel } from "../core/budget/find-model.ts";
import type { ModelOutcome, ModelRequest } from "../ports/model.ts";
import { scriptedClock } from "../testing/scripted-clock.ts";
import { createModelPool } from "./model-pool.ts";

const request: ModelRequest = { instructions: "Fold.", messages: [], maxOutputTokens: 100 };
const failure: ModelOutcome = { type: "failed", reason: "reset", retryable: true };
const useless: ModelOutcome = { ...failure, retryable: false };
const text: ModelOutcome = { type: "text", text: "fine", stopReason: "end", usage: undefined };
const need = { inputTokens: 10, outputTokens: 10 };

/** Creates a pool with one model that returns these outcomes in order, then a text. */
function play(outcomes: readonly ModelOutcome[]) {
  const clock = scriptedClock({ startMs: 0 });
  let calls = 0;
  const generate = async (): Promise<ModelOutcome> => outcomes[calls++] ?? text;
  const pooled = { model: { id: "one", generate }, info: assumeModel("vendor/one").info };
  const sleep = async (milliseconds: number) => clock.advance(milliseconds);
  const pool = createModelPool({ models: [pooled], clock, sleep });
  const ask = (signal = new AbortController().signal) =>
    pool.ask(pooled, { request, signal, onAttempt: () => undefined });
  return { pool, ask, clock, calls: () => calls };
}

describe("createModelPool", () => {
  test("pauses a model after five failures within two minutes, including useless answers", async () => {
    const { pool, ask, calls, clock } = play([failure, failure, useless, useless, useless]);
    for (let call = 0; call < 4; call += 1) await ask();
    expect(calls()).toBe(5);
    expect(pool.choose(need)).toMatchObject({ chosen: undefined, skipped: [{ id: "vendor/one" }] });
    expect(pool.findAvailable("one")).toBeUndefined();
    expect(await ask()).toMatchObject({ type: "failed", reason: "It failed too often recently." });
    expect(calls()).toBe(5);
    clock.advance(30_000);
    expect(await ask()).toBe(text);
    expect(pool.findAvailable("one")?.info.id).toBe("vendor/one");
  });

  test("does not retry the call that opened the breaker", async () => {
    const { ask, calls } = play(Array<ModelOutcome>(9).fill(failure));
    await ask();
    await ask();
    expect(calls()).toBe(4);
    expect(await ask()).toBe(failure);
    expect(calls()).toBe(5);
  });

  test("does not count refusals, overflows and aborted calls as failures", async () => {
    const refused: ModelOutcome = { type: "refused", reason: "no" };
    const overflow: ModelOutcome = { type: "overflow", reason: "too long" };
    const { pool, ask } = play([
      refused,
      overflow,
      refused,
      overflow,
      refused,
      ...Array<ModelOutcome>(5).fill(useless),
    ]);
    for (let call = 0; call < 5; call += 1) await ask();
    for (let call = 0; call < 5; call += 1) await ask(AbortSignal.abort());
    expect(pool.choose(need).chosen?.model.id).toBe("one");
  });
});
