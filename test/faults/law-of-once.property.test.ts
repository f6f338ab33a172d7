/** Law 7 in races of engines on every store that keeps something; in memory it is among the laws of compaction. */
import { setTimeout } from "node:timers/promises";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { propertyRuns } from "../../src/testing/property-runs.ts";
import { describePostgres } from "../support/describe-postgres.ts";
import { LastRun } from "../support/last-run.ts";
import { expectEveryCallCounted, expectOneAtATime, expectOneChain, expectOneRecord } from "../support/law-of-once.ts";
import { type Race, type RaceMedium, races, runRace } from "../support/race-engines.ts";
import { emptyPart, type OpenStores, openStores } from "./open-stores.ts";

/** A race takes twenty milliseconds on a file and a hundred on a server: as many as there is time for. */
const RUNS = propertyRuns(60);
const LONGEST_MS = RUNS * 60;
const FEWEST_RUNS = 5;

await describePostgres("engines that race on one store", (server) => {
  let opened: OpenStores | undefined;
  const lastRun = new LastRun();
  const open = async () => {
    opened ??= await openStores(server);
    return opened;
  };
  afterAll(async () => {
    await lastRun.settle();
    await opened?.close();
    await server.close();
  });

  test.each(["jsonl", "sqlite", "postgres"])(
    "write one record for a trigger and account for every call: %s",
    async (kind) => {
      const { stores, clock } = await open();
      const store = stores.find((each) => each.kind === kind)?.store;
      if (store === undefined) throw new TypeError(`There is no ${kind}.`);
      const newMedium = (): RaceMedium => ({
        store: emptyPart(store),
        advance: clock.advance,
        pass: async (turns) => void (await setTimeout(turns)),
      });
      let runs = 0;
      const still = races({ budgets: [900], turns: [9, 12], grows: false });
      const growing = races({ budgets: [700, 1_100, 1_500], turns: [4, 8], grows: true });
      const check = async (race: Race, isStill: boolean) => {
        const finished = await runRace(race, newMedium());
        if (isStill) expectOneRecord(finished, 900);
        expectOneAtATime(finished);
        expectEveryCallCounted(finished);
        expectOneChain(finished);
        runs += 1;
      };
      const run = lastRun.of(async (first: Race, second: Race) => {
        await check(first, true);
        await check(second, false);
      });
      const law = fc.asyncProperty(still, growing, run);
      const limit = { interruptAfterTimeLimit: LONGEST_MS, markInterruptAsFailure: false };
      await fc.assert(law, { numRuns: RUNS / 2, ...limit });
      // A machine that is busy with something else takes its time for a few.
      if (runs < FEWEST_RUNS) await fc.assert(law, { numRuns: Math.ceil(FEWEST_RUNS / 2) });
      expect(runs).toBeGreaterThanOrEqual(FEWEST_RUNS);
      process.stdout.write(`${kind}: ${runs} races\n`);
    },
  );
});
