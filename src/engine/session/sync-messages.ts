/**
 * Syncs the log with the list that a client resends: appends what is new, and forks where the client has branched. A
 * list with a partial reply, or without messages of other clients, is not a branch.
 */
import { PalimpsestError } from "../../core/errors.ts";
import type { MessageEntry, RequestEntry, SessionId } from "../../core/log/entry.ts";
import { compareMessages } from "../../core/message/compare-messages.ts";
import { readBaseId } from "../../core/message/decode-value.ts";
import { decodeInputInSteps } from "../../core/message/formats/decode-input.ts";
import type { FormatName } from "../../core/message/formats/format.ts";
import { hashMessage } from "../../core/message/hash-message.ts";
import type { Message } from "../../core/message/message.ts";
import { runInSteps, yieldToEventLoop } from "../../ports/run-in-steps.ts";
import { appendMessages } from "../state/append-messages.ts";
import { readHistory } from "../state/read-history.ts";
import type { SessionState } from "../state/session-state.ts";
import { isCoverFor, rendererOf } from "../state/take-over-history.ts";
import { findSameFork, forkSession, hasFork } from "./fork-session.ts";

/** Where a resent list continues: in the session, or in a fork where it differs from the log. */
export type SyncOutcome = SyncPlace &
  (
    | { readonly type: "unchanged" | "appended"; readonly sessionId: SessionId; readonly appended: number }
    /** The list ends before the log, and there is no fork for it yet. Only with `forkId`. */
    | { readonly type: "behind"; readonly sessionId: SessionId; readonly appended: 0 }
    /** The client's list branches after `atSeq` and continues in a session of its own. */
    | { readonly type: "forked"; readonly sessionId: SessionId; readonly atSeq: number; readonly appended: number }
  );

interface SyncPlace {
  /** Seq of the message in the log that the list ends with; 0 for an empty list. */
  readonly throughSeq: number;
}

export interface SyncOptions {
  /** Id of the message that the client edited. Required if that message is erased, because its old text is unknown. */
  readonly edited?: string | undefined;
  /** Returns whether a message was generated for this client. Then other clients' messages after it cause no fork. */
  readonly isOwn?: IsOwn | undefined;
  /** Called before the list becomes a fork. It may throw; then nothing is written. */
  readonly beforeFork?: (() => void) | undefined;
  /** The format of the list. Detected by default, but a list of plain texts fits several formats. */
  readonly format?: FormatName | undefined;
  /**
   * Returns the id of the fork for a place. The fork is found or created, and left unchanged: call its own `sync`. For a
   * list that ends before the log, an existing fork is found, but none is created: the outcome is `behind`.
   */
  readonly forkId?: ((place: ForkPlace) => SessionId) | undefined;
  /** The list continues after this seq: the messages up to it are not in the list. */
  readonly afterSeq?: number | undefined;
  /** Writes nothing: returns what would be appended, or `behind` where a fork would be created. Needs `forkId`. */
  readonly preview?: boolean | undefined;
}

/** Where a list leaves the log: after `atSeq`, with the given message; without one if it ends there. */
export interface ForkPlace {
  readonly parentId: SessionId;
  readonly atSeq: number;
  readonly message: Message | undefined;
}

export interface SyncContext extends SyncOptions {
  readonly open: (id: SessionId) => Promise<SessionState>;
}

const UNNAMED = "\u0000unnamed-";

/** Other clients may sync the same session at the same time: each attempt compares the list with the newest log. */
const ATTEMPTS = 10;

export async function syncMessages(
  state: SessionState,
  input: readonly unknown[],
  context: SyncContext,
): Promise<SyncOutcome> {
  const { format, afterSeq = 0 } = context;
  if (input.length === 0 && afterSeq === 0) {
    return { type: "unchanged", sessionId: state.id, appended: 0, throughSeq: 0 };
  }
  const options = { fallbackId: (index: number) => `${UNNAMED}${index}`, isCover: isCoverFor(state), format };
  const decoded = await runInSteps(decodeInputInSteps(input, options));
  const firstItem = afterSeq > 0 ? 1 : 0;
  const messages = readHistory(decoded, { renderer: rendererOf(state), firstItem }).items.flat();
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const outcome = await trySync(state, messages, context);
    if (outcome !== undefined) return outcome;
  }
  const text = `The session changed ${ATTEMPTS} times while the list was compared with it. Try again.`;
  throw new PalimpsestError("store-conflict", text);
}

/** Returns undefined if another writer appended to the session in the meantime; then no message was appended. */
async function trySync(
  state: SessionState,
  messages: readonly Message[],
  { open, edited, isOwn, beforeFork, forkId, afterSeq = 0, preview = false }: SyncContext,
): Promise<SyncOutcome | undefined> {
  // Read before the messages: an entry that is appended in between makes the write stale.
  const lastSeq = preview ? 0 : ((await state.context.store.findSession(state.id))?.lastSeq ?? 0);
  const keys = await readKeys(state, afterSeq);
  const { keys: shared, messages: known } = await findShared(state, { messages, keys, edited, isOwn });
  const rest = messages.slice(known);
  const atSeq = keys[shared - 1]?.seq ?? afterSeq;
  if (shared === keys.length) {
    const type = rest.length > 0 ? "appended" : "unchanged";
    if (preview) return { type, sessionId: state.id, appended: rest.length, throughSeq: atSeq };
    const added = await leaveOutStored(state, rest, keys);
    const throughSeq = await appendAfter(state, { lastSeq, atSeq }, added);
    return throughSeq === undefined ? undefined : { type, sessionId: state.id, appended: added.length, throughSeq };
  }
  beforeFork?.();
  if (forkId !== undefined) return forkAs(state, { atSeq, first: rest[0], forkId, preview });
  // A branch that was started before and got no answer is continued.
  const same = await findSameFork(state, { atSeq, messages: rest }, isSame);
  const inherited = keys.slice(0, shared).map(({ id }) => id);
  assertOwnIds([...inherited, ...rest.map(({ id }) => id)]);
  const sessionId = same?.id ?? (await forkSession(state, atSeq));
  const added = rest.slice(same?.known ?? 0);
  const throughSeq = await appendAfter(await open(sessionId), { lastSeq: same?.lastSeq ?? atSeq, atSeq }, added);
  return throughSeq === undefined
    ? undefined
    : { type: "forked", sessionId, atSeq, appended: added.length, throughSeq };
}

/** Leaves out messages that the log has at another place. Throws if one of them has other content. */
async function leaveOutStored(
  state: SessionState,
  rest: readonly Message[],
  keys: readonly MessageKey[],
): Promise<readonly Message[]> {
  const ids = new Set(keys.map(({ id }) => id));
  const repeated = rest.filter(({ id }) => ids.has(id));
  if (repeated.length === 0) return rest;
  await appendMessages(state, repeated, {});
  return rest.filter(({ id }) => !ids.has(id));
}

interface AppendPlace {
  /** The last seq of the log when the list was compared with it. */
  readonly lastSeq: number;
  /** Seq of the last message that log and list share. */
  readonly atSeq: number;
}

/** Returns the seq of the last message of the list; undefined if the log has grown, and then nothing is written. */
async function appendAfter(
  state: SessionState,
  { lastSeq, atSeq }: AppendPlace,
  messages: readonly Message[],
): Promise<number | undefined> {
  if (messages.length === 0) return atSeq;
  const named = messages.map((message) => nameMessage(state, message));
  const appended = await appendMessages(state, named, { lastSeq });
  return appended && (appended.messages.at(-1)?.seq ?? atSeq);
}

/** Above this, a page of entries costs more than the ids and hashes of all. */
const MAX_LATER = 200;

/** Reads ids and hashes of the messages after a seq. */
async function readKeys(state: SessionState, afterSeq: number): Promise<readonly MessageKey[]> {
  const { store } = state.context;
  if (afterSeq > 0) {
    const later = await state.readEntries("message", { afterSeq, limit: MAX_LATER });
    if (later.length < MAX_LATER) return later;
  }
  const stored = (await store.describeSession(state.id))?.messageCount ?? 0;
  if (stored > MAX_COMPARED) throw createTooLongError(stored);
  return (await store.readMessageKeys(state.id)).filter(({ seq }) => seq > afterSeq);
}

interface NamedFork {
  readonly atSeq: number;
  readonly first: Message | undefined;
  readonly forkId: NonNullable<SyncOptions["forkId"]>;
  readonly preview: boolean;
}

/** Finds the fork that continues the list by its id, or creates it. A fork without a message continues any list. */
async function forkAs(state: SessionState, { atSeq, first, forkId, preview }: NamedFork): Promise<SyncOutcome> {
  const { store } = state.context;
  const idFor = (message: Message | undefined) => forkId({ parentId: state.id, atSeq, message });
  const ids = first === undefined ? [idFor(undefined)] : [idFor(first), idFor(undefined)];
  for (const sessionId of ids) {
    if ((await store.describeSession(sessionId)) === undefined) continue;
    return { type: "forked", sessionId, atSeq, appended: 0, throughSeq: atSeq };
  }
  if (first === undefined || preview) return { type: "behind", sessionId: state.id, appended: 0, throughSeq: atSeq };
  return { type: "forked", sessionId: await forkSession(state, atSeq, ids[0]), atSeq, appended: 0, throughSeq: atSeq };
}

/** Limit for comparing ids and hashes in memory. */
const MAX_COMPARED = 500_000;

function createTooLongError(stored: number): PalimpsestError {
  const text = `A list is compared with at most ${MAX_COMPARED} stored messages, and this session has ${stored}.`;
  return new PalimpsestError("limit-exceeded", `${text} Append only the new messages.`);
}

/** Throws before a list with duplicate ids becomes a fork that cannot be appended to. */
function assertOwnIds(ids: readonly string[]): void {
  const seen = new Set<string>();
  for (const id of ids) {
    if (seen.has(id)) {
      throw new PalimpsestError("message-conflict", `Two messages have the id "${id}". Give each its own id.`);
    }
    seen.add(id);
  }
}

interface Comparison extends SyncOptions {
  readonly messages: readonly Message[];
  readonly keys: readonly MessageKey[];
}

/** Counts the messages that log and list share at the start. A partial reply in the list matches the stored reply. */
async function findShared(
  state: SessionState,
  { messages, keys, edited, isOwn }: Comparison,
): Promise<{ readonly keys: number; readonly messages: number }> {
  const place = { keys: 0, messages: 0 };
  const findStored = createMessageReader(state);
  let reply: string | undefined;
  while (place.keys < keys.length) {
    await yieldToEventLoop();
    const key = keys[place.keys];
    const message = messages[place.messages];
    if (key === undefined) break;
    const atSeq = keys[place.keys - 1]?.seq ?? 0;
    const isLast = place.messages === messages.length - 1;
    if (message !== undefined && (await isKnown(state, { message, key, findStored, edited, atSeq, isLast }))) {
      place.messages += 1;
    } else if (!continuesReply(key, { reply, message })) {
      const rest = messages.slice(place.messages);
      const isEdit = edited !== undefined;
      const next = await findContinuation(state, { keys, from: place.keys, reply, rest, isEdit, isOwn });
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
  readonly findStored: FindStored;
  readonly atSeq: number;
  readonly isLast: boolean;
}

async function isKnown(state: SessionState, pair: Pair): Promise<boolean> {
  const { message, key, findStored, edited, atSeq, isLast } = pair;
  if (!isSame(message, key)) return isSameReply(message, key, findStored);
  if (key.hash !== "") return true;
  // The text of an erased message is unknown: an equal id counts as the same message, unless the client edits it.
  if (message.id === edited) return false;
  return !isLast || message.role !== "user" || !(await hasFork(state, { atSeq, message }, isSame));
}

function isSame(message: Message, key: Pick<MessageKey, "id" | "hash">): boolean {
  const isSameId = message.id === key.id || message.id.startsWith(UNNAMED);
  return isSameId && (key.hash === "" || hashMessage(message) === key.hash);
}

/** Whether the message is the stored reply or its beginning, in the client's own format. */
async function isSameReply(message: Message, key: MessageKey, findStored: FindStored): Promise<boolean> {
  const isUnnamed = message.id.startsWith(UNNAMED);
  if (message.role === "user" || message.role === "system" || (message.id !== key.id && !isUnnamed)) return false;
  const original = await findStored(key);
  const comparison = original === undefined ? "different" : compareMessages(message, original);
  return comparison === "same" || (comparison === "beginning" && !isUnnamed);
}

type FindStored = (key: MessageKey) => Promise<Message | undefined>;

/** Returns a function that reads stored messages in pages: a client that reformats one message often reformats all. */
function createMessageReader(state: SessionState): FindStored {
  let page = new Map<number, Message>();
  return async ({ seq }) => {
    if (!page.has(seq)) {
      const entries = await state.readEntries("message", { afterSeq: seq - 1, limit: PAGE });
      page = new Map(entries.map((entry) => [entry.seq, entry.message]));
    }
    return page.get(seq);
  };
}

const PAGE = 50;

/** Whether the stored message continues a reply of which the client has no further piece. */
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

export interface MessageKey {
  readonly seq: number;
  readonly id: string;
  readonly hash: string;
}

export interface ListDifference {
  readonly keys: readonly MessageKey[];
  readonly from: number;
  /** The id of the reply, if the previous message is a piece of one. */
  readonly reply: string | undefined;
  readonly rest: readonly Message[];
  /** With an edit, new messages create a branch instead of following messages that the client has not seen. */
  readonly isEdit: boolean;
  readonly isOwn?: IsOwn | undefined;
}

/** Whether a message was generated for the client that sends the list. */
export type IsOwn = (entry: MessageEntry) => boolean;

const NEWEST_REQUESTS = 200;
/** Number of other clients' entries that are skipped between two turns; after more of them the session forks. */
const MAX_ENTRIES_BETWEEN = 1_000;

/** Returns the index in the log after other clients' messages, where the list continues; undefined for a branch. */
export async function findContinuation(state: SessionState, difference: ListDifference): Promise<number | undefined> {
  return (await findWithinReply(state, difference)) ?? (await findAfterReply(state, difference));
}

export function findWholeId(id: string): string | undefined {
  const base = readBaseId(id);
  return base === id ? undefined : base;
}

async function findWithinReply(
  state: SessionState,
  { keys, from, reply, rest }: ListDifference,
): Promise<number | undefined> {
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

async function findAfterReply(state: SessionState, difference: ListDifference): Promise<number | undefined> {
  const { keys, from, isOwn } = difference;
  const last = keys[from - 1];
  const next = findNext(difference);
  if (isOwn === undefined || last === undefined || next === undefined) return undefined;
  const { store } = state.context;
  const reply = await store.findMessage(state.id, last.id);
  if (reply === undefined || !isOwn(reply)) return undefined;
  const end = keys[next];
  const throughSeq = end && end.seq - 1;
  const types = ["message", "request", "note"] as const;
  const between = await store.readEntries(state.id, {
    afterSeq: last.seq,
    throughSeq,
    types,
    limit: MAX_ENTRIES_BETWEEN,
  });
  if (between.length === MAX_ENTRIES_BETWEEN) return undefined;
  const messages = between.filter((entry) => entry.type === "message");
  // A failed turn of this client leaves a prompt without an answer, or a note about its end.
  const isAnswered = ({ promptId }: RequestEntry) => messages.some((message) => message.promptId === promptId);
  const isElsewhere = between.every((entry) => {
    if (entry.type === "message") return !isOwn(entry);
    return entry.type === "request" ? isAnswered(entry) : entry.type !== "note" || entry.kind !== "generation-end";
  });
  return isElsewhere ? next : undefined;
}

/** Returns the index of the client's next message in the log, or the log's length if all of its messages are new. */
function findNext({ keys, from, rest, isEdit }: ListDifference): number | undefined {
  const [message] = rest;
  if (message === undefined) return undefined;
  const found = keys.findIndex(({ id }, index) => index > from && id === message.id);
  if (found > 0) return found;
  const known = new Set(keys.map(({ id }) => id));
  const isNew = rest.every(({ id, role }) => role === "user" && !known.has(id));
  return isNew && !isEdit ? keys.length : undefined;
}
