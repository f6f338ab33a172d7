/**
 * Several processes on one database, and a server that is restarted or killed under them: nothing lost, nothing twice,
 * one holder of a lease, and no process that is in the way.
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

  test("go on where they were when the server is restarted, and when it is killed", async (context) => {
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
