/**
 * An engine whose work is measured: entries to and from the store, bytes written and characters counted. Its parts are
 * real and only observed.
 */

import type { Counter } from "../../src/core/tokens/counter.ts";
import { createCatalogue } from "../../src/counters/create-catalogue.ts";
import { createCounters } from "../../src/counters/load-counter.ts";
import { createIds } from "../../src/engine/context/create-ids.ts";
import { SESSION_LIMITS } from "../../src/engine/context/engine-context.ts";
import { createEmitter } from "../../src/engine/context/events.ts";
import { Palimpsest } from "../../src/engine/palimpsest.ts";
import { readTranscript } from "../../src/importers/read-transcript.ts";
import { createInProcessJobs } from "../../src/jobs/in-process-jobs.ts";
import { DEFAULT_POLICY } from "../../src/policies/default-policy.ts";
import type { Store, TenantStore } from "../../src/ports/store.ts";
import { createMemoryStore } from "../../src/stores/memory/memory-store.ts";
import { scriptedClock } from "../../src/testing/scripted-clock.ts";

export interface Work {
  entriesRead: number;
  /** Messages that were read to recall passages. */
  candidatesRead: number;
  entriesWritten: number;
  bytesWritten: number;
  charactersCounted: number;
}

export const NO_WORK: Work = {
  entriesRead: 0,
  candidatesRead: 0,
  entriesWritten: 0,
  bytesWritten: 0,
  charactersCounted: 0,
};

export interface MeasuredEngine {
  readonly palimpsest: Palimpsest;
  readonly store: Store;
  /** Returns the work since the last call. */
  takeWork(): Work;
}

export function openMeasuredEngine(budgetTokens: number, store: Store = createMemoryStore()): MeasuredEngine {
  const work: Work = { ...NO_WORK };
  const clock = scriptedClock({ startMs: 1_700_000_000_000, stepMs: 7 });
  let made = 0;
  const randomHex = (digits: number) => (made++).toString(16).padStart(digits, "0");
  const counters = createCounters();
  const watch = (counter: Counter): Counter => ({
    id: counter.id,
    exact: counter.exact,
    messageOverheadTokens: counter.messageOverheadTokens,
    countWindow: (text) => {
      work.charactersCounted += text.length;
      return counter.countWindow(text);
    },
  });
  const context = {
    store: watchTenant(store.tenant("local"), work),
    counters: {
      ...counters,
      load: async (target: Parameters<typeof counters.load>[0]) => watch(await counters.load(target)),
    },
    catalogue: createCatalogue(),
    clock,
    ids: createIds({ clock, randomHex }),
    emitter: createEmitter(),
    settingsFor: () => DEFAULT_POLICY,
    recognizeRefusal: () => undefined,
    newNonce: () => "0123456789abcdef",
    sleep: async () => undefined,
    defaults: { budgetTokens, counter: "chars4" },
    limits: SESSION_LIMITS,
  };
  const takeWork = () => {
    const taken = { ...work };
    Object.assign(work, NO_WORK);
    return taken;
  };
  return {
    palimpsest: new Palimpsest({ ...context, readTranscript }, { store, jobs: createInProcessJobs(), runsJobs: true }),
    store,
    takeWork,
  };
}

function watchTenant(tenant: TenantStore, work: Work): TenantStore {
  const watched = Object.create(tenant) as TenantStore;
  watched.append = async (id, batch) => {
    work.entriesWritten += batch.entries.length;
    work.bytesWritten += JSON.stringify(batch).length;
    return tenant.append(id, batch);
  };
  watched.readEntries = async (id, range) => {
    const entries = await tenant.readEntries(id, range);
    work.entriesRead += entries.length;
    return entries;
  };
  watched.findCandidates = async (id, query) => {
    const found = await tenant.findCandidates(id, query);
    work.candidatesRead += found.messages.length;
    return found;
  };
  watched.readView = async (id, part) => {
    const view = await tenant.readView(id, part);
    work.entriesRead += view?.entries.length ?? 0;
    return view;
  };
  for (const name of [
    "createSession",
    "findSession",
    "listSessions",
    "listForks",
    "findMessage",
    "findEntry",
  ] as const) {
    Object.defineProperty(watched, name, { value: tenant[name].bind(tenant) });
  }
  for (const name of [
    "weighMessages",
    "readMessageKeys",
    "addCounts",
    "search",
    "lease",
    "renew",
    "release",
  ] as const) {
    Object.defineProperty(watched, name, { value: tenant[name].bind(tenant) });
  }
  return watched;
}
