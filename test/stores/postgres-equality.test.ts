/** The same commands, in any order, are answered alike by every store, and leave the same behind. */
import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { propertyRuns } from "../../src/testing/property-runs.ts";
import { openStores } from "../faults/open-stores.ts";
import { describePostgres } from "../support/describe-postgres.ts";
import { LastRun } from "../support/last-run.ts";
import { checkEqual, type Stores, storeCommands, tellFirst } from "./store-commands.ts";

/** As many as there is time for, where the machine is busy. */
const LONGEST_MS = process.env.PALIMPSEST_SOAK === "1" ? 1_200_000 : 25_000;
const FEWEST_RUNS = 20;

await describePostgres("memory, JSONL, SQLite and PostgreSQL", (server) => {
  afterAll(() => server.close());

  test("answer the same commands alike", async () => {
    const { stores, clock, close } = await openStores(server);
    const lastRun = new LastRun();
    let runs = 0;
    const law = fc.asyncProperty(
      storeCommands(),
      lastRun.of(async (commands) => {
        const name = randomUUID();
        const real: Stores = {
          tenants: stores.map(({ store }) => store.tenant(name)),
          clock,
          leases: stores.map(() => []),
        };
        const model = await tellFirst(real);
        await fc.asyncModelRun(() => ({ model, real }), commands);
        await checkEqual(real);
        runs += 1;
      }),
    );
    const limit = { interruptAfterTimeLimit: LONGEST_MS, markInterruptAsFailure: false };
    await fc.assert(law, { numRuns: propertyRuns(), ...limit });
    await lastRun.settle();
    // On a machine that is busy elsewhere the time may not do for the fewest.
    if (runs < FEWEST_RUNS) await fc.assert(law, { numRuns: FEWEST_RUNS });
    expect(runs).toBeGreaterThanOrEqual(FEWEST_RUNS);
    process.stdout.write(`${runs} sequences of commands\n`);
    await close();
  });
});
