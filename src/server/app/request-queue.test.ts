import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { createRequestQueue } from "./request-queue.ts";

test("the request queue starts requests in order, a few in each turn of the event loop", async () => {
  const queue = createRequestQueue();
  const done: number[] = [];
  for (let index = 0; index < 60; index += 1) queue.add("a", () => done.push(index));
  expect(done).toEqual([]);
  await nextTurn();
  const first = done.length;
  expect(first).toBeGreaterThan(0);
  expect(first).toBeLessThan(60);
  while (done.length < 60) await nextTurn();
  expect(done).toEqual(Array.from({ length: 60 }, (_, index) => index));
});

test("the request queue delays requests while new connections arrive, but not forever", async () => {
  const queue = createRequestQueue();
  let isDone = false;
  queue.add("a", () => {
    isDone = true;
  });
  let delays = 0;
  for (; !isDone && delays < 10_000; delays += 1) {
    queue.delay();
    await nextTurn();
  }
  expect(delays).toBeGreaterThan(10);
  expect(delays).toBeLessThan(1_000);
});

test("the request queue starts a request of another client after a few of a client that sends many", async () => {
  const queue = createRequestQueue();
  const started: string[] = [];
  for (let index = 0; index < 1_000; index += 1) queue.add("many", () => started.push("many"));
  queue.add("one", () => started.push("one"));
  while (!started.includes("one")) await nextTurn();
  expect(started.length).toBeLessThan(30);
});
