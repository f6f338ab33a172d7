/** Law 7 in races of engines on every persistent store; the laws of compaction test it in memory. */
import { setTimeout } from "node:timers/promises";
import fc from "fast-check";
import { afterAll, test } from "vitest";
import { describePostgres } from "../support/describe-postgres.ts";
import { expectEveryCallCounted, expectOneAtATime, expectOneChain, expectOneRecord } from "../support/law-of-once.ts";
import { propertyRuns } from "../support/property-runs.ts";
import { generateRaces, type Race, type RaceMedium, runRace } from "../support/race-engines.ts";
import { type OpenStores, openStores, withNewTenants } from "./open-stores.ts";

/** Number of runs by store: a race takes twenty milliseconds on a file and a hundred on a server. */
const RUNS = [
  ["jsonl", 8],
  ["sqlite", 8],
  ["postgres", 5],
] as const;

await describePostgres("engines that race on one store", (server) => {
  let opened: OpenStores | undefined;
  const open = async () => {
    opened ??= await openStores(server);
    return opened;
  };
  afterAll(async () => {
    await opened?.close();
    await server.close();
  });

  test.each(RUNS)(
    "racing engines write one record for a trigger and account for every call: %s",
    async (kind, runs) => {
      const { stores, clock } = await open();
      const store = stores.find((each) => each.kind === kind)?.store;
      if (store === undefined) throw new TypeError(`There is no ${kind}.`);
      const newMedium = (): RaceMedium => ({
        store: withNewTenants(store),
        advance: clock.advance,
        pass: async (turns) => void (await setTimeout(turns)),
      });
      const still = generateRaces({ budgets: [900], turns: [9, 12], grows: false });
      const growing = generateRaces({ budgets: [700, 1_100, 1_500], turns: [4, 8], grows: true });
      const check = async (race: Race, isStill: boolean) => {
        const finished = await runRace(race, newMedium());
        if (isStill) expectOneRecord(finished, 900);
        expectOneAtATime(finished);
        expectEveryCallCounted(finished);
        expectOneChain(finished);
      };
      const law = fc.asyncProperty(still, growing, async (first, second) => {
        await check(first, true);
        await check(second, false);
      });
      await fc.assert(law, { numRuns: propertyRuns(runs) });
    },
  );
});
