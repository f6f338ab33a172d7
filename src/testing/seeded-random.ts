/** Random numbers that repeat: a seed gives the same numbers on every machine. Not for secrets. */
import { invariant } from "../core/errors.ts";

export interface SeededRandom {
  /** At least 0 and below 1. */
  next(): number;
  /** Returns an integer from 0 to `below` - 1. */
  integer(below: number): number;
  pick<Item>(items: readonly Item[]): Item;
  shuffle<Item>(items: readonly Item[]): readonly Item[];
  /** Returns the prefix and sixteen hexadecimal digits. */
  id(prefix?: string): string;
}

/**
 * Returns a function with the same random numbers for the same seed.
 *
 * @example
 * ```ts
 * const random = seededRandom(42);
 * console.log(random.integer(6) + 1);
 * ```
 */
export function seededRandom(seed: number): SeededRandom {
  let state = seed >>> 0;

  const bits = (): number => {
    state = (state + STEP) >>> 0;
    return mix(state);
  };
  const next = (): number => bits() / 2 ** 32;
  const integer = (below: number): number => {
    invariant(Number.isSafeInteger(below) && below > 0, `integer(${below}) needs a whole number above zero`);
    return Math.floor(next() * below);
  };
  const pick = <Item>(items: readonly Item[]): Item => {
    const [chosen] = items.slice(integer(items.length));
    invariant(chosen !== undefined, "pick() needs items, none of them undefined");
    return chosen;
  };
  const shuffle = <Item>(items: readonly Item[]): readonly Item[] =>
    items
      .map((item) => ({ item, rank: next() }))
      .toSorted((left, right) => left.rank - right.rank)
      .map(({ item }) => item);
  const id = (prefix = ""): string => prefix + hexadecimal(bits()) + hexadecimal(bits());

  return { next, integer, pick, shuffle, id };
}

/** 2^32 divided by the golden ratio, made odd: a walk with this step visits every 32-bit state once. */
const STEP = 0x9e3779b9;

/** Spreads every input bit over all output bits; one-to-one, so that distinct states stay distinct. */
function mix(value: number): number {
  let mixed = value;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

function hexadecimal(bits: number): string {
  return bits.toString(16).padStart(8, "0");
}
