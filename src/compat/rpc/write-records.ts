/** Writes sessions and messages in the shapes of the workspace document. */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Entry, MessageEntry } from "../../core/log/entry.ts";
import { toDocumentId } from "../../core/message/hash-message.ts";
import type { Message } from "../../core/message/message.ts";
import { outputText } from "../../core/message/message-text.ts";
import type { Session } from "../../engine/session/session.ts";
import type { SearchHit, SessionSummary } from "../../ports/store.ts";
import type { MessageRecord, RpcResult } from "../../protocol/rpc-methods.ts";

/** Key of a message's extras that contains its files; the file store writes them as the document does. */
export const WORKSPACE_EXTRAS = "workspace";
const METADATA = ["files", "files_modified", "edit_results"] as const;
const PAGE = 500;
/** The largest time value of a `Date`. */
const LAST_MS = 8.64e15;

/** Returns all messages of a session, whatever the model sees. Deleted messages are left out. */
export async function readRecords(session: Session): Promise<MessageRecord[]> {
  const records: MessageRecord[] = [];
  for (let afterSeq = 0; ; ) {
    const page = await session.entries({ afterSeq, types: ["message"], limit: PAGE });
    for (const entry of page) if (isShown(entry)) records.push(writeRecord(entry, session.id));
    if (page.length < PAGE) return records;
    // A store in memory never yields to the event loop.
    await nextTurn();
    afterSeq = page.at(-1)?.seq ?? afterSeq;
  }
}

export function writeContext(records: readonly MessageRecord[]): RpcResult<"get_session_messages_for_context"> {
  return records.map(({ role, content, images }) => ({ role, content, ...(images.length === 0 ? {} : { images }) }));
}

export function writeSessionRow(summary: SessionSummary): RpcResult<"history_list_sessions">[number] {
  const { id, updatedAt, messageCount, preview, firstRole = null } = summary;
  return { session_id: id, timestamp: isoTime(updatedAt), message_count: messageCount, preview, first_role: firstRole };
}

export function writeHit(hit: SearchHit): RpcResult<"history_search">[number] {
  const { sessionId, messageId, role, snippet, matchStart, matchLength } = hit;
  return {
    session_id: sessionId,
    id: toDocumentId(messageId),
    role,
    snippet,
    match_start: matchStart,
    match_length: matchLength,
  };
}

function isShown(entry: Entry): entry is MessageEntry {
  return entry.type === "message" && entry.erased !== true;
}

function writeRecord({ message, at }: MessageEntry, sessionId: string): MessageRecord {
  const metadata = message.extras?.[WORKSPACE_EXTRAS] ?? {};
  return {
    id: toDocumentId(message.id),
    session_id: sessionId,
    timestamp: isoTime(message.saidAt ?? at),
    role: message.role,
    content: joinTextParts(message),
    images: imagesOf(message),
    ...Object.fromEntries(METADATA.flatMap((key) => (Array.isArray(metadata[key]) ? [[key, metadata[key]]] : []))),
  };
}

/** Returns text and tool results without reasoning. */
function joinTextParts({ parts }: Message): string {
  const texts = parts.flatMap((part) => {
    if (part.type === "text") return [part.text];
    return part.type === "tool-result" ? [outputText(part.output)] : [];
  });
  return texts.join("\n");
}

function imagesOf({ parts }: Message): string[] {
  return parts.flatMap((part) => {
    if (part.type !== "image" || part.source.type !== "data") return [];
    return [`data:${part.mediaType ?? "image/png"};base64,${part.source.base64}`];
  });
}

function isoTime(epochMs: number): string {
  return Math.abs(epochMs) <= LAST_MS ? new Date(epochMs).toISOString() : "";
}
