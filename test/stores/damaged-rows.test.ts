/** A changed byte can leave a row that SQLite accepts: reading it reports damage, and shows no changed text. */
import { DatabaseSync } from "node:sqlite";
import { afterAll, expect, test } from "vitest";
import { EMPTY_HEAD } from "../../src/core/log/head.ts";
import { isUnreadable } from "../../src/core/log/unreadable-entry.ts";
import type { TenantStore } from "../../src/ports/store.ts";
import { openSqliteStore } from "../../src/stores/sqlite/open-sqlite-store.ts";
import { append, SESSION, say } from "../../src/testing/store-contract/contract-log.ts";
import { aSession, sqliteFiles } from "./sqlite-files.ts";

const files = sqliteFiles();
afterAll(() => files.remove());

const CHANGED: readonly (readonly [what: string, sql: string])[] = [
  ["a changed letter", "UPDATE entries SET content = replace(content, 'launch', 'lunchs') WHERE seq = 2"],
  ["a message without parts", `UPDATE entries SET content = replace(content, '"parts"', '"qarts"') WHERE seq = 2`],
  ["a part without its text", `UPDATE entries SET content = replace(content, '"text":', '"uext":') WHERE seq = 2`],
  ["a reference without a name", `UPDATE entries SET content = '{"blobs":[{}],' || substr(content, 2) WHERE seq = 2`],
  ["invalid JSON", "UPDATE entries SET content = '{' WHERE seq = 2"],
  ["a changed type", "UPDATE entries SET type = 'massage' WHERE seq = 2"],
];

test.each(CHANGED)(
  "a damaged message is replaced by a marker, with a warning, and other messages are shown: %s",
  async (_, sql) => {
    const path = await writeAndChange(sql);
    const warnings: string[] = [];
    const again = await openSqliteStore(path, { onWarning: ({ text }) => warnings.push(text) });
    const tenant = again.tenant("local");
    const view = await tenant.readView(SESSION);
    expect(view?.entries.map((entry) => entry.type === "message" && isUnreadable(entry))).toEqual([false, true, false]);
    expect((await tenant.readEntries(SESSION, {})).map(({ seq }) => seq)).toEqual([1, 3]);
    expect((await tenant.readEntries(SESSION, { limit: 2 })).map(({ seq }) => seq)).toEqual([1, 3]);
    expect((await tenant.readEntries(SESSION, { markers: true })).map(({ seq }) => seq)).toEqual([1, 2, 3]);
    expect(await tenant.search({ text: "code", sessionId: SESSION, limit: 5 })).toEqual([]);
    expect(warnings).toEqual([expect.stringMatching(/does not match its checksum.*session_key 1 and seq 2/)]);
    await again.close();
  },
);

test("a message of an older version, which has no checksum, is compared with its hash", async () => {
  const old = "UPDATE entries SET checksum = NULL; UPDATE heads SET checksum = NULL;";
  const whole = await files.open(await writeAndChange(old));
  expect(await whole.tenant("local").readEntries(SESSION, {})).toHaveLength(3);
  const path = await writeAndChange(`${old} UPDATE entries SET content = replace(content, 'launch', 'lunchs')`);
  const warnings: string[] = [];
  const again = await openSqliteStore(path, { onWarning: ({ text }) => warnings.push(text) });
  expect((await again.tenant("local").readEntries(SESSION, {})).map(({ seq }) => seq)).toEqual([1, 3]);
  expect(warnings).toHaveLength(1);
  await again.close();
});

test("a damaged message that is sent again is returned with the text that was sent", async () => {
  const path = files.newPath();
  const store = await files.open(path);
  const original = say("The launch code.");
  await append(await aSession(store), original);
  await store.close();
  changeRows(path, "UPDATE entries SET content = replace(content, 'launch', 'lunchs')");
  const again = await openSqliteStore(path, { onWarning: () => undefined });
  const outcome = await again.tenant("local").append(SESSION, { entries: [original] });
  expect(outcome).toMatchObject({ type: "appended", entries: [{ ...original, seq: 1 }], lastSeq: 1 });
  await again.close();
});

test("a damaged message can be erased", async () => {
  const path = await writeAndChange("UPDATE entries SET content = '{' WHERE seq = 2");
  const warnings: string[] = [];
  const again = await openSqliteStore(path, { onWarning: ({ text }) => warnings.push(text) });
  const tenant = again.tenant("local");
  const [, damaged] = await tenant.readEntries(SESSION, { markers: true });
  await tenant.append(SESSION, { entries: [], erase: [damaged?.id ?? ""] });
  const [, erased] = await tenant.readEntries(SESSION, {});
  expect(erased).toMatchObject({ id: damaged?.id, erased: true, message: { parts: [] } });
  expect(warnings).toHaveLength(1);
  await again.close();
});

const HEADS: readonly (readonly [what: string, sql: string])[] = [
  ["a changed epoch", `UPDATE heads SET head = replace(head, '"epoch":0', '"epoch":1')`],
  ["invalid JSON", "UPDATE heads SET head = '{'"],
  ["a changed view floor", "UPDATE heads SET floor_seq = floor_seq + 2"],
];

test.each(HEADS)("a damaged head is computed again from its log, with one warning: %s", async (_, sql) => {
  const path = await writeAndChange(sql);
  const warnings: string[] = [];
  const again = await openSqliteStore(path, { onWarning: ({ text }) => warnings.push(text) });
  const view = await again.tenant("local").readView(SESSION);
  expect(view?.entries).toHaveLength(3);
  expect(view?.head.epoch).toBe(0);
  expect(warnings).toEqual([expect.stringMatching(/head of session .* computed again from its log/)]);
  await again.close();
  const later = await files.open(path);
  expect((await later.tenant("local").findSession(SESSION))?.head.epoch).toBe(0);
});

test("a changed message count of a session causes a warning", async () => {
  const path = await writeAndChange("UPDATE sessions SET message_count = 7");
  const warnings: string[] = [];
  const again = await openSqliteStore(path, { onWarning: ({ text }) => warnings.push(text) });
  await again.tenant("local").append(SESSION, { entries: [say("More.")] });
  await again.tenant("local").readView(SESSION);
  expect(warnings).toEqual([expect.stringMatching(/Session .*: the checksum of its counts does not match/)]);
  await again.close();
});

const LOST: readonly (readonly [what: string, sql: string])[] = [
  ["a deleted row", "DELETE FROM entries WHERE seq = 2"],
  ["a changed tenant", "UPDATE entries SET tenant = 'lobal' WHERE seq = 2"],
  ["a changed session", "UPDATE entries SET session_key = 9 WHERE seq = 2"],
  ["a newest row that is lost", "DELETE FROM entries WHERE seq = 3"],
];

test.each(LOST)("an entry whose row is lost causes a warning, and other entries are shown: %s", async (_, sql) => {
  const path = await writeAndChange(sql);
  const read = async (work: (tenant: TenantStore) => Promise<number | undefined>) => {
    const warnings: string[] = [];
    const store = await openSqliteStore(path, { onWarning: ({ text }) => warnings.push(text) });
    expect(await work(store.tenant("local"))).toBe(2);
    await store.close();
    expect(warnings).toEqual([expect.stringMatching(/^Session "[^"]+": an entry between seq 1 and 3 cannot be found/)]);
  };
  await read(async (tenant) => (await tenant.readView(SESSION))?.entries.length);
  await read(async (tenant) => (await tenant.readEntries(SESSION, {})).length);
  await read(async (tenant) => (await tenant.readEntries(SESSION, { types: ["message"], limit: 9 })).length);
});

test("a last seq that is far too high causes warnings at once, and the messages are shown", async () => {
  const warnings: string[] = [];
  const path = await writeAndChange("UPDATE sessions SET last_seq = 4000000000000");
  const store = await openSqliteStore(path, { onWarning: ({ text }) => warnings.push(text) });
  expect(await store.tenant("local").readEntries(SESSION, {})).toHaveLength(3);
  await store.close();
  expect(warnings).toEqual([expect.stringMatching(/checksum of its counts/), expect.stringMatching(/cannot be found/)]);
});

const HURT: readonly (readonly [what: string, sql: string])[] = [
  ["a stretch without an end", "UPDATE sessions SET lineage = '[[1]]'"],
  ["an impossible number", "UPDATE sessions SET last_seq = 7147272215105594672"],
];

test.each(HURT)("reading a damaged session fails, and other sessions still work: %s", async (_, sql) => {
  const again = await files.open(await writeAndChange(sql));
  const tenant = again.tenant("local");
  const refusal = { code: "store-unavailable", retryable: false, details: { reason: "corrupt" } };
  await expect(tenant.readEntries(SESSION, {})).rejects.toMatchObject(refusal);
  await expect(tenant.search({ text: "launch", sessionId: SESSION, limit: 5 })).rejects.toMatchObject(refusal);
  await tenant.createSession({ id: "other", createdAt: 0 }, EMPTY_HEAD);
  await tenant.append("other", { entries: [say("Still here.")] });
  expect(await tenant.readEntries("other", {})).toHaveLength(1);
});

async function writeAndChange(sql: string): Promise<string> {
  const path = files.newPath();
  const store = await files.open(path);
  await append(await aSession(store), say("Hello."), say("The launch code."), say("Bye."));
  await store.close();
  changeRows(path, sql);
  return path;
}

function changeRows(path: string, sql: string): void {
  const database = new DatabaseSync(path, { enableForeignKeyConstraints: false });
  database.exec(sql);
  database.close();
}
