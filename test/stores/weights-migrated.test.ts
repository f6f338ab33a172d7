/** Messages stored before the token column existed have the same token counts after the migration. */
import { afterAll, describe, expect, test } from "vitest";
import { EMPTY_HEAD } from "../../src/core/log/head.ts";
import type { Store } from "../../src/ports/store.ts";
import { openPostgresStore } from "../../src/stores/postgres/open-postgres-store.ts";
import { POSTGRES_MIGRATIONS } from "../../src/stores/postgres/postgres-migrations.ts";
import { sql } from "../../src/stores/sql/driver.ts";
import { SQLITE_MIGRATIONS } from "../../src/stores/sqlite/sqlite-migrations.ts";
import { append, note, SESSION, say } from "../../src/testing/store-contract/contract-log.ts";
import { describePostgres } from "../support/describe-postgres.ts";
import { sqliteFiles } from "./sqlite-files.ts";

const whole = [{ firstSeq: 1, lastSeq: 100 }];

async function fill(store: Store): Promise<void> {
  const tenant = store.tenant("local");
  await tenant.createSession({ id: SESSION, createdAt: 0 }, EMPTY_HEAD);
  const counted = (tokens: number) => say("Some words.", { tokens: { "a counter": tokens } });
  await append(tenant, counted(3), note("n1"), counted(40), say("Nobody counted this."));
  await store.close();
}

const weigh = (store: Store) => store.tenant("local").weighMessages(SESSION, whole);

describe("a SQLite file", () => {
  const files = sqliteFiles();
  afterAll(() => files.remove());

  test("gets the token counts of its messages from a migration", async () => {
    const path = files.newPath();
    await fill(await files.open(path));
    expect(SQLITE_MIGRATIONS.at(-1)?.version).toBe(8);
    await files
      .openDriver(path)
      .batch([
        sql`DROP TABLE word_places`,
        sql`DROP TABLE word_progress`,
        sql`DROP INDEX entries_weights`,
        sql`ALTER TABLE entries DROP COLUMN tokens`,
        sql`ALTER TABLE entries DROP COLUMN checksum`,
        sql`ALTER TABLE heads DROP COLUMN checksum`,
        sql`ALTER TABLE token_counts DROP COLUMN checksum`,
        sql`ALTER TABLE sessions DROP COLUMN checksum`,
        sql`ALTER TABLE sessions DROP COLUMN title_checksum`,
        sql`ALTER TABLE sessions DROP COLUMN preview_checksum`,
        sql`DELETE FROM migrations WHERE version > 3`,
      ]);
    expect(await weigh(await files.open(path))).toEqual([{ messages: 3, tokens: 43 }]);
  });
});

await describePostgres("a PostgreSQL database", (server) => {
  afterAll(() => server.close());

  test("gets the token counts of its messages from a migration", async () => {
    const url = await server.newDatabase();
    await fill(await openPostgresStore(url));
    const step = POSTGRES_MIGRATIONS.find(({ name }) => name === "tokens of messages in a column of their own");
    await server.run("ALTER TABLE palimpsest.entries DROP COLUMN tokens", url);
    for (const statement of step?.statements ?? []) await server.run(statement, url);
    const store = await openPostgresStore(url);
    expect(await weigh(store)).toEqual([{ messages: 3, tokens: 43 }]);
    await store.close();
  });
});
