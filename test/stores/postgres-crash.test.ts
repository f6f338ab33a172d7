/**
 * kill -9 at any instant, of clients that write and of the server: acknowledged writes are stored at their seq, once;
 * unfinished ones are whole or absent, and the other writers continue when the server is back.
 */
import { afterAll, test } from "vitest";
import { crashProcesses } from "../faults/crash.ts";
import { postgresSite } from "../faults/crash-sites.ts";
import { killServer } from "../faults/kill-server.ts";
import { killServerOverHttp } from "../faults/kill-server-over-http.ts";
import { expectNoViolations, smallSize } from "../faults/small-size.ts";
import { describePostgres, requireOwn } from "../support/describe-postgres.ts";

await describePostgres(
  "PostgreSQL",
  (server) => {
    afterAll(() => server.close());

    test("PostgreSQL loses no acknowledged write when its clients are killed", async () => {
      expectNoViolations(await crashProcesses(postgresSite(server), smallSize({ rounds: 4, longestMs: 120_000 })));
    });

    test("PostgreSQL loses no acknowledged write when it is killed itself", async (context) => {
      requireOwn(server, context);
      expectNoViolations(await killServer(server, smallSize({ rounds: 1, longestMs: 30_000 })));
    });

    test("a Palimpsest server continues and loses nothing after its PostgreSQL server was killed", async (context) => {
      requireOwn(server, context);
      expectNoViolations(await killServerOverHttp(server, smallSize({ rounds: 1, longestMs: 30_000 })));
    });
  },
  { isDurable: true },
);
