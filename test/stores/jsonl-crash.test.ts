/** Processes that are killed at any instant: what they were told is stored is stored, and nothing is half there. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { expect, test } from "vitest";
import { foldEntries } from "../../src/core/log/fold-entry.ts";
import type { TenantStore } from "../../src/ports/store.ts";
import type { Acknowledged } from "./jsonl-crash-child.ts";
import { TestFolder } from "./jsonl-folder.ts";

const ROUNDS = Number(process.env.PALIMPSEST_CRASH_ROUNDS ?? 40);
const CHILD = join(import.meta.dirname, "jsonl-crash-child.ts");
/** A process is killed so long after its first word, at most. */
const LONGEST_LIFE_MS = 200;

interface Life {
  readonly told: readonly Acknowledged[];
  readonly errors: string;
}

async function liveAndDie(folder: string, fsync: "always" | "never", round: number): Promise<Life> {
  const child = spawn(process.execPath, [CHILD, folder, fsync, String(round)], { stdio: ["ignore", "pipe", "pipe"] });
  const closed = once(child, "close");
  let output = "";
  let errors = "";
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    output += text;
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    errors += text;
  });
  await firstWord(child);
  await setTimeout(Math.random() * LONGEST_LIFE_MS);
  child.kill("SIGKILL");
  await closed;
  // The last word may have been cut off: it was not heard.
  const lines = output.slice(0, output.lastIndexOf("\n") + 1).split("\n");
  return { told: lines.filter((line) => line !== "").map((line): Acknowledged => JSON.parse(line)), errors };
}

async function firstWord(child: ChildProcess): Promise<void> {
  if (child.stdout !== null) await Promise.race([once(child.stdout, "data"), once(child, "exit")]);
}

async function checkSession(tenant: TenantStore, id: string): Promise<void> {
  const session = await tenant.findSession(id);
  const entries = await tenant.readEntries(id, {});
  expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_, index) => index + 1));
  expect(new Set(entries.map((entry) => entry.id)).size).toBe(entries.length);
  if (id !== "main") return;
  const head = foldEntries(await tenant.readEntries(id, { afterSeq: session?.head.foldedThroughSeq }), session?.head);
  expect(head).toEqual(foldEntries(entries));
}

/** A batch is there as a whole: its messages say how many they are. */
function checkBatches(ids: readonly string[]): void {
  const counts = new Map<string, { found: number; expected: number }>();
  for (const id of ids) {
    const [, batch = "", expected] = /^(.*)-\d+-of-(\d+)$/.exec(id) ?? [];
    if (expected === undefined) continue;
    const count = counts.get(batch) ?? { found: 0, expected: Number(expected) };
    count.found += 1;
    counts.set(batch, count);
  }
  for (const { found, expected } of counts.values()) expect(found).toBe(expected);
}

/** What was acknowledged in one folder, over all processes that worked on it. */
class Memory {
  readonly appended = new Map<string, Set<string>>();
  readonly mayBeGone = new Set<string>();
  readonly erased = new Set<string>();
  epoch = 0;
  fence = 0;

  hear(word: Acknowledged): void {
    if (word.type === "created") this.appended.set(word.session, new Set());
    else if (word.type === "appended") for (const id of word.ids) this.appended.get(word.session)?.add(id);
    else if (word.type === "epoch") this.epoch = Math.max(this.epoch, word.epoch);
    else if (word.type === "leased") this.fence = Math.max(this.fence, word.fence);
    else if (word.type === "erased") this.erased.add(word.id);
    else if (word.type === "deleting") this.mayBeGone.add(word.session);
    else if (word.type === "deleted") this.appended.delete(word.session);
  }
}

async function checkFolder(folder: TestFolder, memory: Memory): Promise<void> {
  const store = folder.open();
  const tenant = store.tenant("local");
  const listed = new Set((await tenant.listSessions({ limit: 10_000 })).map(({ id }) => id));
  for (const [session, ids] of memory.appended) {
    if (memory.mayBeGone.has(session) && !listed.has(session)) continue;
    const stored = (await tenant.readEntries(session, {})).map(({ id }) => id);
    const known = new Set(stored);
    expect([...ids].filter((id) => !known.has(id))).toEqual([]);
    checkBatches(stored);
  }
  await checkSession(tenant, "main");
  expect((await tenant.findSession("main"))?.head.epoch).toBeGreaterThanOrEqual(memory.epoch);
  const lease = await tenant.lease("main", 1);
  if (lease !== undefined) expect(lease.fence).toBeGreaterThan(memory.fence);
  memory.fence = lease?.fence ?? memory.fence;
  const [log = ""] = folder.files(".jsonl").filter((path) => path.includes("main"));
  const text = readFileSync(log, "utf8");
  for (const id of memory.erased) expect(text).not.toContain(`Words of ${id}.`);
  expect(store.statistics()).toMatchObject({ damagedLines: 0, rebuiltHeads: 0, missingBlobs: 0 });
  await store.close();
}

async function dieAgainAndAgain(rounds: readonly number[]): Promise<number> {
  await using folder = new TestFolder();
  const memory = new Memory();
  for (const round of rounds) {
    const { told, errors } = await liveAndDie(folder.path, round % 4 === 0 ? "always" : "never", round);
    expect(errors.replaceAll(/^.*(?:PalimpsestWarning|trace-warnings).*$/gm, "").trim()).toBe("");
    for (const word of told) memory.hear(word);
    await checkFolder(folder, memory);
  }
  return [...memory.appended.values()].reduce((sum, ids) => sum + ids.size, 0);
}

test(`${ROUNDS} processes killed at random instants lose nothing that was acknowledged`, async () => {
  const rounds = Array.from({ length: ROUNDS }, (_, round) => round);
  // Several folders at once: most of a round is the start of a process.
  const folders = [0, 1, 2, 3].map((folder) => rounds.slice((folder * ROUNDS) / 4, ((folder + 1) * ROUNDS) / 4));
  const appended = await Promise.all(folders.map(dieAgainAndAgain));
  expect(appended.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(ROUNDS);
});
