/** Which of the next places are read in one go: those that stand close together, up to a size. */
import type { Place } from "./session-index.ts";

const GAP_BYTES = 2 ** 12;
const RUN_BYTES = 2 ** 20;

export interface ReadRun extends Place {
  readonly places: readonly Place[];
}

/** `sorted` by offset. */
export function nextRun(sorted: readonly Place[], start: number): ReadRun {
  const offset = sorted[start]?.offset ?? 0;
  let end = offset;
  let next = start;
  for (let place = sorted[next]; place !== undefined; place = sorted[next]) {
    const placeEnd = place.offset + place.length;
    if (next > start && (place.offset - end > GAP_BYTES || placeEnd - offset > RUN_BYTES)) break;
    end = Math.max(end, placeEnd);
    next += 1;
  }
  return { offset, length: end - offset, places: sorted.slice(start, next) };
}
