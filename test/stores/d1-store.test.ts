/**
 * Behavior specific to D1: limits, failures and concurrent writers. Databases are real and run in a workerd; a fault is
 * an answer lost before or after the database has run the statements.
 */
import { afterAll, describe, expect, test } from "vitest";
import { EMPTY_HEAD } from "../../src/core/log/head.ts";
import type { TenantStore } from "../../src/ports/store.ts";
import type { D1Database } from "../../src/stores/d1/d1-driver.ts";
import { D1Driver } from "../../src/stores/d1/d1-driver.ts";
import { openD1Store } from "../../src/stores/d1/open-d1-store.ts";
import { guard, sql } from "../../src/stores/sql/driver.ts";
import {
  append,
  batchOf,
  headOf,
  pinNote,
  read,
  SESSION,
  say,
  seqsOf,
} from "../../src/testing/store-contract/contract-log.ts";
import { d1Flips } from "../faults/flip-sites.ts";
import { flipValues } from "../faults/flipped-values.ts";
import { expectNoViolations, smallSize } from "../faults/small-size.ts";
import { startD1 } from "../support/start-d1.ts";

const server = await startD1(20);
afterAll(() => server.close());

async function aSession(database: D1Database): Promise<TenantStore> {
  const tenant = (await openD1Store(database)).tenant("local");
  await tenant.createSession({ id: SESSION, createdAt: 0 }, EMPTY_HEAD);
  return tenant;
}

const run = async (database: D1Database, text: string) => (await database.prepare(text).all()).results;

interface Fault {
  readonly message: string;
  /** Whether the statements run before the answer is lost. */
  readonly isDone: boolean;
}

/** Wraps the database; each waiting fault loses the answer of one batch. */
function faulty(database: D1Database): D1Database & { readonly faults: Fault[] } {
  const faults: Fault[] = [];
  return {
    faults,
    prepare: (text) => database.prepare(text),
    async batch(statements) {
      const fault = faults.shift();
      if (fault === undefined) return database.batch(statements);
      if (fault.isDone) await database.batch(statements);
      throw new Error(fault.message);
    },
  };
}

const LOST = "D1_ERROR: Network connection lost.";

describe("a D1 database", () => {
  test("one changed bit in a D1 database is detected by a read or harmless", async () => {
    expectNoViolations(await flipValues(await d1Flips(server), smallSize({ rounds: 8, longestMs: 60_000 })));
  });

  test("a D1 store works through the binding of a Worker", async () => {
    const binding = await server.binding(server.newDatabase());
    const tenant = await aSession(binding);
    await append(tenant, say("Launch the rocket."));
    const again = (await openD1Store(binding)).tenant("local");
    expect(await again.search({ text: "ROCKET", limit: 3 })).toMatchObject([{ seq: 1, sessionId: SESSION }]);
    expect(seqsOf(await read(again))).toEqual([1]);
  });

  test("D1 returns bytes unchanged, and nothing for an empty batch", async () => {
    const driver = new D1Driver(await server.binding(server.newDatabase()), "d1");
    const bytes = Uint8Array.from([0, 1, 127, 128, 255]);
    await driver.batch([sql`CREATE TABLE held (bytes BLOB)`]);
    await driver.batch([sql`INSERT INTO held VALUES (${bytes})`]);
    expect(await driver.read([sql`SELECT bytes, length(bytes) AS size FROM held`])).toEqual([[{ bytes, size: 5 }]]);
    expect(await driver.batch([])).toEqual([]);
  });

  test("a batch returns nothing if its guard is refused, and an empty list for a statement without rows", async () => {
    const driver = new D1Driver(server.newDatabase(), "d1");
    expect(await driver.batch([guard(sql`SELECT 1 WHERE 1 = 2`), sql`SELECT 1`])).toBeUndefined();
    expect(await driver.batch([guard(sql`SELECT 1 WHERE 1 = 2`)])).toBeUndefined();
    expect(await driver.batch([sql`SELECT 1 WHERE 1 = 2`])).toEqual([[]]);
    await driver.close();
    await expect(driver.read([sql`SELECT 1`])).rejects.toMatchObject({ code: "closed" });
  });

  test("only one of several concurrent changes of the past on D1 is accepted, and the others are stale", async () => {
    const database = server.newDatabase();
    const tenant = await aSession(database);
    const other = (await openD1Store(database)).tenant("local");
    await append(tenant, say("One."));
    const head = await headOf(tenant);
    const outcomes = await Promise.all(
      [tenant, other, tenant, other].map((writer, index) =>
        writer.append(SESSION, batchOf(head, pinNote, `p${index}`)),
      ),
    );
    expect(outcomes.map(({ type }) => type).toSorted()).toEqual(["appended", "stale", "stale", "stale"]);
    expect(seqsOf(await read(tenant))).toEqual([1, 2]);
  });

  test("concurrent appends on D1 get different seqs", async () => {
    const database = server.newDatabase();
    const tenant = await aSession(database);
    const other = (await openD1Store(database)).tenant("local");
    await Promise.all([tenant, other, tenant, other].map((writer, index) => append(writer, say(`Said ${index}.`))));
    expect(seqsOf(await read(tenant))).toEqual([1, 2, 3, 4]);
  });

  test("concurrent opens create the D1 tables once", async () => {
    const database = server.newDatabase();
    const stores = await Promise.all([1, 2, 3].map(() => openD1Store(database, { profile: "windowed-sql" })));
    expect(stores).toHaveLength(3);
    expect(await run(database, "SELECT count(*) AS steps FROM window_migrations")).toEqual([{ steps: 2 }]);
  });
});

describe("a lost answer", () => {
  test.each([true, false])(
    "a message is in the log once after its answer was lost (written before the loss: %s)",
    async (isDone) => {
      const database = faulty(server.newDatabase());
      const tenant = await aSession(database);
      database.faults.push({ message: LOST, isDone });
      expect(seqsOf(await append(tenant, say("Once."), say("And again.")))).toEqual([1, 2]);
      expect(seqsOf(await read(tenant))).toEqual([1, 2]);
    },
  );
});

describe("a failure", () => {
  const failures: readonly (readonly [string, string, string, RegExp])[] = [
    ["a lost connection", LOST, "connection-lost", /Try again/],
    ["an overload", "D1_ERROR: D1 DB is overloaded. Requests queued for too long.", "busy", /Try again later/],
    ["a restart", "D1_ERROR: D1 DB reset because its code was updated.", "restarting", /Try again/],
    [
      "a query that takes too long",
      "D1_ERROR: D1 DB exceeded its CPU time limit and was reset.",
      "restarting",
      /again/,
    ],
    ["a full database", "D1_ERROR: Exceeded maximum DB size.", "database-full", /Raise its limit or bind another/],
  ];

  test.each(failures)("of D1 is reported with advice: %s", async (_, message, reason, advice) => {
    const database = server.newDatabase();
    const broken = { ...database, batch: () => Promise.reject(new Error(message)) };
    const driver = new D1Driver(broken, "d1:chats");
    await expect(driver.batch([sql`SELECT 1`, sql`SELECT 2`])).rejects.toMatchObject({
      code: "store-unavailable",
      message: expect.stringMatching(advice),
      details: { key: "store", reason },
      retryable: true,
      cause: expect.objectContaining({ message }),
    });
  });

  test("a changed table is reported, and nothing is half-written", async () => {
    const database = server.newDatabase();
    const tenant = await aSession(database);
    await append(tenant, say("One."));
    await run(database, "ALTER TABLE pending_texts RENAME TO elsewhere");
    await expect(append(tenant, say("Two."))).rejects.toMatchObject({
      code: "store-unavailable",
      details: { reason: "changed" },
      retryable: false,
    });
    await run(database, "ALTER TABLE elsewhere RENAME TO pending_texts");
    expect(seqsOf(await append(tenant, say("Three.")))).toEqual([2]);
  });

  test("a text that is too large for a row is refused as message-invalid", async () => {
    const driver = new D1Driver(server.newDatabase(), "d1");
    await expect(driver.read([sql`SELECT ${"x".repeat(2_500_000)} AS text`])).rejects.toMatchObject({
      code: "message-invalid",
    });
  });
});

describe("opening", () => {
  test("opening a D1 database that was already checked sends no statements", async () => {
    const database = server.newDatabase();
    let calls = 0;
    const counted: D1Database = {
      prepare(text) {
        calls += 1;
        return database.prepare(text);
      },
      batch: (statements) => database.batch(statements),
    };
    await openD1Store(counted, { profile: "windowed-sql" });
    expect(calls).toBeGreaterThan(0);
    calls = 0;
    await openD1Store(counted, { profile: "windowed-sql" });
    await openD1Store(counted);
    expect(calls).toBe(0);
  });

  test("a D1 database with a newer schema is refused", async () => {
    const database = server.newDatabase();
    await openD1Store(database);
    await run(database, "INSERT INTO migrations VALUES (99, 'later', 'x')");
    // A new binding object, as in another Worker: the store checks the schema only once for each binding.
    await expect(openD1Store({ ...database })).rejects.toMatchObject({
      code: "config-invalid",
      message: expect.stringContaining("newer version"),
    });
  });

  test("a D1 database whose table names are taken is refused", async () => {
    const database = server.newDatabase();
    await run(database, "CREATE TABLE sessions (token TEXT)");
    await expect(openD1Store(database)).rejects.toMatchObject({
      code: "config-invalid",
      message: expect.stringContaining("these names: sessions"),
    });
    expect(await run(database, "SELECT count(*) AS ours FROM sqlite_schema WHERE name = 'entries'")).toEqual([
      { ours: 0 },
    ]);
  });
});
