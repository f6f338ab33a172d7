/** The worker thread that merges a large search index, so that a long step does not block the event loop. */
import type { Worker } from "node:worker_threads";
import { afterAll, expect, test } from "vitest";
import { EMPTY_HEAD } from "../../src/core/log/head.ts";
import { rawSql } from "../../src/stores/sql/driver.ts";
import { BatchThread } from "../../src/stores/sqlite/batch-thread.ts";
import { SESSION, say } from "../../src/testing/store-contract/contract-log.ts";
import { sqliteFiles } from "./sqlite-files.ts";

const files = sqliteFiles();
afterAll(files.remove);

/** Raises the key of the newest text, and so of later ones. The number of texts is estimated by it. */
const raiseKeys = (key: number) =>
  ["entries", "message_texts", "pending_texts"].map((table) => `UPDATE ${table} SET entry_key = ${key};`).join(" ");

/** Deletes a session after as many texts, and returns the threads that were started. */
async function deleteAfter(texts: number): Promise<readonly Worker[]> {
  const path = files.newPath();
  const store = await files.open(path);
  const tenant = store.tenant("local");
  for (const id of [SESSION, "other"]) await tenant.createSession({ id, createdAt: 0 }, EMPTY_HEAD);
  await tenant.append("other", { entries: [say("The ferry to Ulm.")] });
  files.openDatabase(path).exec(`PRAGMA foreign_keys = OFF; ${raiseKeys(texts)}`);
  const more = Array.from({ length: 400 }, (_, index) => say(`Ferry ${index} to ${(index * 7919).toString(36)}.`));
  await tenant.append(SESSION, { entries: more });
  const started: Worker[] = [];
  const watch = (worker: Worker) => started.push(worker);
  process.on("worker", watch);
  await tenant.deleteSession(SESSION);
  process.off("worker", watch);
  expect((await tenant.search({ text: "ferry to", limit: 5 })).map(({ sessionId }) => sessionId)).toEqual(["other"]);
  await store.close();
  return started;
}

test("a search index with many texts is merged in a thread, which ends with the store", async () => {
  const [worker, ...others] = await deleteAfter(1_000_000);
  expect(others).toEqual([]);
  expect(worker?.threadId).toBe(-1);
});

test("a small search index is merged in the event loop", async () => {
  expect(await deleteAfter(1_000)).toEqual([]);
});

test("a batch that the thread cannot write is left to the caller, and written batches return their rows", async () => {
  const path = files.newPath();
  await files.open(path);
  const thread = new BatchThread({ options: { path, durability: "normal" }, lockTimeoutMs: 0 });
  const one = [rawSql("SELECT 1 AS one")];
  expect(await thread.write(one)).toEqual([[{ one: 1 }]]);
  expect(await thread.write([rawSql("SELECT * FROM nothing")])).toBeUndefined();
  const writer = files.openDatabase(path);
  writer.exec("BEGIN IMMEDIATE");
  expect(await thread.write(one)).toBeUndefined();
  writer.exec("ROLLBACK");
  expect(await thread.write(one)).toEqual([[{ one: 1 }]]);
  await thread.close();
});
