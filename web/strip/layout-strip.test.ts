import { describe, expect, test } from "vitest";
import type { Fate, Segment, Summary } from "../api/values.ts";
import { bottomOf, joinBands, layoutBands, layoutSheets, seqAt, thinBands, topOf } from "./layout-strip.ts";

function segment(firstSeq: number, lastSeq: number, tokens: number, fate: Fate = "verbatim"): Segment {
  return { firstSeq, lastSeq, fate, messages: lastSeq - firstSeq + 1, tokens, shownTokens: tokens };
}

function summary(id: string, given: Partial<Summary>): Summary {
  return { id, firstSeq: 1, lastSeq: 10, isLive: false, ...given } as Summary;
}

const THREE = [segment(1, 10, 300, "summarised"), segment(11, 11, 100), segment(12, 20, 600)];

describe("bands", () => {
  test("lie one below the other without a gap, and fill what there is", () => {
    const bands = layoutBands(THREE, 400);
    for (const [index, band] of bands.entries()) {
      const before = bands[index - 1];
      expect(band.top).toBeCloseTo(before === undefined ? 0 : before.top + before.height);
    }
    expect(bottomOf(bands, 20)).toBeCloseTo(400);
  });

  test("are as high as what was said in them is long", () => {
    const [first, second, third] = layoutBands(THREE, 400).map(({ height }) => height - 2);
    expect((first ?? 0) / (second ?? 1)).toBeCloseTo(3);
    expect((third ?? 0) / (second ?? 1)).toBeCloseTo(6);
  });

  test("of a few words do not fill the strip", () => {
    expect(bottomOf(layoutBands([segment(1, 1, 10)], 900), 1)).toBeLessThan(10);
  });

  test("of thousands of messages stay within it", () => {
    const many = Array.from({ length: 4_000 }, (_, index) => segment(index + 1, index + 1, 5));
    const bands = layoutBands(many, 700);
    expect(bottomOf(bands, 4_000)).toBeCloseTo(700);
    const drawn = thinBands(bands);
    expect(drawn.length).toBeLessThanOrEqual(700);
    expect(drawn.reduce((sum, { messages }) => sum + messages, 0)).toBe(4_000);
  });

  test("are none where nothing was said", () => {
    expect(layoutBands([], 700)).toEqual([]);
    expect([topOf([], 3), seqAt([], 3)]).toEqual([0, 0]);
  });

  test("of one fate are told as one", () => {
    const joined = joinBands(layoutBands(THREE, 400));
    expect(joined.map(({ fate, firstSeq, lastSeq, tokens }) => [fate, firstSeq, lastSeq, tokens])).toEqual([
      ["summarised", 1, 10, 300],
      ["verbatim", 11, 20, 700],
    ]);
  });
});

describe("places", () => {
  test("lead down to where they lie and back to what they are", () => {
    const bands = layoutBands(THREE, 400);
    for (let seq = 1; seq <= 20; seq += 1) {
      const middle = (topOf(bands, seq) + bottomOf(bands, seq)) / 2;
      expect(seqAt(bands, middle), `place ${seq}`).toBe(seq);
    }
  });

  test("above the strip and below it are its ends", () => {
    const bands = layoutBands(THREE, 400);
    expect([seqAt(bands, -5), seqAt(bands, 5_000)]).toEqual([1, 20]);
  });

  test("between two bands are the edge of the lower one", () => {
    const bands = layoutBands([segment(1, 5, 100), segment(9, 12, 100)], 400);
    expect(topOf(bands, 7)).toBe(bands[1]?.top);
  });
});

describe("sheets", () => {
  test("are the live summary and those it was made from, the live one on top", () => {
    const bands = layoutBands(THREE, 400);
    const chain = [
      summary("old", { lastSeq: 4 }),
      summary("undone", { lastSeq: 9 }),
      summary("live", { isLive: true, parentId: "old" }),
    ];
    const sheets = layoutSheets(bands, chain);
    expect(sheets.map(({ summary: { id }, under }) => [id, under])).toEqual([
      ["live", 0],
      ["old", 1],
    ]);
    expect(sheets[0]?.height).toBeCloseTo(bottomOf(bands, 10));
  });

  test("end where a chain leads back into itself", () => {
    const chain = [summary("a", { isLive: true, parentId: "b" }), summary("b", { parentId: "a" })];
    expect(layoutSheets(layoutBands(THREE, 400), chain)).toHaveLength(2);
  });
});
