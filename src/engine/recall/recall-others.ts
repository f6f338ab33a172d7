/**
 * Recalls passages from other sessions of the tenant for a prompt. A session notes in its log which sessions quote it,
 * before they do, so that a deletion finds every quotation.
 */
import type { MessageEntry, SessionId } from "../../core/log/entry.ts";
import { findClearedSeq } from "../../core/log/head.ts";
import type { MessageId } from "../../core/message/message.ts";
import type { RecalledPassage } from "../../core/recall/recall-block.ts";
import type { RecallQuery } from "../../core/recall/recall-passages.ts";
import type { TenantStore } from "../../ports/store.ts";
import { isHidden } from "../context/hidden-title.ts";
import { findPassages, type RecallPlace } from "./find-passages.ts";

/** A passage with the seq of its message, in the session that it names, else in the one that recalls. */
export interface PlacedPassage extends RecalledPassage {
  readonly seq: number;
}

export interface OthersQuery extends Omit<RecallQuery, "without"> {
  /** Maximum number of other sessions, those that were used last. */
  readonly most: number;
  /** Returns the messages of a session that the prompt quotes already. */
  readonly quotedOf: (sessionId: SessionId) => ReadonlySet<MessageId>;
}

/** Returns the best passages of each session. Leaves out what was dismissed there, and messages that a fork shares. */
export async function recallOthers(place: RecallPlace, query: OthersQuery): Promise<readonly PlacedPassage[]> {
  const { store } = place;
  const listed = query.most === 0 ? [] : await store.listSessions({ limit: query.most + 1 });
  const others = listed.filter(({ id, title }) => id !== place.sessionId && !isHidden(title)).slice(0, query.most);
  const found: PlacedPassage[] = [];
  for (const { id, updatedAt } of others) {
    const stored = await store.findSession(id);
    if (stored === undefined) continue;
    const range = { afterSeq: findClearedSeq(stored.head), throughSeq: stored.lastSeq };
    const dismissed = stored.head.dismissed?.map(({ messageId }) => messageId) ?? [];
    const without = new Set([...query.quotedOf(id), ...dismissed]);
    const { passages } = await findPassages({ ...place, sessionId: id }, { ...query, without }, range);
    if (passages.length === 0) continue;
    await noteQuotation(store, { id, updatedAt, by: place.sessionId });
    for (const passage of passages) {
      const entry = await findStored(store, id, passage.messageId);
      if (entry !== undefined && !(await isShared(place, entry)))
        found.push({ ...passage, otherSessionId: id, seq: entry.seq });
    }
  }
  return found;
}

/** Returns the entry of a message that was not deleted in the meantime. */
export async function findStored(
  store: TenantStore,
  id: SessionId,
  messageId: MessageId,
): Promise<MessageEntry | undefined> {
  const entry = await store.findMessage(id, messageId);
  return entry?.erased === true ? undefined : entry;
}

/** Whether the recalling session has the same message, because one is a fork of the other. */
async function isShared({ store, sessionId }: RecallPlace, { id, hash }: MessageEntry): Promise<boolean> {
  return (await store.findMessage(sessionId, id))?.hash === hash;
}

interface Quotation {
  readonly id: SessionId;
  /** The entry has this time, so that the session does not count as just used. */
  readonly updatedAt: number;
  readonly by: SessionId;
}

async function noteQuotation(store: TenantStore, { id, updatedAt, by }: Quotation): Promise<void> {
  const entryId = `quoted-${by}`;
  if ((await store.findEntry(id, entryId)) !== undefined) return;
  const text = `Recalled passages in the session ${by} quote this one.`;
  await store.append(id, {
    entries: [{ type: "note", kind: "quoted", id: entryId, at: updatedAt, text, details: { sessionId: by } }],
  });
}

/** Lists the sessions whose recalled passages may quote a session. */
export async function listQuotingSessions(store: TenantStore, id: SessionId): Promise<readonly SessionId[]> {
  const notes = await store.readEntries(id, { types: ["note"] });
  const quoting = notes.flatMap((entry) =>
    entry.type === "note" && entry.kind === "quoted" ? (entry.details?.sessionId ?? []) : [],
  );
  return [...new Set(quoting.filter((value): value is string => typeof value === "string"))];
}
