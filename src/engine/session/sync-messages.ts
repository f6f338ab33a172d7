/**
 * What a client resends, brought in line with the log: the part they share is left alone, what is new is appended, and
 * where the client has gone another way (an edit, a regenerated reply) the session forks there. A client that left while
 * a reply was made has only its beginning; that is no other way, and what the log has of the reply stands. Nor is a list
 * without what others said meanwhile, or without what a provider alone reads: the log keeps its original.
 *
 * It compares every message that was sent, because a client may have changed any of them; that costs what was sent.
 */
import { PalimpsestError } from "../../core/errors.ts";
import type { SessionId } from "../../core/log/entry.ts";
import { compareMessages } from "../../core/message/compare-messages.ts";
import { decodeInputInSteps } from "../../core/message/formats/decode-input.ts";
import { hashMessage } from "../../core/message/hash-message.ts";
import type { Message } from "../../core/message/message.ts";
import { runInSteps, yieldToEventLoop } from "../context/run-in-steps.ts";
import { readHistory } from "../read-history.ts";
import { appendMessages } from "../state/append-messages.ts";
import type { SessionState } from "../state/session-state.ts";
import { isCoverFor, rendererOf } from "../take-over-history.ts";
import { findAfterArrivals, type IsOwn, type MessageKey, pieceOf } from "./find-arrivals.ts";
import { findSameFork, forkSession, hasFork } from "./fork-session.ts";

export type SyncOutcome =
  | { readonly type: "unchanged" | "appended"; readonly sessionId: SessionId; readonly appended: number }
  /** The client's list leaves the log after `atSeq`; it goes on in a session of its own. */
  | { readonly type: "forked"; readonly sessionId: SessionId; readonly atSeq: number; readonly appended: number };

export interface SyncOptions {
  /** The message that the client says it has said anew. Of an erased one nothing else tells new words from the old. */
  readonly edited?: string | undefined;
  /**
   * Whether a message was made for this client. With it, what others said after the newest one that was is no other way:
   * the client cannot know of it.
   */
  readonly isOwn?: IsOwn | undefined;
}

export interface Syncing extends SyncOptions {
  readonly open: (id: SessionId) => Promise<SessionState>;
}

const UNNAMED = "\u0000unnamed-";

export async function syncMessages(
  state: SessionState,
  input: readonly unknown[],
  { open, edited, isOwn }: Syncing,
): Promise<SyncOutcome> {
  if (input.length === 0) return { type: "unchanged", sessionId: state.id, appended: 0 };
  const options = { fallbackId: (index: number) => `${UNNAMED}${index}`, isCover: isCoverFor(state) };
  const decoded = await runInSteps(decodeInputInSteps(input, options));
  const messages = readHistory(decoded, { renderer: rendererOf(state), firstItem: 0 }).items.flat();
  const keys = await state.context.store.readMessageKeys(state.id);
  const { keys: shared, messages: known } = await findShared(state, { messages, keys, edited, isOwn });
  const rest = messages.slice(known);
  if (shared === keys.length) {
    await appendRest(state, rest);
    return { type: rest.length > 0 ? "appended" : "unchanged", sessionId: state.id, appended: rest.length };
  }
  const atSeq = keys[shared - 1]?.seq ?? 0;
  // The same way taken again, because nobody answered the first time, is no other one.
  const same = await findSameFork(state, { atSeq, messages: rest, isSame });
  const inherited = keys.slice(0, shared).map(({ id }) => id);
  assertOwnIds([...inherited, ...rest.map(({ id }) => id)]);
  const sessionId = same?.id ?? (await forkSession(state, atSeq));
  const added = rest.slice(same?.known ?? 0);
  await appendRest(await open(sessionId), added);
  return { type: "forked", sessionId, atSeq, appended: added.length };
}

/** Refuses a list before it becomes a fork that its messages cannot be appended to. */
function assertOwnIds(ids: readonly string[]): void {
  const seen = new Set<string>();
  for (const id of ids) {
    if (seen.has(id)) {
      throw new PalimpsestError("message-conflict", `Two messages have the id "${id}". Give each an id of its own.`);
    }
    seen.add(id);
  }
}

async function appendRest(state: SessionState, rest: readonly Message[]): Promise<void> {
  if (rest.length === 0) return;
  await appendMessages(
    state,
    rest.map((message) => nameMessage(state, message)),
    {},
  );
}

interface Compared extends SyncOptions {
  readonly messages: readonly Message[];
  readonly keys: readonly MessageKey[];
}

/** How many of each are the same, from the beginning on. A reply that is known in part takes all that the log has of it. */
async function findShared(
  state: SessionState,
  { messages, keys, edited, isOwn }: Compared,
): Promise<{ readonly keys: number; readonly messages: number }> {
  const place = { keys: 0, messages: 0 };
  const stored = new StoredMessages(state);
  /** What the pieces before this place are of, where they are pieces. */
  let reply: string | undefined;
  while (place.keys < keys.length) {
    await yieldToEventLoop();
    const key = keys[place.keys];
    const message = messages[place.messages];
    if (key === undefined) break;
    const atSeq = keys[place.keys - 1]?.seq ?? 0;
    const isLast = place.messages === messages.length - 1;
    if (message !== undefined && (await isKnown(state, { message, key, stored, edited, atSeq, isLast }))) {
      place.messages += 1;
    } else if (!goesOn(key, { reply, message })) {
      const rest = messages.slice(place.messages);
      const isEdit = edited !== undefined;
      const next = await findAfterArrivals(state, { keys, from: place.keys, reply, rest, isEdit, isOwn });
      if (next === undefined) break;
      place.keys = next;
      continue;
    }
    reply = pieceOf(key.id);
    place.keys += 1;
  }
  return place;
}

interface Pair extends SyncOptions {
  readonly message: Message;
  readonly key: MessageKey;
  readonly stored: StoredMessages;
  /** The place before the two. */
  readonly atSeq: number;
  readonly isLast: boolean;
}

async function isKnown(state: SessionState, { message, key, stored, edited, atSeq, isLast }: Pair): Promise<boolean> {
  if (!isSame(message, key)) return isSaid(message, { key, stored });
  if (key.hash !== "") return true;
  // What its owner had erased is known by its id alone, and resending it does not bring it back; new words go on.
  if (message.id === edited) return false;
  return !isLast || message.role !== "user" || !(await hasFork(state, { atSeq, message, isSame }));
}

function isSame(message: Message, key: Pick<MessageKey, "id" | "hash">): boolean {
  const isSameId = message.id === key.id || message.id.startsWith(UNNAMED);
  return isSameId && (key.hash === "" || hashMessage(message) === key.hash);
}

/** Whether a client has what the log has of a reply, or its beginning, in the client's own spelling. */
async function isSaid(message: Message, { key, stored }: Pick<Pair, "key" | "stored">): Promise<boolean> {
  const isUnnamed = message.id.startsWith(UNNAMED);
  if (message.role === "user" || message.role === "system" || (message.id !== key.id && !isUnnamed)) return false;
  const original = await stored.find(key);
  const comparison = original === undefined ? "different" : compareMessages(message, original);
  return comparison === "same" || (comparison === "beginning" && !isUnnamed);
}

/** Messages of the log by their place. A client that respells one often respells all, so that a page is read at once. */
class StoredMessages {
  readonly #state: SessionState;
  #page = new Map<number, Message>();

  constructor(state: SessionState) {
    this.#state = state;
  }

  async find({ seq }: MessageKey): Promise<Message | undefined> {
    if (!this.#page.has(seq)) {
      const { id, context } = this.#state;
      const range = { afterSeq: seq - 1, types: ["message"], limit: PAGE } as const;
      const entries = await context.store.readEntries(id, range);
      this.#page = new Map(entries.flatMap((entry) => (entry.type === "message" ? [[entry.seq, entry.message]] : [])));
    }
    return this.#page.get(seq);
  }
}

const PAGE = 50;

/** A later piece of the reply before it, where the client has nothing more of that reply. */
function goesOn(
  key: MessageKey,
  { reply, message }: { reply: string | undefined; message: Message | undefined },
): boolean {
  if (reply === undefined || pieceOf(key.id) !== reply) return false;
  return message === undefined || pieceOf(message.id) !== reply;
}

function nameMessage(state: SessionState, message: Message): Message {
  return message.id.startsWith(UNNAMED) ? { ...message, id: state.context.ids.message() } : message;
}
