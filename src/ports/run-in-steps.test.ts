import { expect, test } from "vitest";
import { runQueued } from "./run-in-steps.ts";

test("runQueued starts long work in the order of the calls, two pieces at a time", async () => {
  const [begun, ended]: [number[], number[]] = [[], []];
  let mostAtOnce = 0;
  function* work(name: number): Generator<undefined, number> {
    begun.push(name);
    mostAtOnce = Math.max(mostAtOnce, begun.length - ended.length);
    for (let step = 0; step < 20; step += 1) yield undefined;
    ended.push(name);
    return name;
  }
  const names = Array.from({ length: 10 }, (_, name) => name);
  expect(await Promise.all(names.map((name) => runQueued(work(name))))).toEqual(names);
  expect(begun).toEqual(names);
  expect(mostAtOnce).toBe(2);
});

test("work that fails rejects its own call, and queued work continues", async () => {
  function* broken(): Generator<undefined, never> {
    yield undefined;
    throw new Error("no such luck");
  }
  function* well(): Generator<undefined, string> {
    yield undefined;
    return "done";
  }
  const failing = [broken(), broken(), broken()].map((work) => runQueued(work));
  const [last, ...failed] = await Promise.allSettled([runQueued(well()), ...failing]);
  expect(last).toEqual({ status: "fulfilled", value: "done" });
  expect(failed.map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
  expect(await runQueued(well())).toBe("done");
});
