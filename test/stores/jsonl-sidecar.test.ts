/** The index next to the files of a JSONL store: created, rebuilt, replaced, and never trusted over the files. */
import { chmodSync, copyFileSync, cpSync, existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { EpochDraft } from "../../src/core/log/entry.ts";
import { foldEntries, foldEpochEntry } from "../../src/core/log/fold-entry.ts";
import { EMPTY_HEAD } from "../../src/core/log/head.ts";
import type { TenantStore } from "../../src/ports/store.ts";
import type { JsonlStore } from "../../src/stores/jsonl/jsonl-store.ts";
import { aDraft, appendDrafts, aSession, idsOf, TestFolder } from "./jsonl-folder.ts";

/** Creates sessions with one message each, and closes the store. */
async function createSessions(folder: TestFolder, count: number): Promise<readonly string[]> {
  const store = folder.open();
  const ids = Array.from({ length: count }, (_, index) => `s${index}`);
  for (const id of ids) await appendTo(await aSession(store, id), id, "first");
  await store.close();
  return ids;
}

function appendTo(tenant: TenantStore, id: string, messageId: string) {
  return tenant.append(id, { entries: [aDraft(messageId, `Words of ${messageId}.`)] });
}

async function pin(tenant: TenantStore, fence: number) {
  const head = foldEntries(await tenant.readEntries("s", {}), EMPTY_HEAD);
  const draft: EpochDraft = { type: "pin", id: "p", at: 0, epoch: 1, target: { type: "note", text: "Ana decides." } };
  return tenant.append("s", { entries: [draft], expect: { epoch: 0, fence }, head: foldEpochEntry(head, draft) });
}

describe("the first appends after an open", () => {
  test.each([3, 12, 50])("all succeed if they go to %i sessions at once", async (count) => {
    await using folder = new TestFolder();
    const ids = await createSessions(folder, count);
    for (let round = 0; round < 8; round += 1) {
      // Without the index the first append also has to build it.
      if (round % 2 === 1) folder.removeIndex();
      const store = folder.open();
      const tenant = store.tenant("local");
      const outcomes = await Promise.allSettled(ids.map((id) => appendTo(tenant, id, `round-${round}`)));
      expect(outcomes.filter(({ status }) => status === "rejected")).toEqual([]);
      await store.close();
    }
    const tenant = folder.open().tenant("local");
    for (const id of ids) expect((await idsOf(tenant, id)).length).toBe(9);
  });
});

describe("a missing or outdated index", () => {
  test("an index that is older than its files is updated, and readers do so only in memory", async () => {
    await using folder = new TestFolder();
    await createSessions(folder, 2);
    const index = folder.file("index.db");
    copyFileSync(index, `${index}.older`);
    const writer = folder.open();
    await appendTo(writer.tenant("local"), "s0", "second");
    await writer.tenant("local").createSession({ id: "new", createdAt: 9 }, EMPTY_HEAD);
    await writer.close();
    copyFileSync(`${index}.older`, index);
    const { mtimeMs } = statSync(index);
    const reader = folder.open();
    expect(await idsOf(reader.tenant("local"), "s0")).toEqual(["first", "second"]);
    expect((await reader.tenant("local").listSessions({ limit: 9 })).map(({ id }) => id)).toEqual(["new", "s1", "s0"]);
    expect(statSync(index).mtimeMs).toBe(mtimeMs);
    const next = folder.open();
    expect(await appendTo(next.tenant("local"), "s0", "third")).toMatchObject({ lastSeq: 3 });
    expect((await next.tenant("local").listSessions({ limit: 9 })).length).toBe(3);
    expect(next.statistics().rebuiltIndexes).toBe(0);
  });

  test("a rebuilt index contains forks with their inherited messages, for any order of the files", async () => {
    await using folder = new TestFolder();
    const store = folder.open();
    const tenant = await aSession(store, "z");
    await tenant.append("z", { entries: [aDraft("m1", "One."), aDraft("m2", "Two.")] });
    const head = foldEntries(await tenant.readEntries("z", { throughSeq: 1 }), EMPTY_HEAD);
    await tenant.createSession({ id: "m", createdAt: 1, fork: { parentId: "z", atSeq: 1 } }, head);
    await appendTo(tenant, "m", "m3");
    await tenant.createSession(
      { id: "a", createdAt: 2, fork: { parentId: "m", atSeq: 2 } },
      { ...head, messageCount: 2 },
    );
    await appendTo(tenant, "a", "m4");
    const listed = await tenant.listSessions({ limit: 9 });
    await store.close();
    folder.removeIndex();
    const again = folder.open().tenant("local");
    await again.renameSession("z", undefined);
    expect(await again.listSessions({ limit: 9 })).toEqual(listed);
    expect(await idsOf(again, "a")).toEqual(["m1", "m3", "m4"]);
    expect(await again.listForks("z")).toEqual(["m"]);
    expect(await again.deleteSession("m")).toBe(false);
  });

  test("a folder that cannot be written is read without an index", async () => {
    await using folder = new TestFolder();
    await createSessions(folder, 2);
    folder.removeIndex();
    for (const path of folder.files(".jsonl")) chmodSync(path, 0o400);
    const tenant = folder.open().tenant("local");
    expect((await tenant.listSessions({ limit: 9 })).length).toBe(2);
    expect(await tenant.search({ text: "words", limit: 9 })).toHaveLength(2);
    expect(folder.files("index.db")).toEqual([]);
  });
});

describe("a lease in a JSONL folder", () => {
  test("gets a fence above all fences in the file if the index is rebuilt, and older leases are stale", async () => {
    await using folder = new TestFolder();
    const store = folder.open();
    const tenant = await aSession(store);
    await appendDrafts(tenant, aDraft("m1", "One."));
    for (let fence = 1; fence <= 3; fence += 1) {
      const lease = await tenant.lease("s", 60_000);
      expect(lease?.fence).toBe(fence);
      if (lease !== undefined && fence < 3) await tenant.release("s", lease);
    }
    await store.close();
    folder.removeIndex();
    const again = folder.open().tenant("local");
    expect(await pin(again, 2)).toEqual({ type: "stale", epoch: 0 });
    expect((await again.lease("s", 60_000))?.fence).toBe(4);
    expect(await pin(again, 3)).toEqual({ type: "stale", epoch: 0 });
    expect(await pin(again, 4)).toMatchObject({ type: "appended" });
  });

  test("stays valid after its process has ended, until it expires or is released", async () => {
    await using folder = new TestFolder();
    const store = folder.open();
    const lease = await (await aSession(store)).lease("s", 60_000);
    await store.close();
    const again = folder.open().tenant("local");
    expect(await again.lease("s", 60_000)).toBeUndefined();
    expect(lease && (await again.renew("s", lease, 60_000))).toBe(true);
    if (lease !== undefined) await again.release("s", lease);
    expect((await again.lease("s", 60_000))?.fence).toBe(2);
  });
});

/** Folders written by the last version without a sidecar: 130 or 50 messages, a pin, two leases, a count and a fork. */
const OLD_LAYOUT = join(import.meta.dirname, "old-layout");

describe.each(["own", "workspace"] as const)("a folder of an older version with the format %j", (format) => {
  const count = format === "own" ? 130 : 50;
  /** The newest messages first: every 25th was answered in the session "other", and the fork was written last. */
  const newest = format === "own" ? ["f1", "c130", "c129", "c128", "c127", "c126", "o125"] : ["f1", "o50", "c50"];

  async function openOld(folder: TestFolder): Promise<JsonlStore> {
    cpSync(join(OLD_LAYOUT, format), folder.path, { recursive: true });
    return folder.open({ format });
  }

  async function expectWhole(tenant: TenantStore): Promise<void> {
    const sessions = await tenant.listSessions({ limit: 9 });
    expect(sessions.map(({ id, title, messageCount }) => [id, title, messageCount])).toEqual([
      ["fork", undefined, 11],
      ["other", undefined, format === "own" ? 5 : 2],
      ["chat", "Rockets", count],
    ]);
    const view = await tenant.readView("chat");
    expect(view?.head).toMatchObject({ epoch: 1, pins: [{ id: "pin" }] });
    expect(view?.entries.filter(({ type }) => type === "message").map(({ id }) => id)).toEqual(
      Array.from({ length: count }, (_, index) => `c${index + 1}`),
    );
    expect(await tenant.findMessage("chat", "c2")).toMatchObject({ recounts: { cl100k: 77 } });
    expect((await tenant.findMessage("chat", "c3"))?.message.parts[1]).toMatchObject({ mediaType: "image/png" });
    expect((await idsOf(tenant, "fork")).slice(-2)).toEqual(["c10", "f1"]);
    const hits = await tenant.search({ text: "launch", limit: newest.length });
    expect(hits.map(({ messageId }) => messageId)).toEqual(newest);
  }

  test("can be read without being changed", async () => {
    await using folder = new TestFolder();
    const store = await openOld(folder);
    await expectWhole(store.tenant("local"));
    expect(folder.files("index.db")).toEqual([]);
    expect(folder.warnings).toEqual([]);
  });

  test("gets a sidecar in place of its index files with the first write", async () => {
    await using folder = new TestFolder();
    const store = await openOld(folder);
    const tenant = store.tenant("local");
    expect((await tenant.lease("chat", 60_000))?.fence).toBe(3);
    await expectWhole(tenant);
    expect(await appendTo(tenant, "chat", "next")).toMatchObject({ lastSeq: count + 2 });
    const old = folder.files("").filter((path) => /(?:\.index(?:\.json)?|turns\.json)$/.test(path));
    expect(old).toEqual([]);
    await store.close();
    const again = folder.open({ format });
    expect((await again.tenant("local").search({ text: "words of", limit: 1 }))[0]?.messageId).toBe("next");
    expect(existsSync(folder.file("index.db"))).toBe(true);
    expect(folder.warnings).toEqual([]);
  });
});
