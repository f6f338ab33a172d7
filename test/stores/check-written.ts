/** What writers were told against what is there, after whatever happened to them. */
import { expect } from "vitest";
import type { Entry } from "../../src/core/log/entry.ts";
import { foldEntries } from "../../src/core/log/fold-entry.ts";
import type { TenantStore } from "../../src/ports/store.ts";
import { headOf, SESSION, seqsOf } from "../../src/testing/store-contract/contract-log.ts";
import type { WriterLine } from "./store-writer.ts";

/** Gives how many entries there are. */
export async function checkWritten(tenant: TenantStore, said: readonly WriterLine[]): Promise<number> {
  const entries = await tenant.readEntries(SESSION, {});
  checkEntries(entries, said);
  const epochs = said.flatMap((line) => (line.type === "changed" ? line.epoch : []));
  const head = await headOf(tenant);
  expect(head.epoch).toBeGreaterThanOrEqual(Math.max(0, ...epochs));
  expect(head).toEqual(foldEntries(entries));
  const [session] = await tenant.listSessions({ limit: 1 });
  expect(session?.messageCount ?? 0).toBe(entries.filter(({ type }) => type === "message").length);
  return entries.length;
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
  const messages = entries.filter(({ type }) => type === "message");
  const batches = Map.groupBy(messages, ({ id }) => id.split("/")[0]);
  for (const batch of batches.values()) expect(`${batch.length}`).toBe(batch[0]?.id.split("/")[2]);
}
