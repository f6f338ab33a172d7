/** Opens every store that is available on this machine, on one clock, to run the same tests on all of them. */
import { randomUUID } from "node:crypto";
import type { Store } from "../../src/ports/store.ts";
import { openJsonlStore } from "../../src/stores/jsonl/jsonl-store.ts";
import { createMemoryStore } from "../../src/stores/memory/memory-store.ts";
import { openPostgresStore } from "../../src/stores/postgres/open-postgres-store.ts";
import { openSqliteStore } from "../../src/stores/sqlite/open-sqlite-store.ts";
import { type ScriptedClock, scriptedClock } from "../../src/testing/scripted-clock.ts";
import { temporaryFolder } from "../stores/temporary-folder.ts";
import type { PostgresServer } from "../support/start-postgres.ts";

export interface OpenStores {
  readonly clock: ScriptedClock;
  /** Memory is the first: the others are compared with it. */
  readonly stores: readonly { readonly kind: string; readonly store: Store }[];
  close(): Promise<void>;
}

/** No store syncs to disk, because only results are compared. */
export async function openStores(server?: PostgresServer): Promise<OpenStores> {
  const folder = temporaryFolder();
  const clock = scriptedClock({ startMs: 1_700_000_000_000 });
  const { now } = clock;
  const jsonl = { folder: folder.newPath(), fsync: "never", onWarning: () => undefined } as const;
  const stores = [
    { kind: "memory", store: createMemoryStore({ monotonicNow: now }) },
    { kind: "jsonl", store: openJsonlStore({ ...jsonl, monotonicNow: now }) },
    { kind: "sqlite", store: await openSqliteStore(folder.newPath(), { now, durability: "normal" }) },
  ];
  if (server !== undefined) {
    stores.push({ kind: "postgres", store: await openPostgresStore(await server.newDatabase(), { now }) });
  }
  return {
    clock,
    stores,
    close: async () => {
      for (const { store } of stores) await store.close();
      folder.remove();
    },
  };
}

/** Returns the same store with new tenants, which have no data. */
export function withNewTenants(store: Store): Store {
  const name = randomUUID();
  return { name: store.name, tenant: (id) => store.tenant(`${id}-${name}`), close: async () => undefined };
}
