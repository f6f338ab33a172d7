/** Forks a session without copying its log. If the live summary covers later messages, an older one is used. */
import { describeValue } from "../../core/check-value.ts";
import { PalimpsestError } from "../../core/errors.ts";
import type { Entry, MessageEntry, SessionId } from "../../core/log/entry.ts";
import { addCounts } from "../../core/log/fold-entry.ts";
import { EMPTY_HEAD, type Head } from "../../core/log/head.ts";
import type { Message } from "../../core/message/message.ts";
import { readItemKind, readItemSeq } from "../../core/sections/tier.ts";
import type { SummaryRecord } from "../../core/summary/record/record.ts";
import type { SessionState } from "../state/session-state.ts";

export async function forkSession(
  state: SessionState,
  atSeq: number | undefined,
  forkId?: SessionId | undefined,
): Promise<SessionId> {
  const { store, ids, clock } = state.context;
  const { head } = await state.current();
  const place = requirePlace(atSeq ?? head.foldedThroughSeq, head.foldedThroughSeq);
  const summary = await findInherited(state, head.summary, place);
  const later = await weighLater(state, head, place);
  const clearedThroughSeq = await findCleared(state, head, place);
  const id = forkId ?? ids.session();
  const fork = { parentId: state.id, atSeq: place, inheritedSummaryId: summary?.id };
  await store.createSession(
    { id, createdAt: clock.now(), fork },
    inheritHead(head, { atSeq: place, summary, later, clearedThroughSeq }),
  );
  return id;
}

/** Finds the clear that applies at a place: the live one, or the newest before the place. */
async function findCleared(state: SessionState, head: Head, place: number): Promise<number> {
  if (head.clearedThroughSeq < place) return head.clearedThroughSeq;
  const clears = await state.readEntries("clear", { throughSeq: place });
  const earlier = clears.filter(({ scope, throughSeq }) => scope === "for-good" && throughSeq < place);
  return Math.max(0, ...earlier.map(({ throughSeq }) => throughSeq));
}

function requirePlace(atSeq: number, lastSeq: number): number {
  if (Number.isInteger(atSeq) && atSeq >= 0 && atSeq <= lastSeq) return atSeq;
  const found = describeValue(atSeq);
  throw new PalimpsestError("message-invalid", `atSeq: expected a whole number from 0 to ${lastSeq}, found ${found}.`);
}

async function findInherited(
  state: SessionState,
  newest: SummaryRecord | undefined,
  atSeq: number,
): Promise<SummaryRecord | undefined> {
  let record = newest;
  while (record !== undefined && record.coverage.lastSeq > atSeq) {
    const parent: Entry | undefined = await state.context.store.findEntry(state.id, record.parentId ?? "");
    record = parent?.type === "summary" ? parent.record : undefined;
  }
  return record;
}

interface LaterMessages {
  readonly messages: number;
  readonly totals: Head["totals"];
}

/** Counts messages after a place and their tokens: in the store if only one counter was used, else by reading them. */
async function weighLater(state: SessionState, head: Head, place: number): Promise<LaterMessages> {
  const lastSeq = head.foldedThroughSeq;
  if (lastSeq <= place) return { messages: 0, totals: {} };
  const [counterId, ...others] = Object.keys(head.totals);
  if (others.length === 0) {
    const [weight] = await state.context.store.weighMessages(state.id, [{ firstSeq: place + 1, lastSeq }]);
    const { messages = 0, tokens = 0 } = weight ?? {};
    return { messages, totals: counterId === undefined ? {} : { [counterId]: tokens } };
  }
  let totals: Head["totals"] = {};
  let messages = 0;
  for await (const { tokens } of state.readMessages({ afterSeq: place, throughSeq: lastSeq })) {
    totals = addCounts(totals, tokens);
    messages += 1;
  }
  return { messages, totals };
}

interface Inheritance extends Pick<Head, "summary" | "clearedThroughSeq"> {
  readonly atSeq: number;
  readonly later: LaterMessages;
}

export function inheritHead(head: Head, { atSeq, summary, later, clearedThroughSeq }: Inheritance): Head {
  const truncation =
    head.truncation !== undefined && head.truncation.coverage.lastSeq <= atSeq ? head.truncation : undefined;
  const preamble = head.preamble.filter((seq) => seq <= atSeq);
  const messageCount = head.messageCount - later.messages;
  return {
    ...EMPTY_HEAD,
    foldedThroughSeq: atSeq,
    summary,
    truncation,
    clearedThroughSeq,
    preamble,
    preambleClearedThroughSeq: Math.min(head.preambleClearedThroughSeq, clearedThroughSeq),
    preambleOpen: preamble.length === messageCount,
    keptRequests:
      truncation === undefined && summary === undefined ? [] : head.keptRequests.filter((seq) => seq <= atSeq),
    pins: head.pins.filter(({ target }) => target.type === "note" || target.seqs.every((seq) => seq <= atSeq)),
    prunes: head.prunes.filter((prune) => prune.seq <= atSeq),
    ...(head.dismissed === undefined
      ? {}
      : { dismissed: head.dismissed.filter(({ messageSeq }) => messageSeq <= atSeq) }),
    messageCount,
    totals: subtractCounts(head.totals, later.totals),
    calibration: head.calibration,
    // The provider's cache of the parent's prompts also contains the start of the fork's.
    tiers: head.tiers?.filter(({ key }) => readItemKind(key) !== "history" || readItemSeq(key) <= atSeq),
  };
}

/** Leaves out counters that counted nothing before the fork. */
function subtractCounts(totals: Head["totals"], later: Head["totals"]): Head["totals"] {
  const left = Object.entries(totals).map(
    ([counterId, count]) => [counterId, count - (later[counterId] ?? 0)] as const,
  );
  return Object.fromEntries(left.filter(([, count]) => count > 0));
}

type IsSame = (message: Message, entry: Pick<MessageEntry, "id" | "hash">) => boolean;

const MAX_FORKS = 100;

export interface FoundFork {
  readonly id: SessionId;
  /** Number of its own messages. */
  readonly known: number;
  /** The last seq of its log when they were read. */
  readonly lastSeq: number;
}

/** Finds a fork at a place whose messages are a prefix of these. */
export async function findSameFork(
  state: SessionState,
  { atSeq, messages }: { readonly atSeq: number; readonly messages: readonly Message[] },
  isSame: IsSame,
): Promise<FoundFork | undefined> {
  for (const id of await listForksAt(state, atSeq)) {
    const lastSeq = (await state.context.store.findSession(id))?.lastSeq ?? atSeq;
    const own = await readOwn(state, { id, atSeq, limit: messages.length + 1 });
    if (own.length > messages.length) continue;
    if (own.length === 0 && !(messages.length === 0 && (await hasFailed(state, { id, atSeq })))) continue;
    if (own.every((entry, index) => isSameAt(messages[index], entry, isSame)))
      return { id, known: own.length, lastSeq };
  }
  return undefined;
}

export async function hasFork(
  state: SessionState,
  { atSeq, message }: { readonly atSeq: number; readonly message: Message },
  isSame: IsSame,
): Promise<boolean> {
  for (const id of await listForksAt(state, atSeq)) {
    const [first] = await readOwn(state, { id, atSeq, limit: 1 });
    if (first !== undefined && isSameAt(message, first, isSame)) return true;
  }
  return false;
}

async function listForksAt({ id, context }: SessionState, atSeq: number): Promise<readonly SessionId[]> {
  const forks = (await context.store.listForks(id)).slice(-MAX_FORKS).toReversed();
  const found: SessionId[] = [];
  for (const fork of forks) {
    const place = (await context.store.describeSession(fork))?.fork?.atSeq;
    if (place === atSeq) found.push(fork);
  }
  return found;
}

interface OwnEntries {
  readonly id: SessionId;
  readonly atSeq: number;
}

async function readOwn(
  { context }: SessionState,
  { id, atSeq, limit }: OwnEntries & { readonly limit: number },
): Promise<readonly MessageEntry[]> {
  const entries = await context.store.readEntries(id, { afterSeq: atSeq, types: ["message"], limit });
  return entries.filter((entry) => entry.type === "message");
}

/** Number of newest notes to search for the end of a generation: a few notes of prompts may follow it. */
const NOTES_LOOKED_AT = 8;

/** Whether a note says that a reply regenerated in the fork failed. A fork made on purpose has no such note. */
async function hasFailed({ context }: SessionState, { id, atSeq }: OwnEntries): Promise<boolean> {
  const range = { afterSeq: atSeq, types: ["note"], newestFirst: true, limit: NOTES_LOOKED_AT } as const;
  const notes = await context.store.readEntries(id, range);
  const newest = notes.find((entry) => entry.type === "note" && entry.kind !== "prompt");
  return newest?.type === "note" && newest.kind === "generation-end";
}

/** An erased message never counts as the same. */
function isSameAt(message: Message | undefined, entry: MessageEntry, isSame: IsSame): boolean {
  return message !== undefined && entry.hash !== "" && isSame(message, entry);
}
