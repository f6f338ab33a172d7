/** Deletions of long sessions: they yield to the event loop, hide the session at once, and survive a kill. */
import { setImmediate } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { EMPTY_HEAD } from "../../src/core/log/head.ts";
import { openPalimpsest } from "../../src/index.ts";
import { append, fork, SESSION, say } from "../../src/testing/store-contract/contract-log.ts";
import { killDeletions } from "../faults/kill-deletions.ts";
import { openPlace, type Place } from "../faults/place.ts";
import { expectNoViolations, smallSize } from "../faults/small-size.ts";
import { describePostgres } from "../support/describe-postgres.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const folder = temporaryFolder();
afterAll(() => folder.remove());

const MESSAGES = 3_000;
const OLD = { role: "user", content: "A doomed word." } as const;

/** Counts the statements that delete entries, each of which takes longer than a slice may block a process. */
const COUNT_SLICES = `
  CREATE TABLE slices AS SELECT 0 AS n;
  CREATE FUNCTION count_slice() RETURNS trigger LANGUAGE plpgsql AS
    'BEGIN PERFORM pg_sleep(0.02); UPDATE slices SET n = n + 1; RETURN NULL; END';
  CREATE TRIGGER count_slices AFTER DELETE ON palimpsest.entries FOR EACH STATEMENT EXECUTE FUNCTION count_slice()`;

async function expectSlices(place: Place, slowDown?: () => Promise<void>): Promise<void> {
  const store = await openPlace({ ...place, durability: "normal" });
  const tenant = store.tenant("local");
  await tenant.createSession({ id: SESSION, createdAt: 0 }, EMPTY_HEAD);
  await append(tenant, say("The parent's words."));
  await fork(tenant, { id: "long", atSeq: 1 });
  for (let written = 0; written < MESSAGES; written += 1_000) {
    await tenant.append("long", { entries: Array.from({ length: 1_000 }, () => say("A doomed word.")) });
  }
  await slowDown?.();
  let [isDone, turns] = [false, 0];
  const deletion = tenant.deleteSession("long").finally(() => {
    isDone = true;
  });
  const counting = (async () => {
    for (; !isDone; turns += 1) await setImmediate();
  })();
  while ((await tenant.findSession("long")) !== undefined) await setImmediate();
  expect(isDone).toBe(false);
  expect((await tenant.listSessions({ limit: 9 })).map(({ id }) => id)).toEqual([SESSION]);
  expect(await tenant.search({ text: "doomed", limit: 9 })).toEqual([]);
  expect(await tenant.search({ text: "doomed", limit: 9, order: "relevance" })).toEqual([]);
  expect(await tenant.statistics()).toMatchObject({ sessions: 1, entries: 1, messages: 1 });
  expect([await tenant.describeSession("long"), await tenant.listForks(SESSION)]).toEqual([undefined, []]);
  expect(await tenant.readEntries("long", {})).toEqual([]);
  await counting;
  expect(await deletion).toBe(true);
  expect(turns).toBeGreaterThan(5);
  expect(await tenant.createSession({ id: "long", createdAt: 0 }, EMPTY_HEAD)).toBe("created");
  expect(await tenant.readEntries("long", {})).toEqual([]);
  expect(await tenant.readEntries(SESSION, {})).toHaveLength(1);
  await store.close();
}

test.each(["sqlite", "jsonl"] as const)(
  "the deletion of a long session hides the session at once and yields to the event loop: %s",
  async (kind) => {
    await expectSlices({ kind, path: folder.newPath() });
  },
);

test.each(["sqlite", "jsonl"] as const)(
  "a session that is created again during the deletion of its id keeps its messages: %s",
  async (kind) => {
    const store = await openPlace({ kind, path: folder.newPath(), durability: "normal" });
    const palimpsest = await openPalimpsest({ store });
    await (await palimpsest.create({ id: "long" })).append(Array.from({ length: MESSAGES }, () => OLD));
    const deletion = palimpsest.deleteSession("long");
    while ((await store.tenant("local").findSession("long")) !== undefined) await setImmediate();
    await (await palimpsest.create({ id: "long" })).append({ id: "new", role: "user", content: "A new word." });
    expect(await deletion).toEqual({ type: "deleted", sessionIds: ["long"] });
    expect(await (await palimpsest.load("long")).message("new")).toMatchObject({ id: "new" });
    expect((await palimpsest.describe("long")).messageCount).toBe(1);
    await palimpsest.close();
  },
);

test.each(["sqlite", "jsonl"] as const)(
  "F16: the next process finishes the deletion of a killed process: %s",
  async (kind) => {
    const place = { kind, path: folder.newPath() };
    expectNoViolations(
      await killDeletions(place, { ...smallSize({ rounds: 2, longestMs: 60_000 }), messages: MESSAGES }),
    );
  },
);

await describePostgres("PostgreSQL", (server) => {
  afterAll(() => server.close());

  test("the deletion of a long session hides the session at once and yields to the event loop", async () => {
    const path = await server.newDatabase();
    await expectSlices({ kind: "postgres", path }, async () => void (await server.run(COUNT_SLICES, path)));
  });

  test("the deletion of a long session takes fewer than 20 statements that delete entries", async () => {
    const path = await server.newDatabase();
    const store = await openPlace({ kind: "postgres", path });
    const tenant = store.tenant("local");
    await tenant.createSession({ id: SESSION, createdAt: 0 }, EMPTY_HEAD);
    for (let written = 0; written < MESSAGES; written += 1_000)
      await append(tenant, ...Array.from({ length: 1_000 }, () => say("A doomed word.")));
    await server.run(COUNT_SLICES, path);
    expect(await tenant.deleteSession(SESSION)).toBe(true);
    const [counted] = await server.run(
      "SELECT (SELECT count(*) FROM palimpsest.entries)::int AS left, n FROM slices",
      path,
    );
    expect(counted).toMatchObject({ left: 0 });
    expect(counted?.n).toBeLessThan(20);
    await store.close();
  });

  test("F16: the next process finishes the deletion of a killed process", async () => {
    const place = { kind: "postgres", path: await server.newDatabase() } as const;
    expectNoViolations(
      await killDeletions(place, { ...smallSize({ rounds: 2, longestMs: 60_000 }), messages: MESSAGES }),
    );
  });
});
