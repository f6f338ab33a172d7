/** Laws that share their histories still pass and fail independently of each other. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { playTogether } from "./support/play-together.ts";

function laws(play: (length: number, judge: (seen: number) => Promise<void>) => Promise<void>) {
  return playTogether<number, number>({ histories: fc.nat({ max: 1_000 }), play, parameters: { numRuns: 200 } });
}

const atMost = (most: number) => (seen: number) => {
  if (seen > most) throw new Error(`${seen} is more than ${most}`);
};

test("a history is played once for all laws that hold", async () => {
  const played: number[] = [];
  const keep = laws(async (length, judge) => {
    played.push(length);
    await judge(length);
  });
  for (const check of [keep(atMost(1_000)), keep(atMost(2_000))]) await check();
  expect(played).toHaveLength(200);
});

test("a broken law fails alone, with its own smallest history", async () => {
  const keep = laws((length, judge) => judge(length));
  const [kept, broken, brokenToo] = [keep(atMost(1_000)), keep(atMost(700)), keep(async (seen) => atMost(99)(seen))];
  await kept();
  await expect(broken()).rejects.toThrow(/Counterexample: \[701\]/);
  await expect(brokenToo()).rejects.toThrow(/Counterexample: \[100\]/);
});

test("an error while a history is played counts as a failure of every law", async () => {
  const keep = laws(async (length) => atMost(10)(length));
  for (const check of [keep(() => undefined), keep(() => undefined)]) {
    await expect(check()).rejects.toThrow(/Counterexample: \[11\]/);
  }
});

test("a law that fails once and holds in the replay is still broken", async () => {
  let times = 0;
  const keep = laws(async (_, judge) => judge(times++));
  const check = keep((seen) => expect(seen).not.toBe(3));
  await expect(check()).rejects.toThrow(/not to be 3/);
});
