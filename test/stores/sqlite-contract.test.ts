/**
 * The store contract on SQLite files: with the store's own driver, and with one that runs whole batches without
 * checking the guard in between.
 */
import { afterAll, describe, test } from "vitest";
import type { Store } from "../../src/ports/store.ts";
import type { SqlDriver } from "../../src/stores/sql/driver.ts";
import { createSqlStore } from "../../src/stores/sql/sql-store.ts";
import { SQLITE_STATEMENTS } from "../../src/stores/sqlite/sqlite-statements.ts";
import { scriptedClock } from "../../src/testing/scripted-clock.ts";
import { describeStore } from "../../src/testing/store-contract/describe-store.ts";
import { propertyRuns } from "../support/property-runs.ts";
import { sqliteFiles } from "./sqlite-files.ts";

const files = sqliteFiles();
afterAll(() => files.remove());

/**
 * Wraps a driver that runs the whole batch even if the guard refuses: the other statements have to check the guard's
 * mark.
 */
function withoutGuardChecks(driver: SqlDriver): SqlDriver {
  return {
    name: driver.name,
    read: (statements) => driver.read(statements),
    batch: async (statements) => {
      const results = await driver.batch(statements.map((statement) => ({ ...statement, isGuard: false })));
      const isRefused = statements[0]?.isGuard === true && results?.[0]?.length === 0;
      return isRefused ? undefined : results;
    },
    close: () => driver.close(),
  };
}

type OpenStore = (path: string, now: () => number) => Promise<Store>;

const ways: readonly (readonly [string, OpenStore, number])[] = [
  ["the SQLite store", (path, now) => files.open(path, { now }), 50],
  [
    "the SQLite store without a check between statements",
    async (path, now) => {
      await files.open(path);
      const driver = withoutGuardChecks(files.openDriver(path));
      return createSqlStore({ driver, statements: SQLITE_STATEMENTS, now });
    },
    15,
  ],
];

for (const [name, open, runs] of ways) {
  describe(name, () => {
    describeStore({
      describe,
      test,
      runs: propertyRuns(runs),
      make: async () => {
        const path = files.newPath();
        const clock = scriptedClock({ startMs: 1_700_000_000_000 });
        const store = await open(path, clock.now);
        const reopen = async () => {
          await store.close();
          return open(path, clock.now);
        };
        return { store, reopen, passTime: async (milliseconds) => clock.advance(milliseconds) };
      },
    });
  });
}
