import { describe, expect, test } from "vitest";
import { FairQueue, runQueued } from "./run-in-steps.ts";

const owner = {};

test("runQueued lets owners with queued work take turns", async () => {
  const begun: string[] = [];
  function* work(name: string): Generator<undefined, void> {
    begun.push(name);
    for (let step = 0; step < 5; step += 1) yield undefined;
  }
  const [busy, patient] = [{}, {}];
  const many = Array.from({ length: 20 }, (_, index) => runQueued(work(`busy ${index}`), { owner: busy }));
  const few = [0, 1].map((index) => runQueued(work(`patient ${index}`), { owner: patient }));
  await Promise.all([...few, ...many]);
  expect(begun.indexOf("patient 1")).toBeLessThanOrEqual(6);
  expect(begun).toHaveLength(22);
});

test("runQueued starts the work of an owner at once while other owners have long work running", async () => {
  const ended: string[] = [];
  function* work(name: string, steps: number): Generator<undefined, void> {
    for (let step = 0; step < steps && !ended.includes("patient"); step += 1) yield undefined;
    ended.push(name);
  }
  const [busy, patient] = [{}, {}];
  const long = [0, 1].map((index) => runQueued(work(`busy ${index}`, 1_000_000), { owner: busy }));
  await Promise.all([runQueued(work("patient", 5), { owner: patient }), ...long]);
  expect(ended[0]).toBe("patient");
});

test("runQueued starts work in the order of the calls, two pieces at a time", async () => {
  const [begun, ended]: [number[], number[]] = [[], []];
  let maxAtOnce = 0;
  function* work(name: number): Generator<undefined, number> {
    begun.push(name);
    maxAtOnce = Math.max(maxAtOnce, begun.length - ended.length);
    for (let step = 0; step < 20; step += 1) yield undefined;
    ended.push(name);
    return name;
  }
  const names = Array.from({ length: 10 }, (_, name) => name);
  expect(await Promise.all(names.map((name) => runQueued(work(name), { owner })))).toEqual(names);
  expect(begun).toEqual(names);
  expect(maxAtOnce).toBe(2);
});

test("runQueued rejects the call whose work fails, and continues with the others", async () => {
  function* broken(): Generator<undefined, never> {
    yield undefined;
    throw new Error("no such luck");
  }
  function* well(): Generator<undefined, string> {
    yield undefined;
    return "done";
  }
  const failing = [broken(), broken(), broken()].map((work) => runQueued(work, { owner }));
  const [last, ...failed] = await Promise.allSettled([runQueued(well(), { owner }), ...failing]);
  expect(last).toEqual({ status: "fulfilled", value: "done" });
  expect(failed.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
  expect(await runQueued(well(), { owner })).toBe("done");
});

describe("a fair queue with weights", () => {
  test("starts work while the sum of the weights is within the limit, and the next when there is room", async () => {
    const queue = new FairQueue({ maxRunning: 10, maxWeight: 10 });
    const places = [await queue.enter({}, { weight: 6 }), await queue.enter({}, { weight: 4 })];
    const seen: string[] = [];
    void queue.enter({}, { weight: 5 }).then(() => seen.push("third"));
    await nextTurn();
    expect(seen).toEqual([]);
    places[0]?.resize(1);
    await nextTurn();
    expect(seen).toEqual(["third"]);
  });

  test("starts one piece that is heavier than the limit if it is alone", async () => {
    const queue = new FairQueue({ maxWeight: 10 });
    expect(await queue.enter(owner, { weight: 50 })).toBeDefined();
  });

  test("stops waiting after the time limit, and starts the next work", async () => {
    const queue = new FairQueue({ maxRunning: 1 });
    const first = await queue.enter(owner);
    const late = queue.enter(owner, { withinMs: 1 });
    const next = queue.enter(owner);
    expect(await late).toBeUndefined();
    first?.leave();
    expect(await next).toBeDefined();
  });
});

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
