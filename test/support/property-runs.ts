/**
 * How many cases a property tries: few in `npm test`, and many in `npm run soak`. Soak runs the files that import this
 * one.
 */
const SOAK_TIMES = 500;

/** Number of histories for each law in `npm test`. */
export const LAW_HISTORIES = 200;

/** Returns the number of cases: 500 times as many in soak. A slow property passes a smaller number. */
export function propertyRuns(ordinary = 100): number {
  return isSoaking() ? ordinary * SOAK_TIMES : ordinary;
}

/** Returns every nth item, including the first, and all in soak. */
export function everyNth<Item>(items: Iterable<Item>, n: number): readonly Item[] {
  return [...items].filter((_, index) => isSoaking() || index % n === 0);
}

/** Returns the first items of a recorded conversation, and all in soak. */
export function firstOf<Item>(items: readonly Item[], count: number): readonly Item[] {
  return isSoaking() ? items : items.slice(0, count);
}

function isSoaking(): boolean {
  return process.env.PALIMPSEST_SOAK === "1";
}
