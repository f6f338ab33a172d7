/** Deletes a message and every summary that covers it, forks first, so that a call that failed can be repeated. */
import { PalimpsestError } from "../../core/errors.ts";
import type { Entry, EntryId, MessageEntry, SessionId } from "../../core/log/entry.ts";
import { changePast } from "../state/change-past.ts";
import type { SessionState } from "../state/session-state.ts";

export interface Deletion {
  readonly messageId: string;
  /** Sessions whose view changed: this one, the one that holds the message, and forks of either. */
  readonly sessionIds: readonly SessionId[];
  readonly summaryIds: readonly EntryId[];
}

export async function deleteMessage(
  state: SessionState,
  messageId: string,
  open: (id: SessionId) => Promise<SessionState>,
): Promise<Deletion> {
  const entry = await state.context.store.findMessage(state.id, messageId);
  if (entry === undefined || entry.erased === true) {
    throw new PalimpsestError("message-not-found", `There is no message ${JSON.stringify(messageId)} in this session.`);
  }
  const ownerId = await findOwner(state, entry.seq);
  const readers = await findReadingSessions(state, ownerId, entry.seq);
  const summaryIds: EntryId[] = [];
  for (const id of readers.toReversed()) {
    const reader = id === state.id ? state : await open(id);
    summaryIds.push(...(await deleteIn(reader, { entry, erasesText: id === ownerId })));
  }
  return { messageId, sessionIds: readers, summaryIds };
}

interface DeleteOptions {
  readonly entry: MessageEntry;
  readonly erasesText: boolean;
}

async function deleteIn(state: SessionState, { entry, erasesText }: DeleteOptions): Promise<readonly EntryId[]> {
  const { store } = state.context;
  // An inherited text is erased in its own session, so that after a failure each log matches its head.
  const afterSeq = (await store.findSession(state.id))?.header.fork?.atSeq;
  const candidates = await store.readEntries(state.id, { types: ["summary", "undo", "pin"], afterSeq });
  const quoting = candidates.filter((candidate) => quotes(candidate, entry));
  const erase = [...quoting.map(({ id }) => id), ...(erasesText ? [entry.id] : [])];
  await changePast(state, ({ head }) => {
    const covers = head.summary !== undefined && head.summary.coverage.lastSeq >= entry.seq;
    const change = { type: "delete", messageIds: [entry.id], seqs: [entry.seq], dropsSummary: covers } as const;
    return { changes: [change], erase };
  });
  return quoting.flatMap((candidate) => (candidate.type === "summary" ? [candidate.id] : []));
}

/** Whether an entry may quote a message: a summary that covers it, or the note of its released pin. */
function quotes(candidate: Entry, { id, seq }: MessageEntry): boolean {
  if (candidate.type === "pin") return candidate.target.type === "note" && candidate.target.messageId === id;
  const record =
    candidate.type === "summary" ? candidate.record : candidate.type === "undo" ? candidate.summary : undefined;
  return record !== undefined && record.coverage.firstSeq <= seq && record.coverage.lastSeq >= seq;
}

/** Returns the session whose own log holds a seq. */
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
