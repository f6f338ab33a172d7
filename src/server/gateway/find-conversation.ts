/**
 * Finds the session that continues a request's conversation, by content alone. The id of a session is derived from its
 * first message, and the id of a fork from its parent and the message at which it differs. So every server on the same
 * store finds the same session, without an index, and equal beginnings share their entries until they differ.
 */
import { PalimpsestError } from "../../core/errors.ts";
import { decodeInput } from "../../core/message/formats/decode-input.ts";
import { hashMessage, hashText } from "../../core/message/hash-message.ts";
import { canonicalJson, type JsonObject } from "../../core/message/json.ts";
import type { Palimpsest } from "../../engine/palimpsest.ts";
import type { Session } from "../../engine/session/session.ts";
import type { ForkPlace } from "../../engine/session/sync-messages.ts";
import type { ListMark } from "./known-conversations.ts";
import type { Dialect } from "./read-request.ts";

export interface ConversationKey {
  readonly dialect: Dialect;
  /** Address of the upstream. */
  readonly upstream: string;
  readonly headers: Headers;
}

/** Headers in which clients name a conversation. Credentials are no part of it, because clients renew them. */
const SESSION_HEADERS = [
  "x-claude-code-session-id",
  "x-claude-code-agent-id",
  "thread-id",
  "x-session-id",
  "x-session-affinity",
] as const;

/** Prefix of the ids of the gateway's sessions. */
const SESSION_PREFIX = "gw-";

export interface ListedConversation {
  readonly session: Session;
  /** Seq of the message that the list ends with. */
  readonly throughSeq: number;
  /** Whether the log already goes on, as after a repeated request. Nothing was written then. */
  readonly isBehind: boolean;
}

/** Where the comparison of a list with a log begins: after the items that are known to be the same. */
export interface StartPlace extends ListMark {
  readonly sessionId: string;
  /** Seq after which the log has the list. What is before it was compacted by the client. */
  readonly baseSeq: number;
}

/** Appends what is new. Where the list differs from the log, a fork continues it. */
export async function findConversation(
  engine: Palimpsest,
  history: readonly JsonObject[],
  key: ConversationKey,
  start?: StartPlace,
): Promise<ListedConversation> {
  const options = { format: key.dialect.format, forkId, afterSeq: start?.seq ?? 0 };
  const list = history.slice(start?.items ?? 0);
  let session = await (start === undefined
    ? engine.session(nameConversation(history, key))
    : openSession(engine, start.sessionId));
  for (;;) {
    const { session: next, ...outcome } = await session.sync(list, options);
    session = next;
    const { type, throughSeq } = outcome;
    if (type !== "forked") return { session, throughSeq, isBehind: type === "behind" };
  }
}

export interface PreviewedConversation {
  readonly session: Session;
  /** Number of messages at the end of the list that the log does not have. */
  readonly newMessages: number;
}

/** Finds the session of a list and writes nothing. Returns undefined if the list does not continue one. */
export async function previewConversation(
  engine: Palimpsest,
  history: readonly JsonObject[],
  key: ConversationKey,
  start?: StartPlace,
): Promise<PreviewedConversation | undefined> {
  const options = { format: key.dialect.format, forkId, afterSeq: start?.seq ?? 0, preview: true };
  const list = history.slice(start?.items ?? 0);
  let session = await loadSession(engine, start?.sessionId ?? nameConversation(history, key));
  while (session !== undefined) {
    const { session: next, ...outcome } = await session.sync(list, options);
    if (outcome.type === "behind") return undefined;
    if (outcome.type !== "forked") return { session, newMessages: outcome.appended };
    session = next;
  }
  return undefined;
}

/** Throws if there is no such session. `load` would read its whole head with each request. */
async function openSession(engine: Palimpsest, id: string): Promise<Session> {
  await engine.describe(id);
  return engine.session(id);
}

export async function loadSession(engine: Palimpsest, id: string): Promise<Session | undefined> {
  try {
    return await openSession(engine, id);
  } catch (error) {
    if (error instanceof PalimpsestError && error.code === "session-not-found") return undefined;
    throw error;
  }
}

/** Opens the fork in which a request is answered again. However often that happens, there is one. */
export function forkForRetry({ session, throughSeq }: ListedConversation): Promise<Session> {
  return session.fork(throughSeq, { id: forkId({ parentId: session.id, atSeq: throughSeq, message: undefined }) });
}

/** Returns the id of the session that all conversations with this beginning share. */
export function nameConversation(history: readonly JsonObject[], key: ConversationKey): string {
  const { format } = key.dialect;
  const first = decodeInput(history.slice(0, 1), { format, fallbackId: String }).messages.flat();
  return nameBy([...describeKey(key), first.map(hashMessage)]);
}

/** Lists what keeps conversations apart, besides their content. */
export function describeKey({ dialect, upstream, headers }: ConversationKey): readonly unknown[] {
  return [dialect.format, upstream, SESSION_HEADERS.map((name) => headers.get(name))];
}

function forkId({ parentId, atSeq, message }: ForkPlace): string {
  return nameBy([parentId, atSeq, message === undefined ? null : hashMessage(message)]);
}

const ID_DIGITS = 32;

export function nameBy(parts: readonly unknown[]): string {
  return `${SESSION_PREFIX}${hashText(canonicalJson(parts)).slice(0, ID_DIGITS)}`;
}
