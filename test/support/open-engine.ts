/**
 * Builds an engine from real parts with test controls: a summarizer that answers when the test tells it to, pauses that
 * take no time, and a reproducible clock and ids.
 */

import { createCatalogue } from "../../src/counters/create-catalogue.ts";
import { createCounters } from "../../src/counters/load-counter.ts";
import { createIds } from "../../src/engine/context/create-ids.ts";
import { SESSION_LIMITS } from "../../src/engine/context/engine-context.ts";
import { createEmitter, type EngineEvents, type EventName } from "../../src/engine/context/events.ts";
import { Palimpsest } from "../../src/engine/palimpsest.ts";
import { createInProcessJobs } from "../../src/jobs/in-process-jobs.ts";
import type { PolicyInput } from "../../src/policies/policy-input.ts";
import type { Store, TenantStore } from "../../src/ports/store.ts";
import type { Summarizer } from "../../src/ports/summarizer.ts";
import type { SummaryThread } from "../../src/ports/summary-thread.ts";
import { type ScriptedClock, scriptedClock } from "../../src/testing/scripted-clock.ts";
import { resolvePolicy } from "./core-values.ts";
import { skipPause } from "./skip-pauses.ts";

export interface EngineOptions {
  readonly store: Store;
  readonly summarizer?: Summarizer | undefined;
  readonly policy?: PolicyInput | undefined;
  readonly budgetTokens?: number | undefined;
  readonly summaryThread?: SummaryThread | undefined;
  readonly clock?: ScriptedClock | undefined;
  /** Prefix of this engine's ids. */
  readonly name?: string | undefined;
  /** Wraps the store that the engine uses. */
  readonly watch?: ((store: TenantStore) => TenantStore) | undefined;
}

export interface OpenedEngine {
  readonly engine: Palimpsest;
  of<Name extends EventName>(name: Name): readonly EngineEvents[Name][];
}

const EVENT_NAMES = [
  "summary",
  "compaction",
  "compaction-start",
  "compaction-end",
] as const satisfies readonly EventName[];

export function openEngine({
  store,
  summarizer,
  policy,
  budgetTokens,
  summaryThread,
  clock = scriptedClock({ startMs: 1_700_000_000_000, stepMs: 7 }),
  name = "0",
  watch = (tenant) => tenant,
}: EngineOptions): OpenedEngine {
  let made = 0;
  // The name comes first, so that ids of engines with different names stay different while they count up.
  const randomHex = (digits: number): string => name + (made++).toString(16).padStart(digits - name.length, "0");
  const emitter = createEmitter();
  const settings = resolvePolicy(policy);
  const received = new Map<EventName, unknown[]>(EVENT_NAMES.map((each) => [each, []]));
  for (const each of EVENT_NAMES) emitter.on(each, (event) => received.get(each)?.push(event));
  const engine = new Palimpsest(
    {
      store: watch(store.tenant("local")),
      counters: createCounters(),
      catalogue: createCatalogue({}),
      clock,
      ids: createIds({ clock, randomHex }),
      emitter,
      settingsFor: () => settings,
      limits: SESSION_LIMITS,
      defaults: { counter: "estimate", budgetTokens },
      summaryThread,
      summarizerFor: summarizer === undefined ? undefined : () => summarizer,
      recognizeRefusal: () => undefined,
      newNonce: () => randomHex(16),
      sleep: skipPause,
    },
    { store, jobs: createInProcessJobs(), runsJobs: true },
  );
  return { engine, of: (each) => (received.get(each) ?? []) as never };
}
