/** Tests of several processes on one store, for any store: nothing lost, nothing duplicated, one holder of a lease. */
import { setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import { EMPTY_HEAD } from "../../src/core/log/head.ts";
import { batchOf, headOf, pinNote, SESSION } from "../../src/testing/store-contract/contract-log.ts";
import { openPlace, type Place } from "../faults/place.ts";
import { checkWritten } from "./check-written.ts";
import { startWriter } from "./start-writer.ts";
import { ZOMBIE_LEASE_MS } from "./write-share.ts";

const PROCESSES = 4;
const TURNS = 20;

/**
 * Runs processes that write to one store, and `meanwhile` at the same time. Returns the share of their work that was
 * done when `meanwhile` started.
 */
export async function shareWork(place: Place, meanwhile: () => Promise<void> = async () => undefined): Promise<number> {
  const names = Array.from({ length: PROCESSES }, (_, index) => `p${index}`);
  const writers = names.map((name) => startWriter({ type: "share", place, name, count: TURNS }));
  await Promise.all(writers.map((writer) => writer.first("appended")));
  const before = writers.flatMap((writer) => writer.lines).length;
  await meanwhile();
  const ends = await Promise.all(writers.map(({ ended }) => ended));
  expect(ends).toEqual(names.map(() => ({ code: 0, signal: null, complaint: "" })));
  const lines = writers.flatMap((writer) => writer.lines);
  const store = await openPlace(place);
  const findings = await checkWritten(store.tenant("local"), lines);
  const messages = await store.tenant("local").readEntries(SESSION, { types: ["message"] });
  await store.close();
  expect(findings).toMatchObject({ lost: [], duplicated: [], violations: [] });
  expect(lines.filter(({ type }) => type === "appended").length).toBe(PROCESSES * TURNS * 2);
  expect(messages.length).toBe(PROCESSES * TURNS + TURNS);
  const fences = lines.flatMap((line) => (line.type === "leased" ? line.fence : []));
  expect(new Set(fences).size).toBe(fences.length);
  const epochs = lines.flatMap((line) => (line.type === "epoch" ? line.epoch : []));
  expect(epochs.toSorted((left, right) => left - right)).toEqual(epochs.map((_, index) => index + 1));
  expect(epochs.length).toBe(fences.length);
  return before / lines.length;
}

export function testProcesses(newPlace: () => Promise<Place>): void {
  test("concurrent processes lose nothing, write nothing twice and never share a lease", async () => {
    await shareWork(await newPlace());
  });

  test("a process that was stopped until its lease expired cannot write when it resumes", async () => {
    const place = await newPlace();
    const zombie = startWriter({ type: "zombie", place, name: "zombie" });
    await zombie.first("leased");
    zombie.process.kill("SIGSTOP");
    const store = await openPlace(place);
    const tenant = store.tenant("local");
    expect(await tenant.createSession({ id: SESSION, createdAt: 0 }, EMPTY_HEAD)).toBe("exists");
    await setTimeout(ZOMBIE_LEASE_MS + 100);
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
}
