/** Creates the counters port. */
import type { Counters } from "../ports/counters.ts";
import { findCounter, loadCounter } from "./load-counter.ts";

export function createCounters(): Counters {
  return { load: loadCounter, find: findCounter };
}
