/** A small run of the fault `once`; `npm run faults -- once` is the full one. */
import { afterAll, test } from "vitest";
import { temporaryFolder } from "../stores/temporary-folder.ts";
import { describePostgres } from "../support/describe-postgres.ts";
import { createRestartingPlace, runOnce } from "./once.ts";
import { expectNoViolations, smallSize } from "./small-size.ts";

const SIZE = { ...smallSize({ rounds: 1, longestMs: 500_000 }), processes: 3, triggers: 6 };

await describePostgres("processes that see the same triggers", (server) => {
  const folder = temporaryFolder();
  afterAll(async () => {
    folder.remove();
    await server.close();
  });

  test("processes write one record for each trigger on a file, and account for every call", async () => {
    expectNoViolations(await runOnce({ ...SIZE, name: "sqlite", place: { kind: "sqlite", path: folder.newPath() } }));
  });

  test("processes write one record for each trigger on a server that is restarted in the meantime", async () => {
    expectNoViolations(await runOnce({ ...SIZE, name: "postgres", ...(await createRestartingPlace(server)) }));
  });
});
