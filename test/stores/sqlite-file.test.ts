/** Settings, schema, clock and files of a SQLite store. */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { EMPTY_HEAD } from "../../src/core/log/head.ts";
import { migrateSqlite } from "../../src/stores/sql/migrate-sqlite.ts";
import { isTooOld } from "../../src/stores/sqlite/load-sqlite.ts";
import { APPLICATION_ID } from "../../src/stores/sqlite/open-database.ts";
import { SQLITE_MIGRATIONS } from "../../src/stores/sqlite/sqlite-migrations.ts";
import { scriptedClock } from "../../src/testing/scripted-clock.ts";
import { shows } from "../../src/testing/shows.ts";
import {
  append,
  batchOf,
  headOf,
  pinNote,
  SESSION,
  say,
  truncate,
} from "../../src/testing/store-contract/contract-log.ts";
import { repositoryRoot } from "../support/read-repository.ts";
import { aSession, sqliteFiles } from "./sqlite-files.ts";

const files = sqliteFiles();
const { newPath, open, openDriver, openDatabase } = files;
afterAll(() => files.remove());

describe("a SQLite file", () => {
  test("has our application id, private permissions and a write-ahead log", async () => {
    const path = newPath();
    await aSession(await open(path));
    const database = openDatabase(path);
    expect(database.prepare("PRAGMA application_id").get()).toEqual({ application_id: APPLICATION_ID });
    expect(database.prepare("PRAGMA journal_mode").get()).toEqual({ journal_mode: "wal" });
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test("is opened with full durability, foreign keys and a lock timeout", async () => {
    const driver = openDriver(newPath(), { durability: "full" });
    const setting = async (name: string) => Object.values((await driver.execute(`PRAGMA ${name}`))[0] ?? {})[0];
    expect(await setting("synchronous")).toBe(2);
    expect(await setting("foreign_keys")).toBe(1);
    expect(await setting("secure_delete")).toBe(1);
    expect(await setting("busy_timeout")).toBeGreaterThan(0);
  });

  test("has only strict tables", async () => {
    const path = newPath();
    await open(path);
    const tables = openDatabase(path).prepare("SELECT name, strict FROM pragma_table_list WHERE type = 'table'").all();
    const ours = tables.filter(({ name }) => !/^(?:sqlite_|text_index)/.test(String(name)));
    expect(ours.length).toBeGreaterThan(5);
    expect(ours.filter(({ strict }) => strict !== 1)).toEqual([]);
  });

  test("contains no erased or deleted text, not even in its write-ahead log", async () => {
    const path = newPath();
    const tenant = await aSession(await open(path));
    const secret = say("Reserved-word-one is kept here.");
    await append(tenant, secret, say("Two."));
    await tenant.createSession({ id: "t", createdAt: 0, title: "reserved-word-three" }, EMPTY_HEAD);
    await tenant.append("t", { entries: [say("Reserved-word-two.")] });
    const everything = () => Buffer.concat([readFileSync(path), readFileSync(`${path}-wal`)]).toString("latin1");
    expect(everything()).toMatch(/reserved-word-one/i);
    const gone = { type: "delete", messageIds: [secret.id], seqs: [1], dropsSummary: false } as const;
    await tenant.append(SESSION, { ...batchOf(await headOf(tenant), gone), erase: [secret.id] });
    await tenant.deleteSession("t");
    expect(everything()).not.toMatch(/reserved-word/i);
  });
});

describe("Node's SQLite", () => {
  const run = (node: string, source: string) => {
    const { stdout, stderr } = spawnSync(node, ["--input-type=module-typescript", "-e", source], {
      cwd: repositoryRoot,
      encoding: "utf8",
    });
    return { stdout, stderr };
  };
  const isLoaded = "process.moduleLoadList.some((name) => name.includes('NativeModule sqlite'))";

  test.each([
    ["this version of Node", process.execPath],
    ["the oldest supported version of Node", join(repositoryRoot, "test/oldest-node/node_modules/node/bin/node")],
  ])("is loaded on first use without a warning, on %s", (_, node) => {
    if (!existsSync(node)) return;
    const path = newPath();
    const source = `import { openPalimpsest } from "./src/index.ts";
      const before = ${isLoaded};
      const palimpsest = await openPalimpsest({ store: ${JSON.stringify(`sqlite:${path}`)} });
      const session = await palimpsest.session("chat");
      await session.append([{ role: "user", content: "Hello." }]);
      await palimpsest.close();
      const again = await openPalimpsest({ store: ${JSON.stringify(`sqlite:${path}`)} });
      const { messages } = await (await again.session("chat")).prompt({ preview: true });
      console.log(before, ${isLoaded}, messages.length);
      await again.close();`;
    expect(run(node, source)).toEqual({ stdout: "false true 1\n", stderr: "" });
  });
});

describe("the schema", () => {
  test("concurrent opens apply each SQLite migration once", async () => {
    const path = newPath();
    const first = SQLITE_MIGRATIONS.slice(0, 1);
    const next = [...first, { version: 2, name: "more", statements: ["CREATE TABLE more (a INTEGER) STRICT"] }];
    await migrateSqlite(openDriver(path), first);
    await Promise.all([1, 2, 3].map(() => migrateSqlite(openDriver(path), next)));
    const steps = openDatabase(path).prepare("SELECT version, name FROM migrations").all();
    expect(steps.map(({ version }) => version)).toEqual([1, 2]);
  });

  test("a failed SQLite migration leaves the previous schema", async () => {
    const path = newPath();
    const broken = {
      version: SQLITE_MIGRATIONS.length + 1,
      name: "broken",
      statements: ["CREATE TABLE half (a INTEGER) STRICT", "CREATE NONSENSE"],
    };
    await expect(migrateSqlite(openDriver(path), [...SQLITE_MIGRATIONS, broken])).rejects.toMatchObject({
      code: "store-unavailable",
      cause: { message: expect.stringMatching(/syntax/) },
    });
    expect(openDatabase(path).prepare("SELECT name FROM sqlite_schema WHERE name = 'half'").all()).toEqual([]);
    await append(await aSession(await open(path)), say("Works."));
  });

  test("a newer SQLite schema is refused and left unchanged", async () => {
    const path = newPath();
    const store = await open(path);
    await append(await aSession(store), say("Hello."));
    await store.close();
    const database = openDatabase(path);
    const known = SQLITE_MIGRATIONS.length;
    database.exec(`INSERT INTO migrations (version, name, hash) VALUES (${known + 1}, 'future', 'x')`);
    await expect(open(path)).rejects.toMatchObject({
      code: "config-invalid",
      retryable: false,
      message: expect.stringMatching(
        new RegExp(`newer version.*schema version is ${known + 1}.*supports up to ${known}.*Update`),
      ),
    });
    expect(database.prepare("SELECT count(*) AS count FROM entries").get()).toEqual({ count: 1 });
  });

  test("a SQLite schema with another migration hash is refused", async () => {
    const path = newPath();
    await (await open(path)).close();
    openDatabase(path).exec("UPDATE migrations SET hash = 'other'");
    await expect(open(path)).rejects.toMatchObject({
      code: "config-invalid",
      message: expect.stringMatching(/Migration 1 of .* differs/),
    });
  });

  test("another program's database is refused and left unchanged", async () => {
    const path = newPath();
    openDatabase(path).exec("CREATE TABLE theirs (a INTEGER)");
    const before = readFileSync(path);
    await expect(open(path)).rejects.toMatchObject({
      code: "config-invalid",
      message: expect.stringMatching(/another program/),
    });
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  test.each([
    ["3.51.2", true],
    ["3.50.9", true],
    ["2.99.99", true],
    ["3.51.3", false],
    ["3.52.0", false],
    ["4.0.0", false],
  ])("SQLite %s counts as too old: %s", (version, answer) => {
    expect(isTooOld(version)).toBe(answer);
  });
});

describe("leases in SQLite", () => {
  test("end at the exact millisecond, and can be taken over if the clock is set back", async () => {
    const clock = scriptedClock({ startMs: 1_700_000_000_000 });
    const tenant = await aSession(await open(newPath(), { now: clock.now }));
    expect(await tenant.lease(SESSION, 1_000)).toMatchObject({ fence: 1 });
    clock.advance(999);
    expect(await tenant.lease(SESSION, 1_000)).toBeUndefined();
    clock.advance(1);
    const lease = await tenant.lease(SESSION, 1_000);
    expect(lease).toMatchObject({ fence: 2 });
    clock.advance(-86_400_000);
    expect(await tenant.lease(SESSION, 1_000)).toMatchObject({ fence: 3 });
    const late = { ...batchOf(await headOf(tenant), pinNote), expect: { epoch: 0, fence: lease?.fence } };
    expect(await tenant.append(SESSION, late)).toEqual({ type: "stale", epoch: 0 });
  });

  test("use the clock of the database by default", async () => {
    const tenant = await aSession(await open(newPath()));
    expect(await tenant.lease(SESSION, 150)).toBeDefined();
    await expect.poll(() => tenant.lease(SESSION, 600_000)).toBeDefined();
    expect(await tenant.lease(SESSION, 150)).toBeUndefined();
  });
});

describe("a failed transaction", () => {
  test(shows("S1-51", "is rolled back"), async () => {
    const path = newPath();
    const tenant = await aSession(await open(path));
    const before = await append(tenant, say("One."), say("Two."));
    // A trigger makes the last statement of the batch fail.
    const database = openDatabase(path);
    database.exec("CREATE TRIGGER refuse BEFORE UPDATE ON heads BEGIN SELECT RAISE(ABORT, 'refused'); END");
    const batch = batchOf(await headOf(tenant), truncate(2));
    const whole = { ...batch, entries: [...batch.entries, say("Three.")], erase: before.map(({ id }) => id) };
    await expect(tenant.append(SESSION, whole)).rejects.toThrow(/refused/);
    expect(await tenant.readEntries(SESSION, {})).toEqual(before);
    expect(await tenant.findSession(SESSION)).toMatchObject({ lastSeq: 2, head: EMPTY_HEAD });
    database.exec("DROP TRIGGER refuse");
    expect(await tenant.append(SESSION, whole)).toMatchObject({ type: "appended", lastSeq: 4 });
  });
});
