/** Row-level security: a query without a tenant condition sees nothing of other tenants. */
import { Client } from "pg";
import { afterAll, expect, test } from "vitest";
import { EMPTY_HEAD } from "../../src/core/log/head.ts";
import type { Store } from "../../src/ports/store.ts";
import { loadPg } from "../../src/stores/postgres/load-pg.ts";
import { migratePostgres } from "../../src/stores/postgres/migrate-postgres.ts";
import { openPostgresNotifications, openPostgresStore } from "../../src/stores/postgres/open-postgres-store.ts";
import { PostgresDriver } from "../../src/stores/postgres/postgres-driver.ts";
import { POSTGRES_MIGRATIONS, TENANT_TABLES } from "../../src/stores/postgres/postgres-migrations.ts";
import { POSTGRES_SEARCH } from "../../src/stores/postgres/postgres-search-statements.ts";
import { type Statement, sql } from "../../src/stores/sql/driver.ts";
import { append, read, SESSION, say, seqsOf } from "../../src/testing/store-contract/contract-log.ts";
import { describePostgres } from "../support/describe-postgres.ts";
import { createOwnedDatabase } from "../support/own-database.ts";

const opened: { close(): Promise<void> }[] = [];
const pg = await loadPg();

async function open(url: string, options: { readonly rowSecurity?: boolean } = {}): Promise<Store> {
  const warnings: string[] = [];
  const store = await openPostgresStore(url, { ...options, onWarning: ({ text }) => warnings.push(text) });
  opened.push(store);
  expect(warnings).toEqual([]);
  return store;
}

function aDriver(url: string): PostgresDriver {
  const driver = new PostgresDriver(pg, { url, connections: 2, retryForMs: 500, statementTimeoutMs: 30_000 });
  opened.push(driver);
  return driver;
}

async function fill(store: Store, tenantId: string): Promise<void> {
  const tenant = store.tenant(tenantId);
  await tenant.createSession({ id: SESSION, createdAt: 0 }, EMPTY_HEAD);
  await append(tenant, say(`Said by ${tenantId}.`));
  await tenant.addCounts(SESSION, "counter", new Map([[1, 7]]));
}

const CARELESS = sql`SELECT tenant, id FROM palimpsest.entries ORDER BY tenant`;
const ANSWERED = sql`SELECT words FROM palimpsest.entries WHERE words LIKE ${"%said%"}`;

await describePostgres("row-level security", (server) => {
  afterAll(async () => {
    for (const each of opened.splice(0).reverse()) await each.close();
    await server.close();
  });

  test("row-level security covers every table with a tenant", async () => {
    const url = await createOwnedDatabase(server);
    await open(url, { rowSecurity: true });
    const rows = await server.run(
      `SELECT c.relname AS name, c.relrowsecurity AND c.relforcerowsecurity AS forced FROM pg_class c
      JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'tenant'
      WHERE c.relnamespace = to_regnamespace('palimpsest') AND c.relkind = 'r'`,
      url.replace(/\/\/[^@]+@/, "//postgres@"),
    );
    expect(rows.map(({ name }) => name).sort()).toEqual([...TENANT_TABLES].sort());
    expect(rows.every(({ forced }) => forced === true)).toBe(true);
  });

  test("row-level security limits a query without a tenant condition to its own tenant's rows", async () => {
    const url = await createOwnedDatabase(server);
    const store = await open(url, { rowSecurity: true });
    for (const tenant of ["anna", "ben"]) await fill(store, tenant);
    const driver = aDriver(url);
    const seenBy = async (tenant: string) =>
      (await driver.forTenant(tenant).read([CARELESS]))[0]?.map((row) => row.tenant);
    expect(await seenBy("anna")).toEqual(["anna"]);
    expect(await seenBy("ben")).toEqual(["ben"]);
    expect(await seenBy("nobody")).toEqual([]);
    // The same connections are used again, now for several statements in one snapshot.
    expect((await driver.forTenant("anna").read([CARELESS, ANSWERED])).map((rows) => rows.length)).toEqual([1, 1]);
    await driver
      .forTenant("ben")
      .batch([sql`UPDATE palimpsest.entries SET words = 'changed'`, sql`DELETE FROM palimpsest.heads`]);
    await driver.forTenant("ben").batch([sql`DELETE FROM palimpsest.sessions`]);
    expect(seqsOf(await read(store.tenant("anna")))).toEqual([1]);
    expect((await store.tenant("anna").search({ text: "Said by anna", limit: 5 })).length).toBe(1);
  });

  test("a search under row-level security uses the index and sees no other tenant's rows", async () => {
    const url = await createOwnedDatabase(server);
    const store = await open(url, { rowSecurity: true });
    for (const tenant of ["anna", "ben"]) await fill(store, tenant);
    // As superuser, who is not restricted, with enough rows to use an index.
    const root = url.replace(/\/\/[^@]+@/, "//postgres@");
    await server.run(
      `INSERT INTO palimpsest.entries (tenant, session_key, seq, type, at, id, role, words, content)
      SELECT e.tenant, e.session_key, n, 'message', 0, 'm' || n, 'user', repeat(md5(n::text), 9), e.content
      FROM palimpsest.entries e, generate_series(2, 5000) n`,
      root,
    );
    await server.run("VACUUM ANALYZE palimpsest.entries", root);
    const anna = aDriver(url).forTenant("anna");
    const search = {
      tenant: "anna",
      segment: undefined,
      words: ["by", "said"],
      role: undefined,
      limit: 9,
      columns: "entry" as const,
    };
    const found = POSTGRES_SEARCH.findIndexed(search, undefined);
    const [first = "", ...rest] = found.strings;
    const explain = { ...found, strings: [`EXPLAIN ${first}`, ...rest] };
    const planOf = async (before: readonly Statement[]) =>
      JSON.stringify(await anna.read([...before, explain, explain]));
    expect(await planOf(POSTGRES_SEARCH.beforeIndexed(search))).toContain("entries_words");
    expect(await planOf([])).not.toContain("entries_words");
    // A query without a tenant sees only Anna's rows: during a search those that match, and otherwise all of them.
    const wanted = (word: string) => POSTGRES_SEARCH.beforeIndexed({ ...search, words: [word] });
    const careless = { ...sql`SELECT DISTINCT tenant FROM palimpsest.entries`, isPlannedPerCall: true };
    const seen = async (before: readonly Statement[]) => (await anna.read([...before, careless, careless])).at(-1);
    expect(await seen(wanted("said"))).toEqual([{ tenant: "anna" }]);
    expect(await seen(wanted("ben"))).toEqual([]);
    expect(await seen([])).toEqual([{ tenant: "anna" }]);
    expect(await store.tenant("anna").search({ text: "Said by ben", limit: 5 })).toEqual([]);
  });

  test("row-level security refuses to write another tenant's rows", async () => {
    const url = await createOwnedDatabase(server);
    await fill(await open(url, { rowSecurity: true }), "anna");
    const foreign = sql`INSERT INTO palimpsest.blobs (tenant, hash, bytes) VALUES ('anna', 'h', 1)`;
    await expect(aDriver(url).forTenant("ben").batch([foreign])).rejects.toThrow(/lacks permission/);
  });

  test("row-level security hides all rows from a connection without a tenant", async () => {
    const url = await createOwnedDatabase(server);
    await fill(await open(url, { rowSecurity: true }), "anna");
    const client = new Client({ connectionString: url });
    await client.connect();
    try {
      expect((await client.query("SELECT 1 FROM palimpsest.entries")).rows).toEqual([]);
      expect((await client.query("SELECT 1 FROM palimpsest.sessions")).rows).toEqual([]);
    } finally {
      await client.end();
    }
  });

  test("row-level security can be turned on for an existing database", async () => {
    const url = await createOwnedDatabase(server);
    await migratePostgres(aDriver(url), POSTGRES_MIGRATIONS.slice(0, 3));
    await fill(await open(url), "anna");
    await fill(await open(url, { rowSecurity: true }), "ben");
    // Stores that were opened before, and those without the option, keep working.
    for (const store of [await open(url), await open(url, { rowSecurity: true })]) {
      for (const tenant of ["anna", "ben"]) expect(seqsOf(await read(store.tenant(tenant)))).toEqual([1]);
    }
  });

  test("row-level security does not apply to migrations and notifications, which see all tenants", async () => {
    const url = await createOwnedDatabase(server);
    const store = await open(url, { rowSecurity: true });
    for (const tenant of ["anna", "ben"]) await fill(store, tenant);
    const errors: unknown[] = [];
    const notifications = await openPostgresNotifications(url, { onError: (error) => errors.push(error) });
    opened.push(notifications);
    const received: string[] = [];
    notifications.listen(({ tenantId }) => received.push(tenantId));
    await expect
      .poll(async () => {
        for (const tenantId of ["anna", "ben"]) await notifications.notify({ tenantId, sessionId: SESSION, seq: 1 });
        return new Set(received);
      })
      .toEqual(new Set(["anna", "ben"]));
    expect(errors).toEqual([]);
    const count = "CREATE TABLE palimpsest.counted AS SELECT count(DISTINCT tenant) AS tenants FROM palimpsest.entries";
    await migratePostgres(aDriver(url), [
      ...POSTGRES_MIGRATIONS,
      { version: POSTGRES_MIGRATIONS.length + 1, name: "counts", statements: [count] },
    ]);
    expect((await aDriver(url).read([sql`SELECT tenants FROM palimpsest.counted`]))[0]).toEqual([{ tenants: 2 }]);
  });

  test("row-level security that does not apply to the database user causes a warning", async () => {
    const warnings: string[] = [];
    const url = await server.newDatabase();
    opened.push(await openPostgresStore(url, { rowSecurity: true, onWarning: ({ text }) => warnings.push(text) }));
    expect(warnings.join()).toMatch(/does not apply to this user.*BYPASSRLS/s);
  });
});
