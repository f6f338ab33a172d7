/** Concurrent batches share a commit, and each is still written whole or not at all. */
import { readFileSync } from "node:fs";
import { afterAll, describe, expect, test } from "vitest";
import type { Statement } from "../../src/stores/sql/driver.ts";
import { sqliteFiles } from "./sqlite-files.ts";

const files = sqliteFiles();
afterAll(() => files.remove());

const run = (text: string, ...values: readonly number[]): Statement => {
  return { strings: text.split("?"), values };
};
const put = (value: number): Statement => run("INSERT INTO said (value) VALUES (?) RETURNING value", value);
/** Refuses unless the value exists. */
const needs = (value: number): Statement => ({
  ...run("SELECT 1 AS one FROM said WHERE value = ?", value),
  isGuard: true,
});

async function aTable() {
  const path = files.newPath();
  const driver = files.openDriver(path, { lockTimeoutMs: 60_000 });
  await driver.execute("CREATE TABLE said (value INTEGER PRIMARY KEY CHECK (value < 1000)) STRICT");
  const values = async () =>
    (await driver.read([run("SELECT value FROM said ORDER BY value")]))[0]?.map(({ value }) => value);
  return { path, driver, values };
}

/** Counts commit frames of the write-ahead log, which carry the file's size. */
function countCommits(path: string): number {
  const log = readFileSync(`${path}-wal`);
  const [header, frameHeader, pageSize] = [32, 24, log.readUInt32BE(8)];
  let commits = 0;
  for (let place = header; place + frameHeader + pageSize <= log.length; place += frameHeader + pageSize) {
    if (log.readUInt32BE(place + 4) !== 0) commits += 1;
  }
  return commits;
}

describe("concurrent batches", () => {
  test("share commits and return their own rows", async () => {
    const { path, driver, values } = await aTable();
    const before = countCommits(path);
    const rows = await Promise.all(Array.from({ length: 100 }, (_, index) => driver.batch([put(index)])));
    expect(rows.map((each) => each?.[0]?.[0]?.value)).toEqual(Array.from({ length: 100 }, (_, index) => index));
    expect(await values()).toHaveLength(100);
    expect(countCommits(path) - before).toBeLessThan(10);
  });

  test("with a refused guard are rolled back alone, and guards see earlier batches", async () => {
    const { driver, values } = await aTable();
    const outcomes = await Promise.all([
      driver.batch([put(1)]),
      driver.batch([put(2), needs(99), put(3)]),
      driver.batch([needs(1), put(4)]),
      driver.batch([needs(2), put(5)]),
    ]);
    expect(outcomes.map((rows) => rows !== undefined)).toEqual([true, false, true, false]);
    expect(await values()).toEqual([1, 4]);
  });

  test("that fail do not affect the others", async () => {
    const { driver, values } = await aTable();
    const outcomes = await Promise.allSettled([
      driver.batch([put(1)]),
      driver.batch([put(2), put(5_000)]),
      driver.batch([put(1)]),
      driver.batch([put(3)]),
      driver.batch([run("INSERT INTO nowhere VALUES (?)", 1)]),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual([
      "fulfilled",
      "rejected",
      "rejected",
      "fulfilled",
      "rejected",
    ]);
    expect(await values()).toEqual([1, 3]);
  });

  test("from before a close are written, and later ones are refused", async () => {
    const { path, driver } = await aTable();
    const waiting = [driver.batch([put(1)]), driver.batch([put(2)])];
    const closing = driver.close();
    const late = driver.batch([put(3)]);
    await closing;
    expect(await Promise.all(waiting)).toHaveLength(2);
    await expect(late).rejects.toMatchObject({ code: "closed" });
    expect(files.openDatabase(path).prepare("SELECT count(*) AS count FROM said").get()).toEqual({ count: 2 });
  });

  test("all succeed after another process releases its lock", async () => {
    const { path, driver, values } = await aTable();
    const other = files.openDatabase(path);
    other.exec("BEGIN IMMEDIATE; INSERT INTO said VALUES (500)");
    const waiting = Promise.all([driver.batch([put(1)]), driver.batch([needs(500), put(2)])]);
    setTimeout(() => other.exec("COMMIT"), 50);
    expect((await waiting).every((rows) => rows !== undefined)).toBe(true);
    expect(await values()).toEqual([1, 2, 500]);
  });
});
