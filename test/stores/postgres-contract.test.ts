/** The store contract on a real PostgreSQL server. */
import { afterAll, describe, test } from "vitest";
import type { Store } from "../../src/ports/store.ts";
import { openPostgresStore } from "../../src/stores/postgres/open-postgres-store.ts";
import { scriptedClock } from "../../src/testing/scripted-clock.ts";
import { describeStore } from "../../src/testing/store-contract/describe-store.ts";
import { describePostgres } from "../support/describe-postgres.ts";
import { propertyRuns } from "../support/property-runs.ts";

await describePostgres("the PostgreSQL store", (server) => {
  const opened: Store[] = [];
  afterAll(async () => {
    for (const store of opened) await store.close();
    await server.close();
  });

  describeStore({
    describe,
    test,
    runs: propertyRuns(15),
    make: async () => {
      const url = await server.newDatabase();
      const clock = scriptedClock({ startMs: 1_700_000_000_000 });
      const open = async () => {
        const store = await openPostgresStore(url, { now: clock.now });
        opened.push(store);
        return store;
      };
      const store = await open();
      const reopen = async () => {
        await store.close();
        return open();
      };
      return { store, reopen, passTime: async (milliseconds) => clock.advance(milliseconds) };
    },
  });
});
