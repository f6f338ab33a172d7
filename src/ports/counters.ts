/** Finds the counter of a model. Tables are large, so they are loaded when first asked for. */
import type { ModelInfo } from "../core/budget/model-info.ts";
import type { Counter, CounterId } from "../core/tokens/counter.ts";

export interface Counters {
  /**
   * The counter for a model by its id or what is known of it, or a counter named directly. An unknown model gets the best guess, marked as not
   * exact. Loading happens once; calls at the same time share it. Fails with `counter-unavailable` for a name that is
   * neither a model nor a counter.
   */
  load(target: string | Pick<ModelInfo, "counter" | "exactCounter">): Promise<Counter>;
  /** The counter that wrote an id stored beside entries, where this version still has it. */
  find(id: CounterId): Promise<Counter | undefined>;
}
