/** Changes weights temporarily. Only tests and scripts may do that. */
import * as tables from "../../../src/core/summary/weights.ts";

export interface Weight {
  /** The path of a weight, such as `TALK_LINE_WEIGHTS.answer`. */
  readonly name: string;
  readonly value: number;
  /** Raises the weight and returns a function that restores it. */
  raise(): () => void;
}

export const WEIGHTS: readonly Weight[] = Object.entries<Record<string, number>>(tables).flatMap(([group, table]) =>
  Object.entries(table).map(([key, value]) => ({
    name: `${group}.${key}`,
    value,
    raise: () => {
      table[key] = raiseWeight(value);
      return () => {
        table[key] = value;
      };
    },
  })),
);

const STEP = 0.3;
const MAX_FACTOR = 3;

/**
 * Factors, shares and powers are raised by 0.3. Weights of another scale (characters, messages, tokens and other counts)
 * are raised by three tenths of their value, and by at least 1.
 */
export function raiseWeight(value: number): number {
  const isCount = Number.isInteger(value) && value >= MAX_FACTOR;
  return isCount ? value + Math.max(1, Math.ceil(value * STEP)) : value + STEP;
}
