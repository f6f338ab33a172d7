import { describe, expect, test } from "vitest";
import { CACHE_EPOCHS, compareCacheUse, type EpochCacheUse, noteCacheUse } from "./cache-use.ts";
import type { Usage } from "./entry.ts";

const note = (known: readonly EpochCacheUse[] | undefined, viewEpoch: number, promptId: string, usage: Usage) =>
  noteCacheUse(known, { promptId, viewEpoch, usage });

const usage = (cacheReadTokens: number): Usage => ({ inputTokens: 1_000, cacheReadTokens, cacheWriteTokens: 0 });

describe("noteCacheUse", () => {
  test("keeps the first and the last answer of an epoch", () => {
    const noted = ["a", "b", "c"].reduce<readonly EpochCacheUse[] | undefined>(
      (known, promptId, index) => note(known, 1, promptId, usage(index * 100)),
      undefined,
    );
    expect(noted).toMatchObject([{ viewEpoch: 1, first: { promptId: "a" }, last: { promptId: "c" } }]);
  });

  test("records nothing if the provider did not report both its input and a cache figure", () => {
    expect(note(undefined, 1, "a", {})).toBeUndefined();
    expect(note(undefined, 1, "a", { inputTokens: 900 })).toBeUndefined();
    expect(note(undefined, 1, "a", { cacheReadTokens: 900 })).toBeUndefined();
  });

  test("adds cached tokens to the input if the provider leaves them out", () => {
    const figures = { inputTokens: 20, cacheReadTokens: 900, cacheWriteTokens: 80 };
    expect(note(undefined, 1, "a", figures)?.[0]?.first.inputTokens).toBe(1_000);
    expect(note(undefined, 1, "a", usage(900))?.[0]?.first.inputTokens).toBe(1_000);
  });

  test("keeps a limited number of epochs, sorted, for answers in any order", () => {
    let noted: readonly EpochCacheUse[] | undefined;
    for (const epoch of [3, 1, 2, ...Array.from({ length: 40 }, (_, index) => index + 4)]) {
      noted = note(noted, epoch, `p${epoch}`, usage(epoch));
    }
    expect(noted).toHaveLength(CACHE_EPOCHS);
    const epochs = noted?.map(({ viewEpoch }) => viewEpoch) ?? [];
    expect(epochs).toEqual(epochs.toSorted((left, right) => left - right));
    expect(epochs.at(-1)).toBe(43);
  });
});

describe("compareCacheUse", () => {
  const uses = [1, 4, 6].reduce<readonly EpochCacheUse[] | undefined>(
    (known, epoch) => note(known, epoch, `p${epoch}`, usage(epoch)),
    undefined,
  );
  const around = (epoch: number) => {
    const { before, after } = compareCacheUse(uses, epoch);
    return [before?.promptId, after?.promptId];
  };

  test("returns the last answer before a change and the first after it", () => {
    expect(around(2)).toEqual(["p1", "p4"]);
    expect(around(4)).toEqual(["p1", "p4"]);
    expect(around(5)).toEqual(["p4", "p6"]);
  });

  test("returns undefined if there is no answer before or after the change", () => {
    expect(around(1)).toEqual([undefined, "p1"]);
    expect(around(7)).toEqual(["p6", undefined]);
    expect(compareCacheUse(undefined, 3)).toEqual({ before: undefined, after: undefined });
  });
});
