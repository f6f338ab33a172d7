/** The work of concurrent processes on one session through the store's port, and of one whose lease expires. */
import { once } from "node:events";
import { EMPTY_HEAD } from "../../src/core/log/head.ts";
import type { Store, TenantStore } from "../../src/ports/store.ts";
import {
  aUserMessage,
  batchOf,
  draftOf,
  headOf,
  pinNote,
  SESSION,
} from "../../src/testing/store-contract/contract-log.ts";
import { printLine, type WriterTask, wordsOf } from "./writer-task.ts";

const SHARED_LEASE_MS = 30_000;
/** The lease of the zombie, shorter than the time that the other processes wait for it. */
export const ZOMBIE_LEASE_MS = 300;

export async function writeShare(store: Store, { name, count = 0 }: WriterTask): Promise<void> {
  const tenant = await aTenant(store);
  for (let turn = 0; turn < count; turn += 1) {
    await say(tenant, `${name}-${turn}`);
    // Every process sends the same message.
    await say(tenant, `shared-${turn}`);
    if (turn % 4 === 0) await changeUnderLease(tenant, `${name}-${turn}-past`);
  }
}

/** Takes a lease, waits for a signal, and writes although the lease has expired. */
export async function writeAfterLeaseExpired(store: Store): Promise<void> {
  const tenant = await aTenant(store);
  const lease = await tenant.lease(SESSION, ZOMBIE_LEASE_MS);
  const batch = batchOf(await headOf(tenant), pinNote, "zombie");
  printLine({ type: "leased", fence: lease?.fence ?? 0 });
  await once(process.stdin, "data");
  const outcome = await tenant.append(SESSION, { ...batch, expect: { epoch: 0, fence: lease?.fence } });
  printLine({ type: "outcome", outcome: outcome.type });
  process.stdin.destroy();
}

async function aTenant(store: Store): Promise<TenantStore> {
  const tenant = store.tenant("local");
  await tenant.createSession({ id: SESSION, createdAt: 0 }, EMPTY_HEAD);
  printLine({ type: "ready" });
  return tenant;
}

async function say(tenant: TenantStore, batch: string): Promise<void> {
  const id = `${batch}/0/1`;
  const outcome = await tenant.append(SESSION, { entries: [draftOf(aUserMessage(wordsOf(id), { id }))] });
  if (outcome.type !== "appended") throw new TypeError(`Not appended: ${outcome.type}`);
  printLine({ type: "appended", session: SESSION, ids: [id], seqs: outcome.entries.map(({ seq }) => seq) });
}

async function changeUnderLease(tenant: TenantStore, id: string): Promise<void> {
  const lease = await tenant.lease(SESSION, SHARED_LEASE_MS);
  if (lease === undefined) return;
  printLine({ type: "leased", fence: lease.fence });
  const batch = batchOf(await headOf(tenant), pinNote, id);
  const expect = { epoch: batch.head.epoch - 1, fence: lease.fence };
  const outcome = await tenant.append(SESSION, { ...batch, expect });
  if (outcome.type === "appended") printLine({ type: "epoch", epoch: batch.head.epoch });
  printLine({ type: "outcome", outcome: outcome.type });
  await tenant.release(SESSION, lease);
}
