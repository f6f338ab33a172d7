/**
 * A process that writes to a store and says what was acknowledged, one line of JSON each. It is started by tests, which
 * stop, starve or kill it; it never stops by itself unless its task ends.
 */
import { once } from "node:events";
import { writeSync } from "node:fs";
import { EMPTY_HEAD } from "../../src/core/log/head.ts";
import type { Store, TenantStore } from "../../src/ports/store.ts";
import { openPostgresStore } from "../../src/stores/postgres/open-postgres-store.ts";
import { openSqliteStore } from "../../src/stores/sqlite/open-sqlite-store.ts";
import {
  aUserMessage,
  batchOf,
  draftOf,
  fork,
  headOf,
  pinNote,
  SESSION,
  truncate,
} from "../../src/testing/store-contract/contract-log.ts";

/** What a writer was asked to do: append until it is killed, take its share beside others, or fall asleep. */
export interface WriterTask {
  readonly type: "endless" | "share" | "zombie";
  /** Of a file, or the address of a database. */
  readonly path: string;
  readonly name: string;
  /** How often, for a share. */
  readonly count?: number | undefined;
}

/** One line: what the store has acknowledged. */
export type WriterLine =
  | { readonly type: "ready" }
  | {
      readonly type: "appended";
      readonly batch: string;
      readonly ids: readonly string[];
      readonly seqs: readonly number[];
    }
  | { readonly type: "changed"; readonly epoch: number; readonly fence?: number | undefined }
  | { readonly type: "erased"; readonly id: string }
  | { readonly type: "leased"; readonly fence: number }
  | { readonly type: "outcome"; readonly outcome: string };

function tell(line: WriterLine): void {
  writeSync(1, `${JSON.stringify(line)}\n`);
}

async function say(tenant: TenantStore, batch: string, count: number): Promise<void> {
  const messages = Array.from({ length: count }, (_, index) =>
    aUserMessage(`Said in ${batch} as number ${index}. `.repeat(5), { id: `${batch}/${index}/${count}` }),
  );
  const outcome = await tenant.append(SESSION, { entries: messages.map((message) => draftOf(message)) });
  if (outcome.type !== "appended") throw new TypeError(`Not appended: ${outcome.type}`);
  const { entries } = outcome;
  tell({ type: "appended", batch, ids: entries.map(({ id }) => id), seqs: entries.map(({ seq }) => seq) });
}

async function changePast(tenant: TenantStore, id: string): Promise<void> {
  const head = await headOf(tenant);
  const batch = batchOf(head, truncate(Math.max(0, head.foldedThroughSeq - 10)), id);
  if ((await tenant.append(SESSION, batch)).type === "appended") tell({ type: "changed", epoch: batch.head.epoch });
}

async function eraseOne(tenant: TenantStore, id: string): Promise<void> {
  const { foldedThroughSeq } = await headOf(tenant);
  const afterSeq = Math.floor(foldedThroughSeq / 2);
  const [oldest] = await tenant.readEntries(SESSION, { types: ["message"], limit: 1, afterSeq });
  if (oldest?.type !== "message") return;
  const gone = { type: "delete", messageIds: [oldest.id], seqs: [oldest.seq], dropsSummary: false } as const;
  const batch = batchOf(await headOf(tenant), gone, id);
  const outcome = await tenant.append(SESSION, { ...batch, erase: [oldest.id] });
  if (outcome.type === "appended") tell({ type: "erased", id: oldest.id });
}

async function writeEndlessly(tenant: TenantStore, name: string): Promise<void> {
  for (let turn = 0; ; turn += 1) {
    const id = `${name}-${turn}`;
    await say(tenant, id, 1 + (turn % 3));
    if (turn % 5 === 4) await changePast(tenant, `${id}-past`);
    if (turn % 17 === 16) await eraseOne(tenant, `${id}-erase`);
    if (turn % 11 === 10) {
      await fork(tenant, { id: `${id}-fork`, atSeq: 3 });
      await tenant.deleteSession(`${id}-fork`);
    }
  }
}

async function writeShare(tenant: TenantStore, { name, count = 0 }: WriterTask): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) {
    await say(tenant, `${name}-${turn}`, 1);
    // Everybody sends this one.
    await say(tenant, `shared-${turn}`, 1);
    if (turn % 4 === 0) await changeUnderLease(tenant, `${name}-${turn}-past`);
  }
}

async function changeUnderLease(tenant: TenantStore, id: string): Promise<void> {
  const lease = await tenant.lease(SESSION, 30_000);
  if (lease === undefined) return;
  tell({ type: "leased", fence: lease.fence });
  const batch = batchOf(await headOf(tenant), pinNote, id);
  const outcome = await tenant.append(SESSION, {
    ...batch,
    expect: { epoch: batch.head.epoch - 1, fence: lease.fence },
  });
  if (outcome.type === "appended") tell({ type: "changed", epoch: batch.head.epoch, fence: lease.fence });
  tell({ type: "outcome", outcome: outcome.type });
  await tenant.release(SESSION, lease);
}

/** Takes a lease, waits to be told, and then writes as if no time had passed. */
async function sleepOnLease(tenant: TenantStore): Promise<void> {
  const lease = await tenant.lease(SESSION, 300);
  const batch = batchOf(await headOf(tenant), pinNote, "zombie");
  tell({ type: "leased", fence: lease?.fence ?? 0 });
  await once(process.stdin, "data");
  const outcome = await tenant.append(SESSION, { ...batch, expect: { epoch: 0, fence: lease?.fence } });
  tell({ type: "outcome", outcome: outcome.type });
  process.stdin.destroy();
}

async function main(task: WriterTask): Promise<void> {
  const { path } = task;
  const store: Store = await (path.startsWith("postgres:") ? openPostgresStore(path) : openSqliteStore(path));
  const tenant = store.tenant("local");
  await tenant.createSession({ id: SESSION, createdAt: 0 }, EMPTY_HEAD);
  tell({ type: "ready" });
  if (task.type === "endless") await writeEndlessly(tenant, task.name);
  if (task.type === "share") await writeShare(tenant, task);
  if (task.type === "zombie") await sleepOnLease(tenant);
  await store.close();
}

if (import.meta.main) await main(JSON.parse(process.argv[2] ?? ""));
