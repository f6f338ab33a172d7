/** One changed bit in a stored value is detected or harmless, on every store. `npm run faults -- F15` changes 200. */
import { afterAll, describe, expect, test } from "vitest";
import { temporaryFolder } from "../stores/temporary-folder.ts";
import { describePostgres } from "../support/describe-postgres.ts";
import { FAULTS } from "./faults.ts";
import { jsonlFlips, postgresFlips, sqliteFlips } from "./flip-sites.ts";
import { flipValues } from "./flipped-values.ts";
import { expectNoViolations, smallSize } from "./small-size.ts";

const folder = temporaryFolder();
afterAll(() => folder.remove());

const small = () => smallSize({ rounds: 20, longestMs: 60_000 });

describe("one changed bit of a stored message, summary, recall, head, count or session", () => {
  test("is detected or harmless in SQLite", async () => {
    expectNoViolations(await flipValues(await sqliteFlips(folder), small()));
  });

  test("is detected or harmless in JSONL files and their index", async () => {
    expectNoViolations(await flipValues(await jsonlFlips(folder), small()));
  });

  test("is tested 200 times on every store by npm run faults", () => {
    expect(FAULTS.F15?.rounds).toBe(200);
  });
});

await describePostgres("one changed bit in PostgreSQL", (server) => {
  afterAll(() => server.close());

  test("one changed bit in PostgreSQL is detected or harmless", async () => {
    expectNoViolations(await flipValues(await postgresFlips(server), { ...small(), rounds: 8 }));
  });
});
