/**
 * A fork goes on from a place in another session's log without copying it. It inherits what the view owed to entries
 * up to that place; a summary that reaches further falls back along its chain.
 */
import { describeValue } from "../../core/check-value.ts";
import { PalimpsestError } from "../../core/errors.ts";
import type { MessageEntry, SessionId, TokenCounts } from "../../core/log/entry.ts";
import { EMPTY_HEAD, type Head } from "../../core/log/head.ts";
import type { Message } from "../../core/message/message.ts";
import { readItemKind, readItemSeq } from "../../core/sections/tier.ts";
import type { SummaryRecord } from "../../core/summary/record/record.ts";
import { yieldToEventLoop } from "../context/run-in-steps.ts";
import type { SessionState } from "../state/session-state.ts";

const PAGE = 500;

export async function forkSession(state: SessionState, atSeq: number | undefined): Promise<SessionId> {
  const { store, ids, clock } = state.context;
  const { head } = await state.current();
  const place = requirePlace(atSeq ?? head.foldedThroughSeq, head.foldedThroughSeq);
  const summary = await findInherited(state, head.summary, place);
  const later = await weighLater(state, head, place);
  const clearedThroughSeq = await findCleared(state, head, place);
  const id = ids.session();
  const fork = { parentId: state.id, atSeq: place, inheritedSummaryId: summary?.id };
  await store.createSession(
    { id, createdAt: clock.now(), fork },
    inheritHead(head, { atSeq: place, summary, later, clearedThroughSeq }),
  );
  return id;
}

/** The clear that holds at a place: the live one, or for a place before it the newest that came earlier. */
async function findCleared(state: SessionState, head: Head, place: number): Promise<number> {
  if (head.clearedThroughSeq < place) return head.clearedThroughSeq;
  const clears = await state.context.store.readEntries(state.id, { throughSeq: place, types: ["clear"] });
  const earlier = clears.flatMap((entry) =>
    entry.type === "clear" && entry.scope === "for-good" && entry.throughSeq < place ? [entry.throughSeq] : [],
  );
  return Math.max(0, ...earlier);
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
    const parent: unknown = record.parentId && (await state.context.store.findEntry(state.id, record.parentId));
    record = isSummary(parent) ? parent.record : undefined;
  }
  return record;
}

interface Later {
  readonly messages: number;
  /** By counter, as they were counted when they came. */
  readonly totals: Head["totals"];
}

/** Where one counter has counted all, the store knows their sum; otherwise they are read. */
async function weighLater({ id, context: { store } }: SessionState, head: Head, place: number): Promise<Later> {
  const lastSeq = head.foldedThroughSeq;
  if (lastSeq <= place) return { messages: 0, totals: {} };
  const [counterId, ...others] = Object.keys(head.totals);
  if (others.length === 0) {
    const [weight] = await store.weighMessages(id, [{ firstSeq: place + 1, lastSeq }]);
    const { messages = 0, tokens = 0 } = weight ?? {};
    return { messages, totals: counterId === undefined ? {} : { [counterId]: tokens } };
  }
  const totals: Record<string, number> = {};
  let messages = 0;
  for (let afterSeq = place; ; ) {
    const page = await store.readEntries(id, { afterSeq, throughSeq: lastSeq, types: ["message"], limit: PAGE });
    for (const entry of page) if (entry.type === "message") addCounts(totals, entry.tokens);
    messages += page.length;
    if (page.length < PAGE) return { messages, totals };
    afterSeq = page.at(-1)?.seq ?? afterSeq;
    await yieldToEventLoop();
  }
}

function addCounts(totals: Record<string, number>, tokens: TokenCounts): void {
  for (const [counterId, count] of Object.entries(tokens)) totals[counterId] = (totals[counterId] ?? 0) + count;
}

interface Inheritance {
  readonly atSeq: number;
  readonly summary: SummaryRecord | undefined;
  /** The parent's messages that the fork does not have. */
  readonly later: Later;
  /** What was cleared for good when the place was written. */
  readonly clearedThroughSeq: number;
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
    messageCount,
    totals: subtractCounts(head.totals, later.totals),
    calibration: head.calibration,
    // A provider that has read the origin's prompts has read the beginning of the fork's.
    tiers: head.tiers?.filter(({ key }) => readItemKind(key) !== "history" || readItemSeq(key) <= atSeq),
  };
}

function subtractCounts(totals: Head["totals"], later: Head["totals"]): Head["totals"] {
  const left = Object.entries(later).map(([counterId, count]) => [counterId, (totals[counterId] ?? 0) - count]);
  return { ...totals, ...Object.fromEntries(left) };
}

function isSummary(entry: unknown): entry is { readonly type: "summary"; readonly record: SummaryRecord } {
  return typeof entry === "object" && entry !== null && "type" in entry && entry.type === "summary";
}

type IsSame = (message: Message, entry: Pick<MessageEntry, "id" | "hash">) => boolean;

interface Way {
  readonly atSeq: number;
  readonly messages: readonly Message[];
  readonly isSame: IsSame;
}

/** The newest forks of a session that are looked at. */
const MOST_FORKS = 100;

/** The fork at a place that has the beginning of these messages and nothing else, and how many of them it has. */
export async function findSameFork(
  state: SessionState,
  { atSeq, messages, isSame }: Way,
): Promise<{ readonly id: SessionId; readonly known: number } | undefined> {
  for (const id of await listForksAt(state, atSeq)) {
    const own = await readOwn(state, { id, atSeq, limit: messages.length + 1 });
    if (own.length > messages.length) continue;
    if (own.length === 0 && !(messages.length === 0 && (await hasFailed(state, { id, atSeq })))) continue;
    if (own.every((entry, index) => isSameAt(messages[index], entry, isSame))) return { id, known: own.length };
  }
  return undefined;
}

/** Whether some fork at a place begins with this message. */
export async function hasFork(
  state: SessionState,
  { atSeq, message, isSame }: { readonly atSeq: number; readonly message: Message; readonly isSame: IsSame },
): Promise<boolean> {
  for (const id of await listForksAt(state, atSeq)) {
    const [first] = await readOwn(state, { id, atSeq, limit: 1 });
    if (first !== undefined && isSameAt(message, first, isSame)) return true;
  }
  return false;
}

async function listForksAt({ id, context }: SessionState, atSeq: number): Promise<readonly SessionId[]> {
  const forks = (await context.store.listForks(id)).slice(-MOST_FORKS).toReversed();
  const found: SessionId[] = [];
  for (const fork of forks) {
    const place = (await context.store.describeSession(fork))?.fork?.atSeq;
    if (place === atSeq) found.push(fork);
  }
  return found;
}

interface Own {
  readonly id: SessionId;
  readonly atSeq: number;
}

async function readOwn(
  { context }: SessionState,
  { id, atSeq, limit }: Own & { readonly limit: number },
): Promise<readonly MessageEntry[]> {
  const entries = await context.store.readEntries(id, { afterSeq: atSeq, types: ["message"], limit });
  return entries.filter((entry) => entry.type === "message");
}

/** Notes that a prompt was given with stand among those that say how a generation ended. */
const NOTES_LOOKED_AT = 8;

/** A fork in which a reply was to be made anew, and none came; one that somebody made for later has no such note. */
async function hasFailed({ context }: SessionState, { id, atSeq }: Own): Promise<boolean> {
  const notes = await context.store.readEntries(id, {
    afterSeq: atSeq,
    types: ["note"],
    newestFirst: true,
    limit: NOTES_LOOKED_AT,
  });
  const newest = notes.find((entry) => entry.type === "note" && entry.kind !== "prompt");
  return newest?.type === "note" && newest.kind === "generation-end";
}

/** What was erased there is no proof of the same words. */
function isSameAt(message: Message | undefined, entry: MessageEntry, isSame: IsSame): boolean {
  return message !== undefined && entry.hash !== "" && isSame(message, entry);
}
