/**
 * F16: kill -9 in the middle of the deletion of a long session. The session stays deleted, the next process removes the
 * rest of its rows and images, and the data of other sessions stays.
 */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { Client } from "pg";
import { EMPTY_HEAD } from "../../src/core/log/head.ts";
import type { TenantStore } from "../../src/ports/store.ts";
import { seededRandom } from "../../src/testing/seeded-random.ts";
import { append, aUserMessage, draftOf, fork, say } from "../../src/testing/store-contract/contract-log.ts";
import type { FaultOptions, FaultResult } from "./fault.ts";
import { openPlace, type Place } from "./place.ts";
import { startChild } from "./start-child.ts";

const SCRIPT = fileURLToPath(new URL("deleting-child.ts", import.meta.url));
const BATCH = 500;
const MAX_WAIT_MS = 60_000;
const LOOK_EVERY_MS = 20;
const IMAGE_BYTES = 4_000;
/** Number of messages of each session that stays. */
const KEPT = 3;

export interface DeletionOptions extends FaultOptions {
  readonly messages: number;
}

export async function killDeletions(place: Place, options: DeletionOptions): Promise<FaultResult> {
  const random = seededRandom(options.seed);
  const until = performance.now() + options.longestMs;
  const violations: string[] = [];
  let [rounds, unfinished] = [0, 0];
  await withTenant(place, prepareKept);
  for (; rounds < options.rounds && performance.now() < until; rounds += 1) {
    const id = rounds % 2 === 0 ? "long" : "fork";
    await withTenant(place, (tenant) => prepareLong(tenant, { id, messages: options.messages }));
    const child = startChild({ script: SCRIPT, task: { place, id, turns: random.integer(options.messages / BATCH) } });
    const { complaint } = await child.ended;
    if (complaint !== "") violations.push(complaint.slice(0, 500));
    if ((await countEntries(place)) > KEPT) unfinished += 1;
    await withTenant(place, async (tenant) => {
      violations.push(...(await findTraces(tenant, id)));
      // In a JSONL folder, only a writer changes the index.
      await tenant.renameSession("s", "Kept");
      await waitUntilGone(place, violations);
    });
    options.onProgress(`${place.kind}: ${rounds + 1} of ${options.rounds} deletions killed`);
  }
  const remarks = `${unfinished} deletions finished by the next process`;
  return { name: place.kind, rounds, acknowledged: rounds, lost: 0, duplicated: 0, violations, remarks };
}

async function withTenant(place: Place, work: (tenant: TenantStore) => Promise<void>): Promise<void> {
  const store = await openPlace({ ...place, durability: "normal" });
  try {
    await work(store.tenant("local"));
  } finally {
    await store.close();
  }
}

function showImage(byte: number) {
  const base64 = Buffer.alloc(IMAGE_BYTES, byte).toString("base64");
  return draftOf({
    ...aUserMessage("Look."),
    parts: [{ type: "image", mediaType: "image/png", source: { type: "data", base64 } }],
  });
}

/** Creates a session that shares an image with the deleted ones, and is the parent of every second one. */
async function prepareKept(tenant: TenantStore): Promise<void> {
  await tenant.createSession({ id: "s", createdAt: 0 }, EMPTY_HEAD);
  await append(tenant, say("Kept."), showImage(1), say("Kept too."));
}

async function prepareLong(
  tenant: TenantStore,
  { id, messages }: { readonly id: string; readonly messages: number },
): Promise<void> {
  if (id === "fork") await fork(tenant, { id, atSeq: 2, parentId: "s" });
  else await tenant.createSession({ id, createdAt: 0 }, EMPTY_HEAD);
  await tenant.append(id, { entries: [showImage(1), showImage(2)] });
  for (let written = 0; written < messages; written += BATCH) {
    const entries = Array.from({ length: BATCH }, (_, index) => say(`A doomed word, ${written + index}.`));
    await tenant.append(id, { entries });
  }
}

/** Returns what a reader still finds of a deleted session, and what is missing from the others. */
async function findTraces(tenant: TenantStore, id: string): Promise<readonly string[]> {
  const listed = (await tenant.listSessions({ limit: 9 })).map((session) => session.id);
  const { sessions, messages } = await tenant.statistics();
  const found = {
    listed: listed.join(),
    isFound: (await tenant.findSession(id)) !== undefined,
    hits: (await tenant.search({ text: "doomed", limit: 9 })).length,
    forks: (await tenant.listForks("s")).length,
    sessions,
    messages,
    kept: (await tenant.readEntries("s", {})).length,
    isImageKept: JSON.stringify(await tenant.readEntries("s", {})).includes(
      Buffer.alloc(IMAGE_BYTES, 1).toString("base64"),
    ),
  };
  const expected = { listed: "s", isFound: false, hits: 0, forks: 0, sessions: 1, messages: KEPT, kept: KEPT };
  const [is, should] = [JSON.stringify(found), JSON.stringify({ ...expected, isImageKept: true })];
  return is === should ? [] : [`After a killed deletion: ${is} instead of ${should}`];
}

async function waitUntilGone(place: Place, violations: string[]): Promise<void> {
  const until = performance.now() + MAX_WAIT_MS;
  while ((await countEntries(place)) > KEPT && performance.now() < until) await setTimeout(LOOK_EVERY_MS);
  const left = await countEntries(place);
  if (left !== KEPT) violations.push(`${left - KEPT} entries of a deleted session are still there.`);
}

/** Counts rows in the tables themselves, including those that readers do not see. */
async function countEntries({ kind, path }: Place): Promise<number> {
  if (kind === "postgres") {
    const client = new Client({ connectionString: path });
    await client.connect();
    const { rows } = await client.query("SELECT count(*)::integer AS count FROM palimpsest.entries");
    await client.end();
    return rows[0].count;
  }
  const folder = kind === "jsonl" ? readdirSync(path).find((name) => name.startsWith("local")) : undefined;
  const database = new DatabaseSync(folder === undefined ? path : join(path, folder, "index.db"), { timeout: 5_000 });
  const row = database.prepare("SELECT count(*) AS count FROM entries").get();
  database.close();
  return Number(row?.count);
}
