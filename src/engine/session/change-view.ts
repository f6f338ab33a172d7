import type { ClearEntry, Entry, EntryId, MessageEntry, SessionId } from "../../core/log/entry.ts";
import type { Head, UndoStep } from "../../core/log/head.ts";
import { groupRoundsBy } from "../../core/message/group-messages.ts";
import type { Message } from "../../core/message/message.ts";
import type { Change } from "../../core/plan/proposal.ts";
import type { SummaryRecord } from "../../core/summary/record/record.ts";
import { returnIfGone } from "../context/errors.ts";
import { findLimits } from "../context/prompt-request.ts";
import { eraseQuotations, type OpenSession } from "../recall/erase-quotations.ts";
import { type AppendResult, draftMessages, readInput } from "../state/append-messages.ts";
import type { Conversation } from "../state/conversation.ts";
import type { SessionState } from "../state/session-state.ts";

/** After an undo, soft triggers wait for this many messages, so that nothing is folded again at once. */
export const HOLD_MESSAGES = 10;

/** The result of undoing a change. */
export type UndoOutcome =
  | {
      readonly type: "undone";
      /** Pass it to `undo` to redo. */
      readonly entryId: EntryId;
      readonly undid: { readonly id: EntryId; readonly kinds: readonly string[] };
      /** True if an undo was undone, so that the change holds again. */
      readonly isRedo: boolean;
    }
  | { readonly type: "nothing-to-undo" }
  /** A newer change depends on this one and has to be undone first. */
  | { readonly type: "not-newest"; readonly newestId: EntryId | undefined }
  /** The change erased text, a deletion followed it, or it does not exist. */
  | { readonly type: "not-undoable" };

export async function undoEntry(state: SessionState, entryId?: EntryId): Promise<UndoOutcome> {
  let undid: readonly UndoStep[] = [];
  let isRedo = false;
  const outcome = await state.changePast<UndoOutcome>(async ({ head }) => {
    undid = findBatch(head, entryId);
    isRedo = head.redoable.some((step) => step.entryId === undid[0]?.entryId);
    if (undid.some(({ isFinal }) => isFinal === true)) return { changes: [], refusal: { type: "not-undoable" } };
    if (undid.length === 0) return { changes: [], refusal: explainRefusal(head, entryId) };
    const holdThroughCount = head.messageCount + HOLD_MESSAGES;
    const changes: Change[] = [];
    for (const step of undid) {
      changes.push({
        type: "undo",
        undoes: step.entryId,
        summary: await readSummaryBefore(state, step),
        holdThroughCount,
      });
    }
    return { changes };
  });
  if (outcome.refusal !== undefined) return outcome.refusal;
  const kinds = undid.map(({ type }) => type).toReversed();
  return { type: "undone", entryId: outcome.entryIds[0] ?? "", undid: { id: undid[0]?.batch ?? "", kinds }, isRedo };
}

/** Returns the steps of the newest batch on either stack, newest first; none if the id is not among them. */
function findBatch(head: Head, entryId: EntryId | undefined): readonly UndoStep[] {
  const stacks = entryId === undefined ? [head.undoable] : [head.undoable, head.redoable];
  const batches = stacks.map((stack) => newestBatch(stack));
  return batches.find((batch) => batch.some((step) => isNamed(step, entryId))) ?? [];
}

function newestBatch(stack: readonly UndoStep[]): readonly UndoStep[] {
  const newest = stack.at(-1);
  const first = stack.findLastIndex((step) => step.batch !== newest?.batch) + 1;
  return stack.slice(first).toReversed();
}

function isNamed(step: UndoStep, entryId: EntryId | undefined): boolean {
  return entryId === undefined || step.entryId === entryId || step.batch === entryId;
}

function explainRefusal(head: Head, entryId: EntryId | undefined): UndoOutcome {
  if (entryId === undefined) return { type: "nothing-to-undo" };
  const isWaiting = [...head.undoable, ...head.redoable].some((step) => isNamed(step, entryId));
  return isWaiting ? { type: "not-newest", newestId: head.undoable.at(-1)?.batch } : { type: "not-undoable" };
}

async function readSummaryBefore(state: SessionState, { before }: UndoStep): Promise<SummaryRecord | undefined> {
  if (before.summaryId === undefined) return undefined;
  const entry = await state.context.store.findEntry(state.id, before.summaryId);
  return entry?.type === "summary" ? entry.record : undefined;
}

/** Clears the history, by default in the scope of the policy. */
export async function clearHistory(state: SessionState, scope?: ClearEntry["scope"]): Promise<void> {
  const { context } = state;
  const { clear = "for-good" } = context.settingsFor(context.defaults.model);
  const change = { type: "clear", scope: scope ?? clear, keepsPreamble: true } as const;
  const drops = clear === "next-generation" && change.scope === clear ? { dropsSummary: true } : {};
  await state.changePast(({ head }) => ({ changes: [{ ...change, ...drops, throughSeq: head.foldedThroughSeq }] }));
}

async function renewKnownIds(state: SessionState, messages: readonly Message[]): Promise<readonly Message[]> {
  const { store, ids } = state.context;
  const known = await Promise.all(messages.map(({ id }) => store.findMessage(state.id, id)));
  return messages.map((message, index) => (known[index] === undefined ? message : { ...message, id: ids.message() }));
}

export async function replaceHistory(state: SessionState, input: unknown): Promise<AppendResult> {
  const messages = await renewKnownIds(state, await readInput(state, input));
  const opening = messages.findIndex(({ role }) => role !== "system");
  const drafts = (await draftMessages(state, messages, {})).map((draft, index) =>
    opening < 0 || index < opening ? { ...draft, opensConversation: true } : draft,
  );
  await state.changePast(({ head }) => ({
    changes: [{ type: "clear", throughSeq: head.foldedThroughSeq, scope: "for-good", keepsPreamble: false }],
    messages: drafts,
  }));
  const { view } = await state.current();
  const places = new Map(view.messages.map(({ seq, message }) => [message.id, seq]));
  return { messages: drafts.map(({ id }) => ({ id, seq: places.get(id) ?? 0 })) };
}

const NEIGHBORS = 512;

/** What to pin: the id of a message, or a note of your own. */
export type PinInput = string | { readonly note: string };

/** The result of pinning: pins may take only a share of the budget. */
export type PinOutcome =
  | { readonly type: "pinned"; readonly pinId: EntryId }
  | { readonly type: "pins-exceed-budget"; readonly pinnedTokens: number; readonly allowedTokens: number };

export async function pinMessage(state: SessionState, input: PinInput): Promise<PinOutcome> {
  const { pinRatio, reserve } = state.context.settingsFor(state.context.defaults.model);
  const { limitTokens } = await findLimits(state.context, { reserve });
  const allowedTokens = Math.floor(limitTokens * pinRatio);
  const round = typeof input === "string" ? await readRound(state, input) : [];
  const outcome = await state.changePast<PinOutcome>((conversation) => {
    const known = typeof input === "string" ? findPin(conversation, input) : undefined;
    if (known !== undefined) return { changes: [], refusal: { type: "pinned", pinId: known } };
    const added = typeof input === "string" ? countRound(state, round) : state.counts.countText(input.note);
    const pinnedTokens = countPinned(state, conversation) + added;
    if (pinnedTokens > allowedTokens) {
      return { changes: [], refusal: { type: "pins-exceed-budget", pinnedTokens, allowedTokens } };
    }
    const seqs = round.map((entry) => entry.seq);
    const target =
      typeof input === "string"
        ? ({ type: "messages", messageId: input, seqs } as const)
        : ({ type: "note", text: input.note } as const);
    return { changes: [{ type: "pin", target }] };
  });
  if (outcome.refusal !== undefined) return outcome.refusal;
  return { type: "pinned", pinId: outcome.entryIds[0] ?? "" };
}

export async function unpinMessage(state: SessionState, id: string): Promise<boolean> {
  const outcome = await state.changeHead<false>(({ head }) => {
    const pins = head.pins.filter(
      ({ id: pinId, target }) => pinId === id || (target.type === "messages" && target.messageId === id),
    );
    if (pins.length === 0) return { changes: [], refusal: false };
    return { changes: [{ type: "unpin", pinIds: pins.map((pin) => pin.id), reason: "unpinned on request" }] };
  });
  return outcome.refusal === undefined;
}

/** Returns false if the message is already dismissed. */
export async function dismissMessage(state: SessionState, id: string): Promise<boolean> {
  const { id: messageId, seq: messageSeq } = await state.requireMessage(id);
  const outcome = await state.changeHead<false>(({ head }) => {
    const isKnown = head.dismissed?.some((each) => each.messageSeq === messageSeq) === true;
    return isKnown ? { changes: [], refusal: false } : { changes: [{ type: "dismiss", messageId, messageSeq }] };
  });
  return outcome.refusal === undefined;
}

function findPin({ head }: Conversation, messageId: string): EntryId | undefined {
  return head.pins.find(({ target }) => target.type === "messages" && target.messageId === messageId)?.id;
}

function countPinned(state: SessionState, { head, view }: Conversation): number {
  const seqs = new Set(head.pins.flatMap(({ target }) => (target.type === "messages" ? target.seqs : [])));
  const messages = [...view.kept, ...view.messages].filter((item) => seqs.has(item.seq));
  const notes = head.pins.reduce(
    (sum, { target }) => sum + (target.type === "note" ? state.counts.countText(target.text) : 0),
    0,
  );
  return messages.reduce((sum, item) => sum + state.counts.count(item.message), notes);
}

/** Reads the whole round of a message, because a call is never pinned without its results. */
async function readRound(state: SessionState, messageId: string): Promise<readonly MessageEntry[]> {
  const entry = await state.requireMessage(messageId);
  const range = { afterSeq: entry.seq - NEIGHBORS, throughSeq: entry.seq + NEIGHBORS };
  const around = await state.readEntries("message", range);
  const rounds = groupRoundsBy(around, ({ message }) => message);
  const round = rounds.find(({ items }) => items.some((item) => item.seq === entry.seq));
  return round?.items.filter((item) => item.erased !== true) ?? [entry];
}

function countRound(state: SessionState, entries: readonly MessageEntry[]): number {
  return entries.reduce((sum, { message }) => sum + state.counts.count(message), 0);
}

/** What deleting a message changed: sessions, and the summaries that were written again or dropped. */
export interface Deletion {
  readonly messageId: string;
  /** Sessions whose view changed: this one, the owner of the message, forks of either, and sessions that quoted it. */
  readonly sessionIds: readonly SessionId[];
  readonly summaryIds: readonly EntryId[];
}

export async function deleteMessage(state: SessionState, messageId: string, open: OpenSession): Promise<Deletion> {
  const entry = await state.requireMessage(messageId);
  const ownerId = await findOwner(state, entry.seq);
  const readers = await findReadingSessions(state, ownerId, entry.seq);
  const summaryIds: EntryId[] = [];
  const gone = new Set<SessionId>();
  for (const id of readers.toReversed()) {
    const reader = id === state.id ? state : await open(id);
    const deleted = deleteIn(reader, entry, id === ownerId);
    // A fork that was deleted in the meantime reads nothing; the others and the text itself still have to be erased.
    const erased = await (id === state.id ? deleted : deleted.catch(returnIfGone(undefined)));
    if (erased === undefined) gone.add(id);
    summaryIds.push(...(erased ?? []));
  }
  const quoting = await eraseQuotations(state.context.store, open, { sources: readers, seq: entry.seq });
  const sessionIds = [...new Set([...readers.filter((id) => !gone.has(id)), ...quoting])];
  return { messageId: entry.id, sessionIds, summaryIds };
}

async function deleteIn(state: SessionState, entry: MessageEntry, erasesText: boolean): Promise<readonly EntryId[]> {
  const { store } = state.context;
  // Reads only the session's own entries: inherited ones are erased in the session that wrote them, so that after a
  // failure each log matches its head.
  const afterSeq = (await store.findSession(state.id))?.header.fork?.atSeq;
  const candidates = await store.readEntries(state.id, { types: ["summary", "undo", "pin", "recall"], afterSeq });
  const quoting = candidates.filter((candidate) => quotes(candidate, entry));
  const erase = [...quoting.map(({ id }) => id), ...(erasesText ? [entry.id] : [])];
  await state.changeHead(({ head }) => {
    const covers = head.summary !== undefined && head.summary.coverage.lastSeq >= entry.seq;
    const change = { type: "delete", messageIds: [entry.id], seqs: [entry.seq], dropsSummary: covers } as const;
    return { changes: [change], erase };
  });
  return quoting.flatMap((candidate) => (candidate.type === "summary" ? [candidate.id] : []));
}

/**
 * Whether an entry may quote a message: a summary that covers it, the note that replaced its pin, or a recall that
 * quotes it or was made for it.
 */
function quotes(candidate: Entry, { id, seq }: MessageEntry): boolean {
  if (candidate.type === "recall") {
    return (
      candidate.afterSeq === seq ||
      candidate.passages.some(({ seq: quoted, sessionId }) => quoted === seq && sessionId === undefined)
    );
  }
  if (candidate.type === "pin") return candidate.target.type === "note" && candidate.target.messageId === id;
  const record =
    candidate.type === "summary" ? candidate.record : candidate.type === "undo" ? candidate.summary : undefined;
  return record !== undefined && record.coverage.firstSeq <= seq && record.coverage.lastSeq >= seq;
}

async function findOwner(state: SessionState, seq: number): Promise<SessionId> {
  let id = state.id;
  for (;;) {
    const fork = (await state.context.store.findSession(id))?.header.fork;
    if (fork === undefined || seq > fork.atSeq) return id;
    id = fork.parentId;
  }
}

/** Returns the owner and every fork that reads the seq, parents before forks. */
async function findReadingSessions(
  state: SessionState,
  ownerId: SessionId,
  seq: number,
): Promise<readonly SessionId[]> {
  const { store } = state.context;
  const readers: SessionId[] = [ownerId];
  for (const id of readers) {
    for (const forkId of await store.listForks(id)) {
      const atSeq = (await store.findSession(forkId))?.header.fork?.atSeq ?? 0;
      if (atSeq >= seq) readers.push(forkId);
    }
  }
  return readers;
}
