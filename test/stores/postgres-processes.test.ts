/**
 * Several processes on one database while the server is restarted or killed: nothing lost, nothing duplicated, one
 * holder of a lease.
 */
import { setTimeout } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import type { Place } from "../faults/place.ts";
import { describePostgres, requireOwn } from "../support/describe-postgres.ts";
import { shareWork, testProcesses } from "./describe-processes.ts";

await describePostgres("processes on one database", (server) => {
  afterAll(() => server.close());
  const newPlace = async (): Promise<Place> => ({ kind: "postgres", path: await server.newDatabase() });

  testProcesses(newPlace);

  test("processes continue after the server was restarted or killed", async (context) => {
    const own = requireOwn(server, context);
    const done = await shareWork(await newPlace(), async () => {
      for (const how of ["fast", "kill"] as const) {
        await own.stop(how);
        await own.start();
        await setTimeout(100);
      }
    });
    expect(done).toBeLessThan(0.9);
  });
});
