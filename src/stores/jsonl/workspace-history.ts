/**
 * A tenant's sessions in the shapes of the workspace document: records with everything for those who browse, bare
 * messages for those who go on talking. It reads any store; the file itself is the format's business.
 */
import { PalimpsestError } from "../../core/errors.ts";
import type { MessageEntry, SessionId } from "../../core/log/entry.ts";
import type { ImagePart, Message, Role } from "../../core/message/message.ts";
import { messageText } from "../../core/message/message-text.ts";
import type { SearchQuery, TenantStore } from "../../ports/store.ts";
import { findInText } from "../search/find-in-text.ts";
import { isoTime, toWorkspaceRecord, type WorkspaceRecord } from "./workspace-record.ts";

export interface WorkspaceSession {
  readonly session_id: SessionId;
  /** Of its newest entry, ISO 8601, UTC. */
  readonly timestamp: string;
  readonly message_count: number;
  readonly preview: string;
  readonly first_role: Role | undefined;
}

/** A record as it is answered: images as data URIs in place of their number. */
export type AnsweredRecord = Omit<WorkspaceRecord, "images" | "image_refs"> & { readonly images: readonly string[] };

export interface ContextMessage {
  readonly role: "user" | "assistant";
  readonly content: string;
  /** Data URIs, where there are any. */
  readonly images?: readonly string[] | undefined;
}

export interface HistoryQuery extends Pick<SearchQuery, "text"> {
  readonly role?: Role | undefined;
  readonly limit?: number | undefined;
  /** What is searched where the store finds nothing or does not answer: the messages of the session in memory. */
  readonly inMemory?: readonly Message[] | undefined;
}

export interface FoundMessage {
  /** Undefined for what was found in memory. */
  readonly session_id: SessionId | undefined;
  readonly id: string;
  readonly role: Role;
  readonly snippet: string;
}

const SESSIONS_LISTED = 50;
const MESSAGES_FOUND = 50;

export async function listWorkspaceSessions(
  store: TenantStore,
  { limit = SESSIONS_LISTED }: { readonly limit?: number | undefined } = {},
): Promise<readonly WorkspaceSession[]> {
  const sessions = await store.listSessions({ limit });
  return sessions.map(({ id, updatedAt, messageCount, preview, firstRole }) => ({
    session_id: id,
    timestamp: isoTime(updatedAt),
    message_count: messageCount,
    preview,
    first_role: firstRole,
  }));
}

/** Everything that is stored of a session's messages. None for a session that does not exist. */
export async function readSessionRecords(store: TenantStore, id: SessionId): Promise<readonly AnsweredRecord[]> {
  return (await readMessages(store, id)).flatMap((entry) => {
    const record = toWorkspaceRecord(entry, { sessionId: id });
    return record === undefined ? [] : [{ ...record, images: imagesOf(entry.message) }];
  });
}

/** What a model needs of them, and nothing else. */
export async function readContextMessages(store: TenantStore, id: SessionId): Promise<readonly ContextMessage[]> {
  return (await readSessionRecords(store, id)).map(({ role, content, images }) => ({
    role,
    content,
    ...(images.length > 0 ? { images } : {}),
  }));
}

export interface LoadedSession {
  /** Undefined where there is none to go on with. */
  readonly session_id: SessionId | undefined;
  readonly messages: readonly ContextMessage[];
}

/** What a start goes on with: the newest session. Nothing where there is none, or where it cannot be read. */
export async function loadNewestSession(store: TenantStore): Promise<LoadedSession> {
  try {
    const [newest] = await store.listSessions({ limit: 1 });
    if (newest !== undefined) {
      return { session_id: newest.id, messages: await readContextMessages(store, newest.id) };
    }
  } catch (error) {
    // A start without yesterday's words is better than none; whoever writes next is told what is wrong.
    if (!(error instanceof PalimpsestError)) throw error;
  }
  return { session_id: undefined, messages: [] };
}

export async function searchHistory(store: TenantStore, query: HistoryQuery): Promise<readonly FoundMessage[]> {
  const { text, role, limit = MESSAGES_FOUND, inMemory = [] } = query;
  // A store that does not answer is no reason to find nothing: what is in memory still can be searched.
  const stored = await store.search({ text, role, limit }).catch(() => []);
  if (stored.length > 0) {
    return stored.map(({ sessionId, messageId, role: by, snippet }) => ({
      session_id: sessionId,
      id: messageId,
      role: by,
      snippet,
    }));
  }
  const found = inMemory.toReversed().flatMap((message) => {
    const match = role === undefined || role === message.role ? findInText(messageText(message), text) : undefined;
    return match === undefined
      ? []
      : [{ session_id: undefined, id: message.id, role: message.role, snippet: match.snippet }];
  });
  return found.slice(0, limit);
}

async function readMessages(store: TenantStore, id: SessionId): Promise<readonly MessageEntry[]> {
  const entries = await store.readEntries(id, { types: ["message"] });
  return entries.flatMap((entry) => (entry.type === "message" ? [entry] : []));
}

function imagesOf({ parts }: Message): readonly string[] {
  return parts.flatMap((part) => (part.type === "image" ? dataUri(part) : []));
}

function dataUri({ source, mediaType = "image/png" }: ImagePart): readonly string[] {
  return source.type === "data" ? [`data:${mediaType};base64,${source.base64}`] : [];
}
