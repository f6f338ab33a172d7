/** Several processes on one file: nothing lost, nothing twice, one holder of a lease, and nobody in the way. */
import { setTimeout } from "node:timers/promises";
import { afterAll, describe, expect, test } from "vitest";
import { foldEntries } from "../../src/core/log/fold-entry.ts";
import { EMPTY_HEAD } from "../../src/core/log/head.ts";
import { openSqliteStore } from "../../src/stores/sqlite/open-sqlite-store.ts";
import { batchOf, headOf, pinNote, SESSION, seqsOf } from "../../src/testing/store-contract/contract-log.ts";
import { startWriter } from "./start-writer.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const folder = temporaryFolder();
afterAll(() => folder.remove());

const PROCESSES = 4;
const TURNS = 25;

describe("processes on one file", () => {
  test("lose nothing, write nothing twice, and hold each lease alone", async () => {
    const path = folder.newPath();
    const names = Array.from({ length: PROCESSES }, (_, index) => `p${index}`);
    const writers = names.map((name) => startWriter({ type: "share", path, name, count: TURNS }));
    const ends = await Promise.all(writers.map(({ ended }) => ended));
    expect(ends).toEqual(names.map(() => ({ code: 0, complaint: "" })));
    const lines = writers.flatMap((writer) => writer.lines);
    const store = await openSqliteStore(path);
    const entries = await store.tenant("local").readEntries(SESSION, {});
    expect(seqsOf(entries)).toEqual(entries.map((_, index) => index + 1));
    const seqOf = new Map(entries.map(({ id, seq }) => [id, seq]));
    const appended = lines.flatMap((line) => (line.type === "appended" ? [line] : []));
    expect(appended.length).toBe(PROCESSES * TURNS * 2);
    for (const { ids, seqs } of appended) expect(ids.map((id) => seqOf.get(id))).toEqual(seqs);
    expect(entries.filter(({ type }) => type === "message").length).toBe(PROCESSES * TURNS + TURNS);
    const fences = lines.flatMap((line) => (line.type === "leased" ? line.fence : []));
    expect(new Set(fences).size).toBe(fences.length);
    const epochs = lines.flatMap((line) => (line.type === "changed" ? line.epoch : []));
    expect(epochs.toSorted((left, right) => left - right)).toEqual(epochs.map((_, index) => index + 1));
    expect(epochs.length).toBe(fences.length);
    expect(await headOf(store.tenant("local"))).toEqual(foldEntries(entries));
    await store.close();
  });

  test("of which one was stopped past its lease refuse what it writes when it wakes up", async () => {
    const path = folder.newPath();
    const zombie = startWriter({ type: "zombie", path, name: "zombie" });
    await zombie.first("leased");
    zombie.process.kill("SIGSTOP");
    const store = await openSqliteStore(path);
    const tenant = store.tenant("local");
    expect(await tenant.createSession({ id: SESSION, createdAt: 0 }, EMPTY_HEAD)).toBe("exists");
    await setTimeout(400);
    const lease = await tenant.lease(SESSION, 60_000);
    expect(lease?.fence).toBe(2);
    zombie.process.kill("SIGCONT");
    zombie.process.stdin?.end("go\n");
    expect(await zombie.first("outcome")).toEqual({ type: "outcome", outcome: "stale" });
    expect(await tenant.readEntries(SESSION, {})).toEqual([]);
    const ours = { ...batchOf(await headOf(tenant), pinNote), expect: { epoch: 0, fence: lease?.fence } };
    expect(await tenant.append(SESSION, ours)).toMatchObject({ type: "appended" });
    await zombie.ended;
    await store.close();
  });
});
