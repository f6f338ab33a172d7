/** The schema: migrated step by step under a lock, never backwards, and separate from other tables. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { EMPTY_HEAD } from "../../src/core/log/head.ts";
import type { Store } from "../../src/ports/store.ts";
import { loadPg } from "../../src/stores/postgres/load-pg.ts";
import { migratePostgres } from "../../src/stores/postgres/migrate-postgres.ts";
import { openPostgresStore } from "../../src/stores/postgres/open-postgres-store.ts";
import { PostgresDriver } from "../../src/stores/postgres/postgres-driver.ts";
import { POSTGRES_MIGRATIONS } from "../../src/stores/postgres/postgres-migrations.ts";
import { append, read, SESSION, say, seqsOf } from "../../src/testing/store-contract/contract-log.ts";
import { describePostgres } from "../support/describe-postgres.ts";
import { repositoryRoot } from "../support/read-repository.ts";

const opened: (Store | PostgresDriver)[] = [];
const pg = await loadPg();

function aDriver(url: string): PostgresDriver {
  const driver = new PostgresDriver(pg, { url, connections: 2, retryForMs: 500, statementTimeoutMs: 30_000 });
  opened.push(driver);
  return driver;
}

async function open(url: string): Promise<Store> {
  const store = await openPostgresStore(url);
  opened.push(store);
  return store;
}

async function closeAll(): Promise<void> {
  for (const each of opened.splice(0)) await each.close();
}

const OURS = POSTGRES_MIGRATIONS.map(({ version }) => version);
const NEXT = [
  ...POSTGRES_MIGRATIONS,
  { version: POSTGRES_MIGRATIONS.length + 1, name: "more", statements: ["CREATE TABLE palimpsest.more (a integer)"] },
];

await describePostgres("the schema in PostgreSQL", (server) => {
  afterAll(async () => {
    await closeAll();
    await server.close();
  });

  const versions = async (url: string) =>
    (await server.run("SELECT version FROM palimpsest.migrations ORDER BY version", url)).map(({ version }) => version);

  test("concurrent opens migrate PostgreSQL once", async () => {
    const url = await server.newDatabase();
    await Promise.all(Array.from({ length: 6 }, () => open(url)));
    expect(await versions(url)).toEqual(OURS);
    const [pieces] = await server.run(
      `SELECT to_regclass('palimpsest.entries_words') IS NOT NULL AS indexed,
        EXISTS (SELECT 1 FROM pg_available_extensions WHERE name = 'pg_trgm') AS available`,
      url,
    );
    expect(pieces?.indexed).toBe(pieces?.available);
    await Promise.all([1, 2, 3].map(() => migratePostgres(aDriver(url), NEXT)));
    expect(await versions(url)).toEqual([...OURS, OURS.length + 1]);
  });

  test("a failed migration leaves the previous schema and its data", async () => {
    const url = await server.newDatabase();
    const tenant = (await open(url)).tenant("local");
    await tenant.createSession({ id: SESSION, createdAt: 0 }, EMPTY_HEAD);
    await append(tenant, say("One."));
    const statements = ["CREATE TABLE palimpsest.half (a integer)", "CREATE TABLE palimpsest.half (a integer)"];
    const broken = [...POSTGRES_MIGRATIONS, { version: OURS.length + 1, name: "broken", statements }];
    await expect(migratePostgres(aDriver(url), broken)).rejects.toThrow(/already exists/);
    expect(await versions(url)).toEqual(OURS);
    expect(await server.run("SELECT to_regclass('palimpsest.half') AS found", url)).toEqual([{ found: null }]);
    await migratePostgres(aDriver(url), NEXT);
    expect(seqsOf(await read(tenant))).toEqual([1]);
  });

  test("a migration normalizes stored search texts", async () => {
    const url = await server.newDatabase();
    const store = await open(url);
    const tenant = store.tenant("local");
    await tenant.createSession({ id: SESSION, createdAt: 0 }, EMPTY_HEAD);
    await append(tenant, ...Array.from({ length: 250 }, () => say("Ein Café")), say("Größe"));
    await store.close();
    await server.run("UPDATE palimpsest.entries SET words = normalize(words, NFD) WHERE words LIKE 'ein%'", url);
    await server.run("DROP TABLE palimpsest.word_places, palimpsest.word_progress", url);
    await server.run("ALTER TABLE palimpsest.entries DROP COLUMN tokens", url);
    for (const table of ["entries", "heads", "token_counts", "sessions"]) {
      await server.run(`ALTER TABLE palimpsest.${table} DROP COLUMN checksum`, url);
    }
    for (const column of ["title_checksum", "preview_checksum"]) {
      await server.run(`ALTER TABLE palimpsest.sessions DROP COLUMN ${column}`, url);
    }
    await server.run("DELETE FROM palimpsest.migrations WHERE version > 2", url);
    const again = (await open(url)).tenant("local");
    const find = async (text: string) => (await again.search({ text, limit: 999 })).length;
    expect([await find("café"), await find("cafe\u0301"), await find("größe")]).toEqual([250, 250, 1]);
    expect(await versions(url)).toEqual(OURS);
  });

  test("a newer schema is refused and left unchanged", async () => {
    const url = await server.newDatabase();
    await migratePostgres(aDriver(url), NEXT);
    await expect(openPostgresStore(url)).rejects.toMatchObject({
      code: "config-invalid",
      retryable: false,
      message: expect.stringMatching(
        new RegExp(`newer version.*schema version is ${OURS.length + 1}.*supports up to ${OURS.length}.*Update`),
      ),
    });
    expect(await versions(url)).toEqual([...OURS, OURS.length + 1]);
  });

  test("a schema with another migration hash is refused", async () => {
    const url = await server.newDatabase();
    await open(url);
    await server.run("UPDATE palimpsest.migrations SET hash = 'other'", url);
    await expect(openPostgresStore(url)).rejects.toMatchObject({
      code: "config-invalid",
      message: expect.stringMatching(/Migration 1 of .* differs from that of this version/),
    });
  });

  test("a database with another encoding than UTF8 is refused", async () => {
    const url = new URL(await server.newDatabase());
    await server.run("CREATE DATABASE narrow TEMPLATE template0 ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C'");
    url.pathname = "/narrow";
    await expect(openPostgresStore(url.href)).rejects.toMatchObject({
      code: "config-invalid",
      message: expect.stringMatching(/LATIN1.*ENCODING 'UTF8'/),
    });
    await server.run("DROP DATABASE narrow WITH (FORCE)");
  });

  test("every key that is not generated contains the tenant", async () => {
    const url = await server.newDatabase();
    await open(url);
    const keys = await server.run(
      `SELECT conrelid::regclass::text AS "table", pg_get_constraintdef(oid) AS key FROM pg_constraint
       WHERE connamespace = 'palimpsest'::regnamespace AND contype IN ('p', 'u', 'f')`,
      url,
    );
    expect(keys.length).toBeGreaterThan(8);
    const without = keys.map(({ key }) => String(key)).filter((key) => !/tenant/.test(key));
    expect(without.sort()).toEqual(["PRIMARY KEY (entry_key)", "PRIMARY KEY (session_key)", "PRIMARY KEY (version)"]);
  });

  test("search works without pg_trgm and finds the same messages", async () => {
    const url = new URL(await server.newDatabase());
    const database = url.pathname.slice(1);
    const modest = await server.newRole();
    await server.run(
      `REVOKE ALL ON DATABASE ${database} FROM public; GRANT CONNECT ON DATABASE ${database} TO ${modest}`,
    );
    await server.run(`CREATE SCHEMA palimpsest AUTHORIZATION ${modest}`, url.href);
    url.username = modest;
    const tenant = (await open(url.href)).tenant("local");
    const indexes = await server.run("SELECT to_regclass('palimpsest.entries_words') AS found", url.href);
    expect(indexes).toEqual([{ found: null }]);
    await tenant.createSession({ id: SESSION, createdAt: 0 }, EMPTY_HEAD);
    await append(tenant, say("100% of it_"), say("Of 100 rockets."));
    const found = async (text: string) => (await tenant.search({ text, limit: 9 })).map(({ seq }) => seq);
    expect(await found("100%")).toEqual([1]);
    expect(await found("IT_")).toEqual([1]);
    expect(await found("of")).toEqual([2, 1]);
  });

  test("leases use the clock of the database server", async () => {
    const url = await server.newDatabase();
    const [first, second] = [await open(url), await open(url)].map((store) => store.tenant("local"));
    await first?.createSession({ id: SESSION, createdAt: 0 }, EMPTY_HEAD);
    const lease = await first?.lease(SESSION, 60_000);
    const [row] = await server.run(
      "SELECT lease_until - extract(epoch FROM now()) * 1000 AS left FROM palimpsest.sessions",
      url,
    );
    expect(Number(row?.left)).toBeGreaterThan(50_000);
    expect(Number(row?.left)).toBeLessThanOrEqual(60_000);
    expect(await second?.lease(SESSION, 60_000)).toBeUndefined();
    await server.run("UPDATE palimpsest.sessions SET lease_until = lease_until - 60000", url);
    expect((await second?.lease(SESSION, 60_000))?.fence).toBe((lease?.fence ?? 0) + 1);
    // The lease looks as if the clock had been set back since it was granted.
    await server.run(
      "UPDATE palimpsest.sessions SET lease_from = lease_from + 1e9, lease_until = lease_until + 1e9",
      url,
    );
    expect((await first?.lease(SESSION, 60_000))?.fence).toBe((lease?.fence ?? 0) + 2);
  });
});

describe("the package pg", () => {
  test("a missing pg package is named in the error", () => {
    const script = `
      import { registerHooks } from "node:module";
      registerHooks({ resolve: (specifier, context, next) => {
        if (specifier !== "pg") return next(specifier, context);
        throw Object.assign(new Error("Cannot find package 'pg'"), { code: "ERR_MODULE_NOT_FOUND" });
      } });
      const { openPalimpsest } = await import(${JSON.stringify(join(repositoryRoot, "src/index.ts"))});
      await openPalimpsest({ store: "postgres://127.0.0.1/chats" }).catch(({ code, message }) => console.log(code, message));`;
    const { stdout } = spawnSync(process.execPath, ["--input-type=module", "--eval", script], { encoding: "utf8" });
    expect(stdout.trim()).toBe(
      "config-invalid store: PostgreSQL needs the package pg, which is not installed. Run: npm install pg",
    );
  });
});
