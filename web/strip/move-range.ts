/** The part of the log that a zoomed strip shows. Pure functions. */
import type { VisibleSeqs } from "../hooks/visible-range.ts";

const STEP = 4;
/** Messages in the smallest range. */
const MIN_PLACES = 40;

export function canZoom(range: VisibleSeqs): boolean {
  return placesOf(range) > MIN_PLACES;
}

/** Returns a quarter of the range, around the visible messages. */
export function zoomIn(range: VisibleSeqs, read: VisibleSeqs): VisibleSeqs {
  const places = Math.max(MIN_PLACES, Math.ceil(placesOf(range) / STEP));
  return placeAround(middleOf(read), places, range);
}

/** Returns a range four times as large, or undefined for the whole log. */
export function zoomOut(range: VisibleSeqs, whole: VisibleSeqs): VisibleSeqs | undefined {
  const places = placesOf(range) * STEP;
  return places >= placesOf(whole) ? undefined : placeAround(middleOf(range), places, whole);
}

/** Returns the same range if it contains visible messages, otherwise one of the same size around them. */
export function followRange(range: VisibleSeqs, read: VisibleSeqs): VisibleSeqs {
  if (read.lastSeq === 0 || (read.firstSeq <= range.lastSeq && read.lastSeq >= range.firstSeq)) return range;
  const places = placesOf(range);
  return placeAround(middleOf(read), places, { firstSeq: 1, lastSeq: Math.max(read.lastSeq, places) });
}

function placeAround(middle: number, places: number, within: VisibleSeqs): VisibleSeqs {
  const latest = Math.max(within.firstSeq, within.lastSeq - places + 1);
  const firstSeq = Math.min(latest, Math.max(within.firstSeq, Math.round(middle - places / 2)));
  return { firstSeq, lastSeq: Math.min(within.lastSeq, firstSeq + places - 1) };
}

function placesOf({ firstSeq, lastSeq }: VisibleSeqs): number {
  return lastSeq - firstSeq + 1;
}

function middleOf({ firstSeq, lastSeq }: VisibleSeqs): number {
  return (firstSeq + lastSeq) / 2;
}
