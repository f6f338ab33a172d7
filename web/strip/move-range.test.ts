import { expect, test } from "vitest";
import { followRange, zoomIn, zoomOut } from "./move-range.ts";

const WHOLE = { firstSeq: 1, lastSeq: 100_000 };
const at = (firstSeq: number, lastSeq = firstSeq) => ({ firstSeq, lastSeq });

test("a closer look is a quarter of what was shown, around what is read", () => {
  expect(zoomIn(WHOLE, at(50_000))).toEqual(at(37_500, 62_499));
});

test("a closer look stays within the log at its ends", () => {
  expect(zoomIn(WHOLE, at(3))).toEqual(at(1, 25_000));
  expect(zoomIn(WHOLE, at(99_999))).toEqual(at(75_001, 100_000));
});

test("there is nothing closer than forty places", () => {
  let range = WHOLE;
  for (let step = 0; step < 12; step += 1) range = zoomIn(range, at(500));
  expect(range.lastSeq - range.firstSeq + 1).toBe(40);
  expect(zoomIn(at(1, 10), at(5))).toEqual(at(1, 10));
});

test("as many looks from further away lead back to the whole", () => {
  const closer = zoomIn(zoomIn(WHOLE, at(500)), at(500));
  const further = zoomOut(closer, WHOLE);
  expect(further).toEqual(at(1, 25_000));
  expect(further && zoomOut(further, WHOLE)).toBeUndefined();
});

test("what is shown moves along only when what is read has left it", () => {
  expect(followRange(at(100, 199), at(190, 210))).toEqual(at(100, 199));
  expect(followRange(at(100, 199), at(0))).toEqual(at(100, 199));
  const moved = followRange(at(100, 199), at(500, 510));
  expect(moved.lastSeq - moved.firstSeq + 1).toBe(100);
  expect(moved.lastSeq).toBeGreaterThanOrEqual(510);
});
