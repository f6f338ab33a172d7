/** Writes entries in one guarded batch of statements. If the answer is lost, the log is checked for the entries. */
import { randomUUID } from "node:crypto";
import { invariant, PalimpsestError } from "../../core/errors.ts";
import { type Entry, type EntryDraft, type EntryId, isEpochDraft } from "../../core/log/entry.ts";
import { type ErasureKind, eraseEntry, mapErasures } from "../../core/log/erase-entry.ts";
import { messageText } from "../../core/message/message-text.ts";
import { takeHead } from "../../core/message/whole-text.ts";
import { runInSteps } from "../../ports/run-in-steps.ts";
import type { AppendBatch, AppendOutcome } from "../../ports/store.ts";
import { checksumEntry } from "./checksums.ts";
import { isOutcomeUnknown, readNumberColumn, type Statement, waitForEventLoop } from "./driver.ts";
import { findEntries, type OwnedEntry } from "./read-entries.ts";
import { type SqlContext, withIndexRecovery } from "./sql-context.ts";
import type { ErasedEntry, NewEntry, SeqClaim, SessionPlace } from "./sql-statements.ts";
import { attachEntries, DetachedDrafts, listHashes } from "./stored-blobs.ts";
import { type DetachedEntry, findSearchable, toStoredEntry } from "./stored-entry.ts";
import { fromSessionRow, type SessionRow, toStoredHead } from "./stored-session.ts";
import { toStoredText } from "./stored-text.ts";

export const PREVIEW_CHARACTERS = 100;

/** Each refusal is answered or changes the next attempt; this many in a row mean that the guard is wrong. */
const MAX_ATTEMPTS = 50;

interface AppendContext {
  readonly place: SessionPlace;
  readonly sql: SqlContext;
}

type KnownEntries = ReadonlyMap<EntryId, OwnedEntry>;

/** Returns undefined if the session does not exist. */
export async function appendBatch(batch: AppendBatch, context: AppendContext): Promise<AppendOutcome | undefined> {
  const erasures = mapErasures(batch);
  const drafts = await DetachedDrafts.detach(batch.entries);
  const appended = async (entries: readonly DetachedEntry[], lastSeq: number): Promise<AppendOutcome> => {
    const { place, sql } = context;
    return { type: "appended", entries: await attachEntries(entries, { tenant: place.tenant, sql }), lastSeq };
  };
  const isUnguarded = batch.entries.some(isEpochDraft) && batch.expect === undefined;
  let plan = isUnguarded ? undefined : planSeqs(batch.entries, new Map());
  let erased: KnownEntries | undefined = erasures.size === 0 ? new Map() : undefined;
  let lost: { readonly plan: SeqPlan; readonly error: PalimpsestError } | undefined;
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    if (plan?.type === "places" && erased !== undefined) {
      const written = { ...context, drafts, placed: plan.placed, erased, erasures };
      const lastSeq = await writeBatch(batch, written).catch(catchUnknownOutcome);
      if (typeof lastSeq === "number") return appended(buildAnswer(plan, lastSeq), lastSeq);
      if (lastSeq !== undefined) lost = { plan, error: lastSeq };
    }
    const session = await findSession(context).catch((error) => {
      throw lost?.error ?? error;
    });
    if (session === undefined) return undefined;
    const ids = batch.entries.map(({ id }) => id);
    const known = await findEntries(session.segments, { ids, sql: context.sql });
    if (lost !== undefined && isWritten(lost.plan, known))
      return appended(buildStoredAnswer(lost.plan, known), session.lastSeq);
    if (isStale(batch, session) || isRepeated(batch, known)) return { type: "stale", epoch: session.epoch };
    erased ??= await findEntries(session.segments, { ids: [...erasures.keys()], sql: context.sql });
    plan = planSeqs(batch.entries, known);
    if (plan.type === "conflict") return plan;
    if (plan.placed.length === 0 && batch.head === undefined && erased.size === 0) {
      return appended(buildAnswer(plan, session.lastSeq), session.lastSeq);
    }
  }
  invariant(false, "a refused append has a reason");
}

interface SeqPlan {
  readonly type: "places";
  /** New entries, in order. */
  readonly placed: readonly EntryDraft[];
  /** For each entry of the batch, the stored entry or its index in `placed`. */
  readonly answers: readonly (DetachedEntry | number)[];
}

/** Decides which entries get a seq. A second entry with the same id is treated as if the first were already stored. */
export function planSeqs(
  drafts: readonly EntryDraft[],
  known: KnownEntries,
): SeqPlan | { readonly type: "conflict"; readonly entryId: EntryId } {
  const placed: EntryDraft[] = [];
  const positions = new Map<EntryId, number>();
  const answers: (DetachedEntry | number)[] = [];
  for (const draft of drafts) {
    const position = positions.get(draft.id);
    const { entry: stored, damage } = known.get(draft.id) ?? {};
    const same = position === undefined ? stored : placed[position];
    if (same === undefined) {
      positions.set(draft.id, placed.length);
      answers.push(placed.length);
      placed.push(draft);
    } else if (draft.type === "message" && same.type === "message" && same.hash === draft.hash) {
      // The given message has the hash of the damaged one: it is the original.
      const original = damage === undefined || stored === undefined ? stored : { ...draft, seq: stored.seq };
      answers.push(position ?? original ?? 0);
    } else {
      return { type: "conflict", entryId: draft.id };
    }
  }
  return { type: "places", placed, answers };
}

/** Returns the answer to a batch whose last entry got this seq. */
export function buildAnswer({ placed, answers }: SeqPlan, lastSeq: number): readonly DetachedEntry[] {
  const firstSeq = lastSeq - placed.length + 1;
  const entries = placed.map((draft, index) => ({ ...draft, seq: firstSeq + index }) as Entry);
  return answers.map((each) => {
    const entry = typeof each === "number" ? entries[each] : each;
    invariant(entry !== undefined, "every entry of a batch is stored or placed");
    return entry;
  });
}

/** Returns whether a batch whose answer was lost was written. */
function isWritten({ placed }: SeqPlan, known: KnownEntries): boolean {
  return placed.every((draft) => {
    const stored = known.get(draft.id)?.entry;
    if (stored?.type !== "message" || draft.type !== "message") return stored?.type === draft.type;
    return stored.hash === draft.hash;
  });
}

function buildStoredAnswer({ placed, answers }: SeqPlan, known: KnownEntries): readonly DetachedEntry[] {
  return answers.map((each) => {
    const entry = typeof each === "number" ? known.get(placed[each]?.id ?? "")?.entry : each;
    invariant(entry !== undefined, "every entry of a batch is stored");
    return entry;
  });
}

/** Returns the error if the write may have happened in spite of it; throws any other error. */
function catchUnknownOutcome(error: unknown): PalimpsestError {
  if (!(error instanceof PalimpsestError && isOutcomeUnknown(error))) throw error;
  return error;
}

async function findSession({ place, sql: { driver, statements } }: AppendContext): Promise<SessionRow | undefined> {
  const [[row] = []] = await driver.read([statements.findSession(place)]);
  return row && fromSessionRow(row, place.tenant);
}

/** Returns whether the batch expects another last seq, or a change of the past another epoch or an older fence. */
export function isStale({ entries, expect, expectedLastSeq }: AppendBatch, session: SessionRow): boolean {
  const { epoch, fence, lastSeq } = session;
  if (expectedLastSeq !== undefined && expectedLastSeq !== lastSeq) return true;
  if (!entries.some(isEpochDraft)) return false;
  if (expect === undefined || expect.epoch !== epoch) return true;
  return expect.fence !== undefined && expect.fence < fence;
}

/** Returns whether a batch that expects no other writes is stored in part. */
export function isRepeated({ expectedLastSeq }: AppendBatch, known: ReadonlyMap<EntryId, unknown>): boolean {
  return expectedLastSeq !== undefined && known.size > 0;
}

interface WriteOptions extends AppendContext {
  readonly drafts: DetachedDrafts;
  readonly placed: readonly EntryDraft[];
  readonly erased: KnownEntries;
  readonly erasures: ReadonlyMap<EntryId, ErasureKind>;
}

/** Entries prepared before yielding to the event loop. */
const ENTRIES_PER_TURN = 100;

/** Returns the last seq of the log after the write, or undefined if the guard refused. */
async function writeBatch(batch: AppendBatch, options: WriteOptions): Promise<number | undefined> {
  const { place, sql, drafts, placed, erased, erasures } = options;
  const { driver, statements, indexer } = sql;
  const marked = { ...place, mark: randomUUID() };
  const head = batch.head && toStoredHead(batch.head);
  const entries: NewEntry[] = [];
  for (const [index, draft] of placed.entries()) {
    const stored = toStoredEntry(drafts.findWritten(draft));
    const derived = { checksum: checksumEntry(stored), searchable: await runInSteps(findSearchable(draft)) };
    entries.push({ ...stored, ...derived, blobs: drafts.listHashes(draft), followedBy: placed.length - 1 - index });
    if (index % ENTRIES_PER_TURN === ENTRIES_PER_TURN - 1) await waitForEventLoop();
  }
  const written: Statement[] = [];
  const stored = {
    claim: buildClaim(batch, placed),
    blobs: drafts.listBlobs(placed),
    entries,
    head,
    erased: [...erased.values()].map((owned) => toErasedEntry(owned, erasures.get(owned.entry.id))),
  };
  for (const statement of statements.append(marked, stored)) {
    written.push(statement);
    if (written.length % ENTRIES_PER_TURN === 0) await waitForEventLoop();
  }
  const send = () => driver.batch(written);
  const results = await (erased.size > 0
    ? withIndexRecovery(sql, send)
    : (sql.withRoom?.(send, { isDeletion: false }) ?? send()));
  const [row] = results?.[0] ?? [];
  if (row === undefined) return undefined;
  if (erased.size > 0 || entries.some(({ searchable }) => searchable !== undefined)) indexer.schedule();
  // Best effort: the erased text is gone from the tables already; this overwrites its freed pages.
  if (erased.size > 0) await sql.afterErase?.().catch(() => undefined);
  return readNumberColumn(row, "last_seq");
}

function buildClaim({ entries, expect, expectedLastSeq, head }: AppendBatch, placed: readonly EntryDraft[]): SeqClaim {
  const messages = placed.filter((draft) => draft.type === "message");
  const [first] = messages;
  const preview = first && toStoredText(takeHead(messageText(first.message), PREVIEW_CHARACTERS));
  const guarded = entries.some(isEpochDraft) ? expect : undefined;
  return {
    ids: placed.map(({ id }) => toStoredText(id)),
    messageCount: messages.length,
    updatedAt: placed.reduce<number | null>((newest, { at }) => Math.max(newest ?? at, at), null),
    firstMessage: first && { position: placed.indexOf(first) + 1, role: first.message.role, preview: preview ?? "" },
    expect: guarded && { epoch: guarded.epoch, fence: guarded.fence ?? null },
    expectedLastSeq: expectedLastSeq ?? null,
    epoch: head?.epoch ?? null,
  };
}

export function toErasedEntry({ entry: detached, key }: OwnedEntry, erasure: ErasureKind | undefined): ErasedEntry {
  const { blobs, ...entry } = detached;
  const stored = toStoredEntry(eraseEntry(entry as Entry, erasure));
  return { ...stored, key, seq: entry.seq, checksum: checksumEntry(stored), blobs: listHashes(blobs) };
}
