/** What every session of one engine shares: the ports, the policy's numbers, and the events. */
import type { PlanSettings } from "../core/plan/plan-settings.ts";
import type { Catalogue } from "../ports/catalogue.ts";
import type { Clock } from "../ports/clock.ts";
import type { Counters } from "../ports/counters.ts";
import type { Ids } from "../ports/ids.ts";
import type { TenantStore } from "../ports/store.ts";
import type { Emitter } from "./events.ts";

export interface EngineContext {
  readonly store: TenantStore;
  readonly counters: Counters;
  readonly catalogue: Catalogue;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly emitter: Emitter;
  readonly settings: PlanSettings;
  readonly defaults: SizeOptions;
}

/** What decides how large a prompt may be. The first that is given wins: budget, then the model's window. */
export interface SizeOptions {
  readonly model?: string | undefined;
  /** A counter by name, where the model's own is not wanted. */
  readonly counter?: string | undefined;
  /** The whole prompt may take this many tokens; nothing is held back for the reply. */
  readonly budgetTokens?: number | undefined;
  readonly windowTokens?: number | undefined;
  /** Held back for the reply. */
  readonly reserveTokens?: number | undefined;
}
