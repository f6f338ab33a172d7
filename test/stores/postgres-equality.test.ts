/** The same commands, in any order, are answered alike by memory, SQLite and PostgreSQL, and leave the same behind. */
import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { createMemoryStore } from "../../src/stores/memory/memory-store.ts";
import { openPostgresStore } from "../../src/stores/postgres/open-postgres-store.ts";
import { openSqliteStore } from "../../src/stores/sqlite/open-sqlite-store.ts";
import { propertyRuns } from "../../src/testing/property-runs.ts";
import { scriptedClock } from "../../src/testing/scripted-clock.ts";
import { describePostgres } from "../support/describe-postgres.ts";
import { checkEqual, type Stores, storeCommands, tellFirst } from "./store-commands.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** As many as there is time for, where the machine is busy. */
const LONGEST_MS = process.env.PALIMPSEST_SOAK === "1" ? 1_200_000 : 25_000;
const FEWEST_RUNS = 20;

await describePostgres("memory, SQLite and PostgreSQL", (server) => {
  const folder = temporaryFolder();
  afterAll(async () => {
    folder.remove();
    await server.close();
  });

  test("answer the same commands alike", async () => {
    const clock = scriptedClock({ startMs: 1_700_000_000_000 });
    const stores = [
      createMemoryStore({ monotonicNow: clock.now }),
      await openSqliteStore(folder.newPath(), { now: clock.now, durability: "normal" }),
      await openPostgresStore(await server.newDatabase(), { now: clock.now }),
    ];
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(storeCommands(), async (commands) => {
        const name = randomUUID();
        const real: Stores = {
          tenants: stores.map((store) => store.tenant(name)),
          clock,
          leases: stores.map(() => []),
        };
        const model = await tellFirst(real);
        await fc.asyncModelRun(() => ({ model, real }), commands);
        await checkEqual(real);
        runs += 1;
      }),
      { numRuns: propertyRuns(200), interruptAfterTimeLimit: LONGEST_MS, markInterruptAsFailure: false },
    );
    expect(runs).toBeGreaterThanOrEqual(FEWEST_RUNS);
    process.stdout.write(`${runs} sequences of commands\n`);
    for (const store of stores) await store.close();
  });
});
