/** The same commands, in any order, have the same results on every store, and leave the same data. */
import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { afterAll, test } from "vitest";
import { openStores } from "../faults/open-stores.ts";
import { describePostgres } from "../support/describe-postgres.ts";
import { propertyRuns } from "../support/property-runs.ts";
import { checkEqual, createFirstSession, type Stores, storeCommands } from "./store-commands.ts";

await describePostgres("memory, JSONL, SQLite and PostgreSQL", (server) => {
  afterAll(() => server.close());

  test("all stores return the same results for the same commands", async () => {
    const { stores, clock, close } = await openStores(server);
    const law = fc.asyncProperty(storeCommands(), async (commands) => {
      const name = randomUUID();
      const real: Stores = {
        tenants: stores.map(({ store }) => store.tenant(name)),
        clock,
        leases: stores.map(() => []),
      };
      const model = await createFirstSession(real);
      await fc.asyncModelRun(() => ({ model, real }), commands);
      await checkEqual(real);
    });
    await fc.assert(law, { numRuns: propertyRuns(40) });
    await close();
  });
});
