/** A long session is deleted in steps of bounded size, whatever its messages contain. */
import { randomBytes } from "node:crypto";
import { statSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import type { MessageDraft } from "../../src/core/log/entry.ts";
import { EMPTY_HEAD } from "../../src/core/log/head.ts";
import type { TenantStore } from "../../src/ports/store.ts";
import { SQLITE_STATEMENTS } from "../../src/stores/sqlite/sqlite-statements.ts";
import { aUserMessage, draftOf, SESSION, say } from "../../src/testing/store-contract/contract-log.ts";
import { aSession, sqliteFiles } from "./sqlite-files.ts";

const files = sqliteFiles();
afterAll(files.remove);

/** Appends in short batches, because a separate connection writes long ones. */
async function appendInParts(tenant: TenantStore, entries: readonly ReturnType<typeof say>[], id = SESSION) {
  for (let start = 0; start < entries.length; start += 500) {
    await tenant.append(id, { entries: entries.slice(start, start + 500) });
  }
}

/** Returns the largest decrease of each figure between two turns of the event loop. */
async function watch(path: string, query: string, work: Promise<unknown>): Promise<readonly number[]> {
  const read = files.openDatabase(path).prepare(query);
  const figures = () => Object.values(read.get() ?? {}).map(Number);
  let isDone = false;
  const done = work.finally(() => {
    isDone = true;
  });
  let [before, largest] = [figures(), figures().map(() => 0)];
  while (!isDone) {
    await setImmediate();
    const now = figures();
    largest = largest.map((most, index) => Math.max(most, (before[index] ?? 0) - (now[index] ?? 0)));
    before = now;
  }
  await done;
  expect(before.every((figure) => figure === 0)).toBe(true);
  return largest;
}

test("one step of two deletions at once removes at most 256 entries, 256 KB of text and 1 MB of images", async () => {
  const path = files.newPath();
  const tenant = await aSession(await files.open(path));
  const showImage = (): MessageDraft => {
    const source = { type: "data", base64: randomBytes(1_500_000).toString("base64") } as const;
    return draftOf({ ...aUserMessage(""), parts: [{ type: "image", mediaType: "image/png", source }] });
  };
  await appendInParts(tenant, [
    ...Array.from({ length: 2_000 }, () => say("A short message.")),
    ...Array.from({ length: 150 }, (_, index) => say(`${index} ${"A long message. ".repeat(700)}`)),
  ]);
  for (let images = 0; images < 4; images += 1) await tenant.append(SESSION, { entries: [showImage()] });
  const query = `SELECT (SELECT count(*) FROM entries) AS entries,
    (SELECT coalesce(sum(octet_length(content)), 0) FROM entries) AS content,
    (SELECT coalesce(sum(octet_length(data)), 0) FROM blob_chunks) AS blobs`;
  await tenant.createSession({ id: "other", createdAt: 0 }, EMPTY_HEAD);
  await appendInParts(
    tenant,
    Array.from({ length: 1_000 }, () => say("A short message.")),
    "other",
  );
  const deletions = Promise.all([SESSION, "other"].map((id) => tenant.deleteSession(id)));
  const [entries, content, blobs] = await watch(path, query, deletions);
  expect(entries).toBeLessThanOrEqual(256);
  expect(content).toBeLessThanOrEqual(256 * 2 ** 10);
  expect(blobs).toBeLessThanOrEqual(2 ** 20);
});

test("a deletion removes its texts from the search index, so that no later write has to read them", async () => {
  const path = files.newPath();
  const store = await files.open(path);
  const tenant = await aSession(store);
  await tenant.createSession({ id: "other", createdAt: 0 }, EMPTY_HEAD);
  const texts = Array.from({ length: 3_000 }, (_, index) => say(`Ferry ${index} to ${(index * 7919).toString(36)}.`));
  await appendInParts(tenant, texts);
  await tenant.append("other", { entries: [say("The ferry to Ulm.")] });
  const driver = files.openDriver(path);
  while ((await driver.batch(SQLITE_STATEMENTS.indexPending({ texts: 500, bytes: 1_000_000 }))) !== undefined);
  const pages = files.openDatabase(path).prepare("SELECT count(*) AS count FROM text_index_data");
  const full = Number(pages.get()?.count);
  await tenant.deleteSession(SESSION);
  // Merges follow the deletion.
  await expect.poll(() => Number(pages.get()?.count)).toBeLessThan(full / 10);
  expect(await tenant.search({ text: "ferry", limit: 9 })).toHaveLength(1);
});

test("several long batches do not fill the write-ahead log, so that no later commit has to write it all back", async () => {
  const path = files.newPath();
  const tenant = await aSession(await files.open(path));
  const sizes: number[] = [];
  for (let batch = 0; batch < 5; batch += 1) {
    await tenant.append(SESSION, { entries: Array.from({ length: 800 }, () => say("A ferry. ".repeat(50))) });
    sizes.push(statSync(`${path}-wal`).size);
  }
  expect(sizes.at(-1)).toBeLessThan(2 * (sizes[0] ?? 0));
});
