import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { createTurns } from "./take-turns.ts";

test("takes requests in their order, few in a turn of the event loop", async () => {
  const turns = createTurns();
  const done: number[] = [];
  for (let index = 0; index < 20; index += 1) turns.take(() => done.push(index));
  expect(done).toEqual([]);
  await nextTurn();
  const first = done.length;
  expect(first).toBeGreaterThan(0);
  expect(first).toBeLessThan(20);
  while (done.length < 20) await nextTurn();
  expect(done).toEqual(Array.from({ length: 20 }, (_, index) => index));
});

test("lets new connections in before requests, though not for ever", async () => {
  const turns = createTurns();
  let isDone = false;
  turns.take(() => {
    isDone = true;
  });
  let putOff = 0;
  for (; !isDone && putOff < 10_000; putOff += 1) {
    turns.putOff();
    await nextTurn();
  }
  expect(putOff).toBeGreaterThan(10);
  expect(putOff).toBeLessThan(1_000);
});
