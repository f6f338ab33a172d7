import { expect, test } from "vitest";
import { scriptedClock } from "./scripted-clock.ts";

test("a scripted clock does not move until the test advances it", () => {
  const clock = scriptedClock({ startMs: 1_700_000_000_000 });
  expect([clock.now(), clock.now()]).toEqual([1_700_000_000_000, 1_700_000_000_000]);
  clock.advance(250);
  expect(clock.now()).toBe(1_700_000_000_250);
  clock.advance(-1_000);
  expect(clock.now()).toBe(1_699_999_999_250);
});

test("a scripted clock with a step moves after each reading", () => {
  const clock = scriptedClock({ startMs: 0, stepMs: 10 });
  expect([clock.now(), clock.now(), clock.now()]).toEqual([0, 10, 20]);
});
