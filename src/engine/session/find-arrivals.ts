/**
 * What others said that a client cannot know of, so that a list without it is no other way: while a reply was made for
 * the client, or after one, before the client spoke again. What the client itself said or was given is never skipped:
 * where that is missing from its list, somebody took it out.
 */
import type { MessageEntry, RequestEntry } from "../../core/log/entry.ts";
import { readBaseId } from "../../core/message/decode-value.ts";
import type { Message } from "../../core/message/message.ts";
import type { SessionState } from "../state/session-state.ts";

/** A message of the log, as lists are compared with it. */
export interface MessageKey {
  readonly seq: number;
  readonly id: string;
  readonly hash: string;
}

export interface Gap {
  readonly keys: readonly MessageKey[];
  /** The first that the client's list does not have. */
  readonly from: number;
  /** What the piece before it is of, where it is one. */
  readonly reply: string | undefined;
  /** What the client has there, and after it. */
  readonly rest: readonly Message[];
  /** Whether the client goes another way on purpose: only what it has further on tells what it cannot know of. */
  readonly isEdit: boolean;
  readonly isOwn?: IsOwn | undefined;
}

/** Whether a message was made for the client that sends the list. */
export type IsOwn = (entry: MessageEntry) => boolean;

/** Prompts of one reply that are looked through for its first. */
const NEWEST_REQUESTS = 200;
/** Entries that others may have written between two turns; after more of them a fork is clearer. */
const MOST_BETWEEN = 1_000;

/** Where the log goes on as the client has it; undefined where the client has gone another way. */
export async function findAfterArrivals(state: SessionState, gap: Gap): Promise<number | undefined> {
  return (await findWithinReply(state, gap)) ?? (await findAfterReply(state, gap));
}

/** What a message is a piece of, where it is one. */
export function pieceOf(id: string): string | undefined {
  const base = readBaseId(id);
  return base === id ? undefined : base;
}

/** Said while a reply was made. */
async function findWithinReply(state: SessionState, { keys, from, reply, rest }: Gap): Promise<number | undefined> {
  const isOfReply = reply !== undefined && pieceOf(keys[from]?.id ?? "") === reply;
  if (isOfReply) return undefined;
  const within = reply === undefined ? -1 : keys.findIndex(({ id }, index) => index > from && pieceOf(id) === reply);
  if (within > 0) return within;
  const [message] = rest;
  const base = message === undefined ? undefined : pieceOf(message.id);
  const next = base === undefined ? -1 : keys.findIndex(({ id }, index) => index > from && pieceOf(id) === base);
  const [first, answer] = [keys[from], keys[next]];
  if (first === undefined || answer === undefined) return undefined;
  const { store } = state.context;
  const promptId = (await store.findMessage(state.id, answer.id))?.promptId;
  const range = { throughSeq: answer.seq, types: ["request"], newestFirst: true, limit: NEWEST_REQUESTS } as const;
  const requests = promptId === undefined ? [] : await store.readEntries(state.id, range);
  const asked = requests.find((entry) => entry.type === "request" && entry.promptId === promptId);
  return asked !== undefined && asked.seq < first.seq ? next : undefined;
}

/** Said after the client's newest reply, before what the client said next. */
async function findAfterReply(state: SessionState, gap: Gap): Promise<number | undefined> {
  const { keys, from, isOwn } = gap;
  const last = keys[from - 1];
  const next = findNext(gap);
  if (isOwn === undefined || last === undefined || next === undefined) return undefined;
  const { store } = state.context;
  const reply = await store.findMessage(state.id, last.id);
  if (reply === undefined || !isOwn(reply)) return undefined;
  const end = keys[next];
  const throughSeq = end && end.seq - 1;
  const types = ["message", "request", "note"] as const;
  const between = await store.readEntries(state.id, { afterSeq: last.seq, throughSeq, types, limit: MOST_BETWEEN });
  if (between.length === MOST_BETWEEN) return undefined;
  const messages = between.filter((entry) => entry.type === "message");
  // A turn of the client that failed leaves a prompt without an answer, or a note that there was none.
  const isAnswered = ({ promptId }: RequestEntry) => messages.some((message) => message.promptId === promptId);
  const isElsewhere = between.every((entry) => {
    if (entry.type === "message") return !isOwn(entry);
    return entry.type === "request" ? isAnswered(entry) : entry.type !== "note" || entry.kind !== "generation-end";
  });
  return isElsewhere ? next : undefined;
}

/** The place of what the client has next, or the end of the log where all of that is new. */
function findNext({ keys, from, rest, isEdit }: Gap): number | undefined {
  const [message] = rest;
  if (message === undefined) return undefined;
  const found = keys.findIndex(({ id }, index) => index > from && id === message.id);
  if (found > 0) return found;
  const known = new Set(keys.map(({ id }) => id));
  const isNew = rest.every(({ id, role }) => role === "user" && !known.has(id));
  return isNew && !isEdit ? keys.length : undefined;
}
