import { describe, expect, test } from "vitest";
import type { Fate, Summary } from "../api/values.ts";
import type { StripSegment } from "../api/view.ts";
import { bottomOf, joinBands, joinThinBands, layOutBands, layOutSheets, seqAt, topOf } from "./layout-strip.ts";

function segment(firstSeq: number, lastSeq: number, tokens: number, fate: Fate = "verbatim"): StripSegment {
  return { firstSeq, lastSeq, fate, messages: lastSeq - firstSeq + 1, tokens, shownTokens: tokens };
}

function summary(id: string, { lastSeq = 10, ...given }: Partial<Summary> & { readonly lastSeq?: number }): Summary {
  return { id, coverage: { firstSeq: 1, lastSeq }, isLive: false, ...given } as Summary;
}

const THREE = [segment(1, 10, 300, "summarised"), segment(11, 11, 100), segment(12, 20, 600)];

describe("the bands of a strip", () => {
  test("follow each other without a gap and fill the height", () => {
    const bands = layOutBands(THREE, 400);
    for (const [index, band] of bands.entries()) {
      const before = bands[index - 1];
      expect(band.top).toBeCloseTo(before === undefined ? 0 : before.top + before.height);
    }
    expect(bottomOf(bands, 20)).toBeCloseTo(400);
  });

  test("have heights in proportion to the tokens of their messages", () => {
    const [first, second, third] = layOutBands(THREE, 400).map(({ height }) => height - 2);
    expect((first ?? 0) / (second ?? 1)).toBeCloseTo(3);
    expect((third ?? 0) / (second ?? 1)).toBeCloseTo(6);
  });

  test("do not fill the strip if the log is short", () => {
    expect(bottomOf(layOutBands([segment(1, 1, 10)], 900), 1)).toBeLessThan(10);
  });

  test("stay within the strip for thousands of messages", () => {
    const many = Array.from({ length: 4_000 }, (_, index) => segment(index + 1, index + 1, 5));
    const bands = layOutBands(many, 700);
    expect(bottomOf(bands, 4_000)).toBeCloseTo(700);
    const drawn = joinThinBands(bands);
    expect(drawn.length).toBeLessThanOrEqual(700);
    expect(drawn.reduce((sum, { messages }) => sum + messages, 0)).toBe(4_000);
  });

  test("are an empty list for an empty log", () => {
    expect(layOutBands([], 700)).toEqual([]);
    expect([topOf([], 3), seqAt([], 3)]).toEqual([0, 0]);
  });

  test("are joined if they are adjacent and share a fate", () => {
    const joined = joinBands(layOutBands(THREE, 400));
    expect(joined.map(({ fate, firstSeq, lastSeq, tokens }) => [fate, firstSeq, lastSeq, tokens])).toEqual([
      ["summarised", 1, 10, 300],
      ["verbatim", 11, 20, 700],
    ]);
  });
});

describe("positions on a strip", () => {
  test("map to a distance from the top and back", () => {
    const bands = layOutBands(THREE, 400);
    for (let seq = 1; seq <= 20; seq += 1) {
      const middle = (topOf(bands, seq) + bottomOf(bands, seq)) / 2;
      expect(seqAt(bands, middle), `place ${seq}`).toBe(seq);
    }
  });

  test("above and below the strip are clamped to its ends", () => {
    const bands = layOutBands(THREE, 400);
    expect([seqAt(bands, -5), seqAt(bands, 5_000)]).toEqual([1, 20]);
  });

  test("between two bands are at the edge of the lower one", () => {
    const bands = layOutBands([segment(1, 5, 100), segment(9, 12, 100)], 400);
    expect(topOf(bands, 7)).toBe(bands[1]?.top);
  });
});

describe("the sheets of a strip", () => {
  test("are the live summary and its parents", () => {
    const bands = layOutBands(THREE, 400);
    const chain = [
      summary("old", { lastSeq: 4 }),
      summary("undone", { lastSeq: 9 }),
      summary("live", { isLive: true, parentId: "old" }),
    ];
    const sheets = layOutSheets(bands, chain);
    expect(sheets.map(({ summary: { id }, level }) => [id, level])).toEqual([
      ["live", 0],
      ["old", 1],
    ]);
    expect(sheets[0]?.height).toBeCloseTo(bottomOf(bands, 10));
  });

  test("stop at the first repeated summary of a circular chain", () => {
    const chain = [summary("a", { isLive: true, parentId: "b" }), summary("b", { parentId: "a" })];
    expect(layOutSheets(layOutBands(THREE, 400), chain)).toHaveLength(2);
  });
});
