/** Which part of the log a zoomed strip shows. Values in, values out. */
import type { Range } from "../hooks/visible-range.ts";

const STEP = 4;
/** Closer than this there is nothing more to see. */
const LEAST_PLACES = 40;

/** Whether a part of it could be looked at more closely. */
export function canZoom(range: Range): boolean {
  return placesOf(range) > LEAST_PLACES;
}

/** A quarter of what was shown, around what is being read. */
export function zoomIn(range: Range, read: Range): Range {
  const places = Math.max(LEAST_PLACES, Math.ceil(placesOf(range) / STEP));
  return placeAround(middleOf(read), places, range);
}

/** Undefined for the whole. */
export function zoomOut(range: Range, whole: Range): Range | undefined {
  const places = placesOf(range) * STEP;
  return places >= placesOf(whole) ? undefined : placeAround(middleOf(range), places, whole);
}

/** The same where what is read is in it; else as much around that. */
export function followRange(range: Range, read: Range): Range {
  if (read.lastSeq === 0 || (read.firstSeq <= range.lastSeq && read.lastSeq >= range.firstSeq)) return range;
  const places = placesOf(range);
  return placeAround(middleOf(read), places, { firstSeq: 1, lastSeq: Math.max(read.lastSeq, places) });
}

function placeAround(middle: number, places: number, within: Range): Range {
  const latest = Math.max(within.firstSeq, within.lastSeq - places + 1);
  const firstSeq = Math.min(latest, Math.max(within.firstSeq, Math.round(middle - places / 2)));
  return { firstSeq, lastSeq: Math.min(within.lastSeq, firstSeq + places - 1) };
}

function placesOf({ firstSeq, lastSeq }: Range): number {
  return lastSeq - firstSeq + 1;
}

function middleOf({ firstSeq, lastSeq }: Range): number {
  return (firstSeq + lastSeq) / 2;
}
