/**
 * For processes that run for long: garbage is collected when the heap has doubled since the last time. Left to itself
 * V8 lets the heap of a busy server grow to five times what it holds before it looks, and never gives the rest back.
 */
import { setFlagsFromString } from "node:v8";

const MOST_GROWTH_PERCENT = 100;

export function holdHeap(): void {
  setFlagsFromString(`--heap-growing-percent=${MOST_GROWTH_PERCENT}`);
}
