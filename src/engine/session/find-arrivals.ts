/** Finds messages that a client cannot know of, such as those of other clients: a list without them is no branch. */
import type { MessageEntry, RequestEntry } from "../../core/log/entry.ts";
import { readBaseId } from "../../core/message/decode-value.ts";
import type { Message } from "../../core/message/message.ts";
import type { SessionState } from "../state/session-state.ts";

/** A message of the log, for comparison with a client's list. */
export interface MessageKey {
  readonly seq: number;
  readonly id: string;
  readonly hash: string;
}

export interface Gap {
  readonly keys: readonly MessageKey[];
  /** Index of the first message that the client's list lacks. */
  readonly from: number;
  /** The id of the reply that the message before is a piece of, if it is one. */
  readonly reply: string | undefined;
  readonly rest: readonly Message[];
  /** Whether the client edits on purpose; then only its later messages show what it cannot know of. */
  readonly isEdit: boolean;
  readonly isOwn?: IsOwn | undefined;
}

/** Whether a message was generated for the client that sends the list. */
export type IsOwn = (entry: MessageEntry) => boolean;

/** Prompts to search for the first one of a reply. */
const NEWEST_REQUESTS = 200;
/** Entries of other clients to skip between two turns; after more, the session forks. */
const MOST_BETWEEN = 1_000;

/** Returns the index at which log and list agree again; undefined where the client has branched. */
export async function findAfterArrivals(state: SessionState, gap: Gap): Promise<number | undefined> {
  return (await findWithinReply(state, gap)) ?? (await findAfterReply(state, gap));
}

export function findWholeId(id: string): string | undefined {
  const base = readBaseId(id);
  return base === id ? undefined : base;
}

/** Skips messages that were appended while a reply was generated. */
async function findWithinReply(state: SessionState, { keys, from, reply, rest }: Gap): Promise<number | undefined> {
  const isOfReply = reply !== undefined && findWholeId(keys[from]?.id ?? "") === reply;
  if (isOfReply) return undefined;
  const within =
    reply === undefined ? -1 : keys.findIndex(({ id }, index) => index > from && findWholeId(id) === reply);
  if (within > 0) return within;
  const [message] = rest;
  const base = message === undefined ? undefined : findWholeId(message.id);
  const next = base === undefined ? -1 : keys.findIndex(({ id }, index) => index > from && findWholeId(id) === base);
  const [first, answer] = [keys[from], keys[next]];
  if (first === undefined || answer === undefined) return undefined;
  const { store } = state.context;
  const promptId = (await store.findMessage(state.id, answer.id))?.promptId;
  const range = { throughSeq: answer.seq, types: ["request"], newestFirst: true, limit: NEWEST_REQUESTS } as const;
  const requests = promptId === undefined ? [] : await store.readEntries(state.id, range);
  const asked = requests.find((entry) => entry.type === "request" && entry.promptId === promptId);
  return asked !== undefined && asked.seq < first.seq ? next : undefined;
}

/** Skips messages between the client's newest reply and its next message. */
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
  // A failed turn of the client leaves a prompt without an answer, or a note about that.
  const isAnswered = ({ promptId }: RequestEntry) => messages.some((message) => message.promptId === promptId);
  const isElsewhere = between.every((entry) => {
    if (entry.type === "message") return !isOwn(entry);
    return entry.type === "request" ? isAnswered(entry) : entry.type !== "note" || entry.kind !== "generation-end";
  });
  return isElsewhere ? next : undefined;
}

/** Returns the index of the client's next message, or the end of the log if all of its messages are new. */
function findNext({ keys, from, rest, isEdit }: Gap): number | undefined {
  const [message] = rest;
  if (message === undefined) return undefined;
  const found = keys.findIndex(({ id }, index) => index > from && id === message.id);
  if (found > 0) return found;
  const known = new Set(keys.map(({ id }) => id));
  const isNew = rest.every(({ id, role }) => role === "user" && !known.has(id));
  return isNew && !isEdit ? keys.length : undefined;
}
