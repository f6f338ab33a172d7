/** kill -9 at any instant: what was acknowledged is there, in its place, once; what was under way is whole or absent. */
import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { setTimeout } from "node:timers/promises";
import { afterAll, describe, expect, test } from "vitest";
import type { Entry } from "../../src/core/log/entry.ts";
import { foldEntries } from "../../src/core/log/fold-entry.ts";
import { openSqliteStore } from "../../src/stores/sqlite/open-sqlite-store.ts";
import { seededRandom } from "../../src/testing/seeded-random.ts";
import { headOf, SESSION, seqsOf } from "../../src/testing/store-contract/contract-log.ts";
import { startWriter } from "./start-writer.ts";
import type { WriterLine } from "./store-writer.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const folder = temporaryFolder();
afterAll(() => folder.remove());

/** Kills; fewer where the machine is too busy for them. */
const ROUNDS = Number(process.env.PALIMPSEST_CRASH_ROUNDS ?? 40);
const LONGEST_MS = 35_000 * Math.max(1, ROUNDS / 40);

interface Kill {
  readonly name: string;
  readonly afterMs: number;
  /** From its start on, and not from its first acknowledgement: it is killed while it makes or opens the file. */
  readonly opening?: boolean | undefined;
}

async function killOne(path: string, { name, afterMs, opening = false }: Kill): Promise<readonly WriterLine[]> {
  const writer = startWriter({ type: "endless", path, name });
  if (!opening) await writer.first("appended");
  await setTimeout(afterMs);
  writer.process.kill("SIGKILL");
  const { complaint } = await writer.ended;
  expect(complaint).toBe("");
  return writer.lines;
}

/** How long a process takes here until it writes. */
async function measureOpening(path: string): Promise<number> {
  const startedAt = performance.now();
  const writer = startWriter({ type: "endless", path, name: "first" });
  await writer.first("ready");
  const openedMs = performance.now() - startedAt;
  writer.process.kill("SIGKILL");
  await writer.ended;
  return openedMs;
}

function checkEntries(entries: readonly Entry[], said: readonly WriterLine[]): void {
  expect(seqsOf(entries)).toEqual(entries.map((_, index) => index + 1));
  const seqOf = new Map(entries.map(({ id, seq }) => [id, seq]));
  expect(seqOf.size).toBe(entries.length);
  for (const line of said) {
    if (line.type === "appended") expect(line.ids.map((id) => seqOf.get(id))).toEqual(line.seqs);
  }
  const erased = new Set(said.flatMap((line) => (line.type === "erased" ? line.id : [])));
  const texts = entries.filter((entry) => erased.has(entry.id)).map((entry) => JSON.stringify(entry));
  expect(texts.filter((text) => !text.includes('"erased":true'))).toEqual([]);
  // Messages say how many there were in their batch: all of them are there, or none.
  const batches = Map.groupBy(
    entries.filter(({ type }) => type === "message"),
    ({ id }) => id.split("/")[0],
  );
  for (const batch of batches.values()) expect(`${batch.length}`).toBe(batch[0]?.id.split("/")[2]);
}

async function checkStore(path: string, said: readonly WriterLine[]): Promise<number> {
  if (!existsSync(path)) return 0;
  const store = await openSqliteStore(path);
  const tenant = store.tenant("local");
  const entries = await tenant.readEntries(SESSION, {});
  checkEntries(entries, said);
  const epochs = said.flatMap((line) => (line.type === "changed" ? line.epoch : []));
  const head = await headOf(tenant);
  expect(head.epoch).toBeGreaterThanOrEqual(Math.max(0, ...epochs));
  expect(head).toEqual(foldEntries(entries));
  const [session] = await tenant.listSessions({ limit: 1 });
  expect(session?.messageCount ?? 0).toBe(entries.filter(({ type }) => type === "message").length);
  await store.close();
  return entries.length;
}

function checkIntegrity(path: string): void {
  const database = new DatabaseSync(path);
  expect(database.prepare("PRAGMA integrity_check").all()).toEqual([{ integrity_check: "ok" }]);
  expect(database.prepare("PRAGMA foreign_key_check").all()).toEqual([]);
  database.prepare("INSERT INTO text_index (text_index) VALUES ('integrity-check')").run();
  database.close();
}

describe("a process that is killed", () => {
  test(`loses nothing that it acknowledged, up to ${ROUNDS} times`, async () => {
    const path = folder.newPath();
    const seed = Date.now() % 1_000_000;
    const random = seededRandom(seed);
    const openedMs = await measureOpening(folder.newPath());
    const said: WriterLine[] = [];
    const until = performance.now() + LONGEST_MS;
    let killed = 0;
    for (; killed < ROUNDS && performance.now() < until; killed += 2) {
      const afterMs = () => random.integer(120);
      const opening = openedMs * (0.6 + random.integer(500) / 1_000);
      const fresh = folder.newPath();
      // Two at once: both on one file, or one of them on a file that it has to make.
      const [first, second] = await Promise.all([
        killOne(path, { name: `a${killed}`, afterMs: afterMs() }),
        killed % 8 === 0
          ? killOne(fresh, { name: "f", afterMs: opening, opening: true })
          : killOne(path, { name: `b${killed}`, afterMs: afterMs() }),
      ]);
      said.push(...first, ...(killed % 8 === 0 ? [] : second));
      await checkStore(path, said);
      if (killed % 8 === 0) await checkStore(fresh, second);
    }
    const found = await checkStore(path, said);
    checkIntegrity(path);
    expect(found).toBeGreaterThan(0);
    process.stdout.write(`seed ${seed}: killed ${killed} writers; ${said.length} acknowledgements, ${found} entries\n`);
  });
});
