/** Changes of what the model sees that somebody asks for by name. */
import { client } from "./client.ts";
import { readFields, readList, readText } from "./fields.ts";
import { findTakenBack } from "./find-undone.ts";

/** Undos are rare; of more than these the oldest are not looked at. */
const MOST_UNDOS = 500;

/** What became of it, in words for a notice. */
export async function pinMessage(id: string, messageId: string): Promise<string> {
  const outcome = await client.pinMessage({ params: { id }, body: { messageId } });
  return readText(outcome.type);
}

export async function unpinMessage(id: string, messageId: string): Promise<void> {
  await client.unpinMessage({ params: { id, pinId: messageId } });
}

export async function clearHistory(id: string): Promise<void> {
  await client.clearHistory({ params: { id }, body: {} });
}

export interface Undone {
  readonly type: string;
  /** What was taken back, by the names of the entries. */
  readonly kinds: readonly string[];
}

/** The newest change, or the one that is named where that is the newest. */
export async function undoLast(id: string, entryId?: string): Promise<Undone> {
  const outcome = await client.undo({ params: { id }, body: { entryId } });
  return { type: outcome.type, kinds: outcome.type === "undone" ? outcome.undid.kinds : [] };
}

/** Ids of the entries. An undo may stand anywhere behind what it undoes, so that they are read by themselves. */
export async function loadTakenBack(id: string, signal?: AbortSignal): Promise<ReadonlySet<string>> {
  const query = { types: "undo", limit: MOST_UNDOS, newestFirst: true, ids: false };
  const entries = readList((await client.readEntries({ params: { id }, query, signal })).entries).map(readFields);
  return findTakenBack(entries.map((entry) => ({ id: readText(entry.id), undoes: readText(entry.undoes) })));
}
