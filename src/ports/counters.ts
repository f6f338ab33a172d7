/** Finds the counter of a model. Token tables are large, so they are loaded on first use. */
import type { ModelInfo } from "../core/budget/model-info.ts";
import type { Counter, CounterId } from "../core/tokens/counter.ts";

/** Loads counters by model or name. */
export interface Counters {
  /**
   * Loads the counter for a model, by its id or its catalogue entry, or a counter by its own name. An unknown model
   * gets the best guess, marked as not exact. Concurrent calls share one load. Fails with `counter-unavailable` for a
   * name that is neither a model nor a counter.
   */
  load(target: string | Pick<ModelInfo, "counter" | "exactCounter">): Promise<Counter>;
  /** Returns the counter with an id that is stored with entries, if this version still has it. */
  find(id: CounterId): Promise<Counter | undefined>;
}
