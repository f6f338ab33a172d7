/**
 * Several processes on one database, and a server that is restarted or killed under them: nothing lost, nothing twice,
 * one holder of a lease, and no process that is in the way.
 */
import { setTimeout } from "node:timers/promises";
import { afterAll, expect, test } from "vitest";
import { foldEntries } from "../../src/core/log/fold-entry.ts";
import { EMPTY_HEAD } from "../../src/core/log/head.ts";
import { openPostgresStore } from "../../src/stores/postgres/open-postgres-store.ts";
import { batchOf, headOf, pinNote, SESSION, seqsOf } from "../../src/testing/store-contract/contract-log.ts";
import { describePostgres, requireOwn } from "../support/describe-postgres.ts";
import { startWriter } from "./start-writer.ts";

const PROCESSES = 4;
const TURNS = 20;

await describePostgres("processes on one database", (server) => {
  afterAll(() => server.close());

  /** What is going on meanwhile is none of the writers' business. */
  async function share(path: string, meanwhile: () => Promise<void> = async () => undefined): Promise<number> {
    const names = Array.from({ length: PROCESSES }, (_, index) => `p${index}`);
    const writers = names.map((name) => startWriter({ type: "share", path, name, count: TURNS }));
    await Promise.all(writers.map((writer) => writer.first("appended")));
    const before = writers.flatMap((writer) => writer.lines).length;
    await meanwhile();
    const ends = await Promise.all(writers.map(({ ended }) => ended));
    expect(ends).toEqual(names.map(() => ({ code: 0, complaint: "" })));
    const lines = writers.flatMap((writer) => writer.lines);
    const store = await openPostgresStore(path);
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
    return before / lines.length;
  }

  test("lose nothing, write nothing twice, and hold each lease alone", async () => {
    await share(await server.newDatabase());
  });

  test("go on where they were when the server is restarted, and when it is killed", async (context) => {
    const own = requireOwn(server, context);
    const done = await share(await server.newDatabase(), async () => {
      for (const how of ["fast", "kill"] as const) {
        await own.stop(how);
        await own.start();
        await setTimeout(100);
      }
    });
    expect(done).toBeLessThan(0.9);
  });

  test("of which one was stopped past its lease refuse what it writes when it wakes up", async () => {
    const path = await server.newDatabase();
    const zombie = startWriter({ type: "zombie", path, name: "zombie" });
    await zombie.first("leased");
    zombie.process.kill("SIGSTOP");
    const store = await openPostgresStore(path);
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
