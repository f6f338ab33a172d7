/** Changes to the model's view that the user requests: pin, dismiss, clear and undo. */
import { client } from "./client.ts";
import { findUndoneIds } from "./read-entries.ts";
import type { PinOutcome, UndoOutcome } from "./values.ts";

/** Number of undo entries that are read, the newest ones. */
const MAX_UNDOS = 500;

export async function pinMessage(id: string, messageId: string): Promise<PinOutcome> {
  return client.pinMessage({ params: { id }, body: { messageId } });
}

export async function unpinMessage(id: string, messageId: string): Promise<void> {
  await client.unpinMessage({ params: { id, pinId: messageId } });
}

export async function dismissMessage(id: string, messageId: string): Promise<void> {
  await client.dismissMessage({ params: { id }, body: { messageId } });
}

export async function clearHistory(id: string): Promise<void> {
  await client.clearHistory({ params: { id }, body: {} });
}

/** Undoes the newest change. With an entry's id, undoes that entry only if it is the newest. */
export async function undoChange(id: string, entryId?: string): Promise<UndoOutcome> {
  return client.undo({ params: { id }, body: { entryId } });
}

/** Ids of the changes that are undone now. Undo entries can be on any page of the log, so they are read separately. */
export async function loadUndoneIds(id: string, signal?: AbortSignal): Promise<ReadonlySet<string>> {
  const query = { types: "undo", limit: MAX_UNDOS, newestFirst: true, ids: false };
  return findUndoneIds((await client.readEntries({ params: { id }, query, signal })).entries);
}
