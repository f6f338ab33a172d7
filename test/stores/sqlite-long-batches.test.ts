/** Batches long enough to block the process: they stay atomic, and do not block the event loop. */
import { afterAll, describe, expect, test } from "vitest";
import { EMPTY_HEAD } from "../../src/core/log/head.ts";
import type { TenantStore } from "../../src/ports/store.ts";
import { sql } from "../../src/stores/sql/driver.ts";
import { isLongBatch } from "../../src/stores/sqlite/write-long-batch.ts";
import { draftOf, SESSION, say } from "../../src/testing/store-contract/contract-log.ts";
import { aSession, sqliteFiles } from "./sqlite-files.ts";

const files = sqliteFiles();
afterAll(files.remove);

const COUNT = 3_000;
const LONGEST_SLICE_MS = 20;
const many = () => Array.from({ length: COUNT }, (_, index) => say(`The ferry ${index} leaves at noon.`));
const lastSeq = async (tenant: TenantStore, id = SESSION) => (await tenant.findSession(id))?.lastSeq;

/** Returns the last seq of the log at every turn of the event loop until the work is done. */
async function watch(tenant: TenantStore, work: Promise<unknown>): Promise<readonly (number | undefined)[]> {
  const seen: (number | undefined)[] = [];
  let isDone = false;
  const done = work.finally(() => {
    isDone = true;
  });
  while (!isDone) {
    seen.push(await lastSeq(tenant));
    await new Promise((resolve) => setImmediate(resolve));
  }
  await done;
  return seen;
}

describe("a long batch in a SQLite file", () => {
  test("a long batch is visible as a whole or not at all", async () => {
    const tenant = await aSession(await files.open(files.newPath()));
    const seen = await watch(tenant, tenant.append(SESSION, { entries: many() }));
    expect([...new Set([...seen, await lastSeq(tenant)])]).toEqual([0, COUNT]);
    expect((await tenant.readEntries(SESSION, { afterSeq: COUNT - 1 }))[0]).toMatchObject({ seq: COUNT });
    expect(await tenant.search({ text: "ferry 2999", limit: 1 })).toHaveLength(1);
  });

  test("a long batch lets the event loop run after every slice of time", async () => {
    let [turns, timeMs, isDone] = [0, 0, false];
    // A statement takes a millisecond on any machine.
    const now = () => {
      timeMs += 1;
      return timeMs;
    };
    const driver = files.openDriver(files.newPath(), { now });
    await driver.batch([sql`CREATE TABLE notes (text TEXT NOT NULL)`]);
    const statements = Array.from({ length: COUNT }, (_, index) => sql`INSERT INTO notes VALUES (${`Note ${index}`})`);
    const written = driver.batch(statements).finally(() => {
      isDone = true;
    });
    for (; !isDone; turns += 1) await new Promise((resolve) => setImmediate(resolve));
    await written;
    expect(turns).toBeGreaterThanOrEqual(COUNT / LONGEST_SLICE_MS);
    expect(await driver.read([sql`SELECT count(*) AS count FROM notes`])).toEqual([[{ count: COUNT }]]);
  });

  test("other writes keep their order during a long batch", async () => {
    const path = files.newPath();
    const store = await files.open(path);
    const [tenant, elsewhere] = [await aSession(store), (await files.open(path)).tenant("local")];
    await tenant.createSession({ id: "b", createdAt: 0 }, EMPTY_HEAD);
    const outcomes = await Promise.all([
      tenant.append(SESSION, { entries: many() }),
      tenant.append("b", { entries: [say("Between.")] }),
      elsewhere.append("b", { entries: many() }),
      tenant.append(SESSION, { entries: many() }),
      elsewhere.append(SESSION, { entries: [say("Last.")] }),
    ]);
    expect(outcomes.map(({ type }) => type)).toEqual(Array.from({ length: 5 }, () => "appended"));
    expect([await lastSeq(tenant), await lastSeq(tenant, "b")]).toEqual([2 * COUNT + 1, COUNT + 1]);
  });

  test("a long batch with a conflicting id writes nothing", async () => {
    const tenant = await aSession(await files.open(files.newPath()));
    const [first, ...rest] = many();
    if (first === undefined) throw new TypeError("There is a first one");
    await tenant.append(SESSION, { entries: [first] });
    const other = draftOf({ ...first.message, parts: [{ type: "text", text: "Other words." }] });
    const refused = await tenant.append(SESSION, { entries: [...rest, other] });
    expect(refused).toEqual({ type: "conflict", entryId: first.id });
    expect(await lastSeq(tenant)).toBe(1);
    expect((await tenant.append(SESSION, { entries: [first, ...rest] })).type).toBe("appended");
    expect(await lastSeq(tenant)).toBe(COUNT);
  });

  test("closing a store leaves a long batch whole or absent, and a closed store refuses one", async () => {
    const path = files.newPath();
    const store = await files.open(path);
    const tenant = await aSession(store);
    const appended = tenant.append(SESSION, { entries: many() });
    // The write has started before the store is closed.
    await watch(tenant, Promise.race([appended, new Promise((resolve) => setTimeout(resolve, 50))]));
    const closed = store.close();
    const outcome = await appended.then(
      ({ type }) => type,
      ({ code }) => code,
    );
    await closed;
    const again = (await files.open(path)).tenant("local");
    expect([outcome, await lastSeq(again)]).toEqual(outcome === "closed" ? ["closed", 0] : ["appended", COUNT]);
    await expect(tenant.append(SESSION, { entries: many() })).rejects.toMatchObject({ code: "closed" });
  });

  test("a batch counts as long by its statements or its characters", () => {
    const statement = (text: string) => ({ strings: ["SELECT ", ""], values: [text] });
    expect(isLongBatch([statement("x")])).toBe(false);
    expect(isLongBatch(Array.from({ length: 2_001 }, () => statement("x")))).toBe(true);
    expect(isLongBatch([statement("x".repeat(4_000_001))])).toBe(true);
  });
});
