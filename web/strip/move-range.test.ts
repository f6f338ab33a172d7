import { expect, test } from "vitest";
import { followRange, zoomIn, zoomOut } from "./move-range.ts";

const WHOLE = { firstSeq: 1, lastSeq: 100_000 };
const at = (firstSeq: number, lastSeq = firstSeq) => ({ firstSeq, lastSeq });

test("zooming in shows a quarter of the range around the visible messages", () => {
  expect(zoomIn(WHOLE, at(50_000))).toEqual(at(37_500, 62_499));
});

test("zooming in near an end of the log stays within the log", () => {
  expect(zoomIn(WHOLE, at(3))).toEqual(at(1, 25_000));
  expect(zoomIn(WHOLE, at(99_999))).toEqual(at(75_001, 100_000));
});

test("zooming in stops at forty messages", () => {
  let range = WHOLE;
  for (let step = 0; step < 12; step += 1) range = zoomIn(range, at(500));
  expect(range.lastSeq - range.firstSeq + 1).toBe(40);
  expect(zoomIn(at(1, 10), at(5))).toEqual(at(1, 10));
});

test("zooming out as often as zooming in returns to the whole log", () => {
  const zoomed = zoomIn(zoomIn(WHOLE, at(500)), at(500));
  const wider = zoomOut(zoomed, WHOLE);
  expect(wider).toEqual(at(1, 25_000));
  expect(wider && zoomOut(wider, WHOLE)).toBeUndefined();
});

test("the range moves only when the visible messages have left it", () => {
  expect(followRange(at(100, 199), at(190, 210))).toEqual(at(100, 199));
  expect(followRange(at(100, 199), at(0))).toEqual(at(100, 199));
  const moved = followRange(at(100, 199), at(500, 510));
  expect(moved.lastSeq - moved.firstSeq + 1).toBe(100);
  expect(moved.lastSeq).toBeGreaterThanOrEqual(510);
});
