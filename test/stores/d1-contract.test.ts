/** The store contract on D1 databases in a real workerd. */
import { afterAll, describe, test } from "vitest";
import { openD1Store } from "../../src/stores/d1/open-d1-store.ts";
import { scriptedClock } from "../../src/testing/scripted-clock.ts";
import { describeStore } from "../../src/testing/store-contract/describe-store.ts";
import { propertyRuns } from "../support/property-runs.ts";
import { startD1 } from "../support/start-d1.ts";

const server = await startD1(40);
afterAll(() => server.close());

describe("the D1 store", () => {
  describeStore({
    describe,
    test,
    // Few runs: each call goes to another process and takes 5 ms, ten times as long as SQLite in this process.
    runs: propertyRuns(4),
    make: async () => {
      const database = server.newDatabase();
      const clock = scriptedClock({ startMs: 1_700_000_000_000 });
      const open = () => openD1Store(database, { now: clock.now });
      const store = await open();
      const reopen = async () => {
        await store.close();
        return open();
      };
      return { store, reopen, passTime: async (milliseconds) => clock.advance(milliseconds) };
    },
  });
});
