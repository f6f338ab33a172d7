/**
 * Syncs the log with the list that a client resends: appends what is new, and forks where the client has branched. A
 * reply known in part is no branch, nor is a list without messages of other clients.
 */
import { PalimpsestError } from "../../core/errors.ts";
import type { SessionId } from "../../core/log/entry.ts";
import { compareMessages } from "../../core/message/compare-messages.ts";
import { decodeInputInSteps } from "../../core/message/formats/decode-input.ts";
import { hashMessage } from "../../core/message/hash-message.ts";
import type { Message } from "../../core/message/message.ts";
import { runInSteps, yieldToEventLoop } from "../../ports/run-in-steps.ts";
import { appendMessages } from "../state/append-messages.ts";
import { readHistory } from "../state/read-history.ts";
import type { SessionState } from "../state/session-state.ts";
import { isCoverFor, rendererOf } from "../state/take-over-history.ts";
import { findAfterArrivals, findWholeId, type IsOwn, type MessageKey } from "./find-arrivals.ts";
import { findSameFork, forkSession, hasFork } from "./fork-session.ts";

export type SyncOutcome =
  | { readonly type: "unchanged" | "appended"; readonly sessionId: SessionId; readonly appended: number }
  /** The client's list branches after `atSeq` and continues in a session of its own. */
  | { readonly type: "forked"; readonly sessionId: SessionId; readonly atSeq: number; readonly appended: number };

export interface SyncOptions {
  /** The message that the client has edited. Required to edit an erased message, whose old text is unknown. */
  readonly edited?: string | undefined;
  /** Whether a message was generated for this client. Later messages of other clients are then no branch. */
  readonly isOwn?: IsOwn | undefined;
}

export interface SyncContext extends SyncOptions {
  readonly open: (id: SessionId) => Promise<SessionState>;
}

const UNNAMED = "\u0000unnamed-";

export async function syncMessages(
  state: SessionState,
  input: readonly unknown[],
  { open, edited, isOwn }: SyncContext,
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
  // A branch that was started before and got no answer is continued.
  const same = await findSameFork(state, { atSeq, messages: rest, isSame });
  const inherited = keys.slice(0, shared).map(({ id }) => id);
  assertOwnIds([...inherited, ...rest.map(({ id }) => id)]);
  const sessionId = same?.id ?? (await forkSession(state, atSeq));
  const added = rest.slice(same?.known ?? 0);
  await appendRest(await open(sessionId), added);
  return { type: "forked", sessionId, atSeq, appended: added.length };
}

/** Throws before a list with duplicate ids becomes a fork that cannot be appended to. */
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

interface Comparison extends SyncOptions {
  readonly messages: readonly Message[];
  readonly keys: readonly MessageKey[];
}

/** Counts the messages that both share from the start. A reply known in part counts as all of its pieces in the log. */
async function findShared(
  state: SessionState,
  { messages, keys, edited, isOwn }: Comparison,
): Promise<{ readonly keys: number; readonly messages: number }> {
  const place = { keys: 0, messages: 0 };
  const stored = new StoredMessages(state);
  /** The id of the reply that the pieces before this place belong to. */
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
    } else if (!continuesReply(key, { reply, message })) {
      const rest = messages.slice(place.messages);
      const isEdit = edited !== undefined;
      const next = await findAfterArrivals(state, { keys, from: place.keys, reply, rest, isEdit, isOwn });
      if (next === undefined) break;
      place.keys = next;
      continue;
    }
    reply = findWholeId(key.id);
    place.keys += 1;
  }
  return place;
}

interface Pair extends SyncOptions {
  readonly message: Message;
  readonly key: MessageKey;
  readonly stored: StoredMessages;
  /** Seq before the two messages. */
  readonly atSeq: number;
  readonly isLast: boolean;
}

async function isKnown(state: SessionState, { message, key, stored, edited, atSeq, isLast }: Pair): Promise<boolean> {
  if (!isSame(message, key)) return isSameReply(message, { key, stored });
  if (key.hash !== "") return true;
  // An erased message is known by its id alone; resending it does not restore it, and an edit branches.
  if (message.id === edited) return false;
  return !isLast || message.role !== "user" || !(await hasFork(state, { atSeq, message, isSame }));
}

function isSame(message: Message, key: Pick<MessageKey, "id" | "hash">): boolean {
  const isSameId = message.id === key.id || message.id.startsWith(UNNAMED);
  return isSameId && (key.hash === "" || hashMessage(message) === key.hash);
}

/** Whether the client has the stored reply, or its beginning, in its own format. */
async function isSameReply(message: Message, { key, stored }: Pick<Pair, "key" | "stored">): Promise<boolean> {
  const isUnnamed = message.id.startsWith(UNNAMED);
  if (message.role === "user" || message.role === "system" || (message.id !== key.id && !isUnnamed)) return false;
  const original = await stored.find(key);
  const comparison = original === undefined ? "different" : compareMessages(message, original);
  return comparison === "same" || (comparison === "beginning" && !isUnnamed);
}

/** Reads messages of the log by place, a page at a time: a client that reformats one often reformats all. */
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

/** Whether a message is a later piece of a reply of which the client has nothing more. */
function continuesReply(
  key: MessageKey,
  { reply, message }: { reply: string | undefined; message: Message | undefined },
): boolean {
  if (reply === undefined || findWholeId(key.id) !== reply) return false;
  return message === undefined || findWholeId(message.id) !== reply;
}

function nameMessage(state: SessionState, message: Message): Message {
  return message.id.startsWith(UNNAMED) ? { ...message, id: state.context.ids.message() } : message;
}
