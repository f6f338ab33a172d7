import { describe, expect, test } from "vitest";
import { seededRandom } from "./seeded-random.ts";

const draw = <Value>(count: number, next: () => Value): readonly Value[] => Array.from({ length: count }, next);

describe("seededRandom", () => {
  test("returns the same numbers for the same seed, and different ones for another", () => {
    const first = draw(50, seededRandom(42).next);
    expect(draw(50, seededRandom(42).next)).toEqual(first);
    expect(draw(50, seededRandom(43).next)).not.toEqual(first);
  });

  test("spreads integers evenly below the bound", () => {
    const { integer } = seededRandom(1);
    const counts = new Map<number, number>();
    for (const value of draw(10_000, () => integer(10))) counts.set(value, (counts.get(value) ?? 0) + 1);
    expect([...counts.keys()].toSorted((left, right) => left - right)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    for (const count of counts.values()) expect(Math.abs(count - 1_000)).toBeLessThan(150);
  });

  test("refuses a bound below one", () => {
    expect(() => seededRandom(1).integer(0)).toThrow(TypeError);
  });

  test("picks every item of a list sooner or later, and throws for an empty list", () => {
    const { pick } = seededRandom(1);
    expect(new Set(draw(100, () => pick(["a", "b", "c"])))).toEqual(new Set(["a", "b", "c"]));
    expect(() => pick([])).toThrow(TypeError);
  });

  test("shuffles a copy without losing an item", () => {
    const items = draw(20, () => 0).map((_, index) => index);
    const shuffled = seededRandom(1).shuffle(items);
    expect(shuffled).not.toEqual(items);
    expect(shuffled.toSorted((left, right) => left - right)).toEqual(items);
  });

  test("creates unique ids", () => {
    const { id } = seededRandom(1);
    const ids = draw(10_000, () => id("msg-"));
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids[0]).toMatch(/^msg-[0-9a-f]{16}$/);
  });
});
