/**
 * One batch of entries, written as one guarded batch of statements. Most of the time that is all: whether the session
 * is there, the epoch is the expected one and the ids are new is asked in the statement that takes the places. Only
 * when it refuses does anybody read why. An answer that is lost on its way is looked for in the log.
 */
import { randomUUID } from "node:crypto";
import { invariant } from "../../core/errors.ts";
import { type Entry, type EntryDraft, type EntryId, isEpochDraft } from "../../core/log/entry.ts";
import { type Erasure, eraseEntry, erasuresOf } from "../../core/log/erase-entry.ts";
import { messageText } from "../../core/message/message-text.ts";
import { wholeHead } from "../../core/message/whole-text.ts";
import type { AppendBatch, AppendOutcome } from "../../ports/store.ts";
import { isOutcomeUnknown, readNumber, type Statement } from "./driver.ts";
import { despiteIndex } from "./mend-index.ts";
import { nextTurn } from "./next-turn.ts";
import { findEntries, type OwnedEntry } from "./read-entries.ts";
import type { SqlContext } from "./sql-context.ts";
import type { Claim, ErasedEntry, NewEntry, SessionPlace } from "./sql-statements.ts";
import { attachEntries, DetachedDrafts, hashesOf } from "./stored-blobs.ts";
import { type DetachedEntry, findSearchable, toStoredEntry } from "./stored-entry.ts";
import { fromSessionRow, type SessionRow, toStoredHead } from "./stored-session.ts";
import { toStoredText } from "./stored-text.ts";

/** About so much of the first message stands in a list of sessions. */
const PREVIEW_CHARACTERS = 100;

/** Each refusal is answered or teaches something; more than a few in a row mean that the guard is wrong. */
const MOST_ATTEMPTS = 50;

interface AppendContext {
  readonly place: SessionPlace;
  readonly sql: SqlContext;
}

type Known = ReadonlyMap<EntryId, OwnedEntry>;

/** `undefined` where there is no such session. */
export async function appendBatch(batch: AppendBatch, context: AppendContext): Promise<AppendOutcome | undefined> {
  const erasures = erasuresOf(batch);
  const drafts = await DetachedDrafts.detach(batch.entries);
  const appended = async (entries: readonly DetachedEntry[], lastSeq: number): Promise<AppendOutcome> => {
    const { place, sql } = context;
    return { type: "appended", entries: await attachEntries(entries, { tenant: place.tenant, sql }), lastSeq };
  };
  const isBlind = batch.entries.some(isEpochDraft) && batch.expect === undefined;
  let plan = isBlind ? undefined : planPlaces(batch.entries, new Map());
  let erased: Known | undefined = erasures.size === 0 ? new Map() : undefined;
  let lost: Places | undefined;
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
    if (plan?.type === "places" && erased !== undefined) {
      const written = { ...context, drafts, placed: plan.placed, erased, erasures };
      const lastSeq = await write(batch, written).catch(unlessUnknown);
      if (typeof lastSeq === "number") return appended(answer(plan, lastSeq), lastSeq);
      if (lastSeq === "unknown") lost = plan;
    }
    const session = await findSession(context);
    if (session === undefined) return undefined;
    const ids = batch.entries.map(({ id }) => id);
    const known = await findEntries(session.segments, { ids, sql: context.sql });
    if (lost !== undefined && isWritten(lost, known)) return appended(answerKnown(lost, known), session.lastSeq);
    if (isStale(batch, session)) return { type: "stale", epoch: session.epoch };
    erased ??= await findEntries(session.segments, { ids: [...erasures.keys()], sql: context.sql });
    plan = planPlaces(batch.entries, known);
    if (plan.type === "conflict") return plan;
    if (plan.placed.length === 0 && batch.head === undefined && erased.size === 0) {
      return appended(answer(plan, session.lastSeq), session.lastSeq);
    }
  }
  invariant(false, "a refused append finds out why");
}

interface Places {
  readonly type: "places";
  /** What is new, in order. */
  readonly placed: readonly EntryDraft[];
  /** For each entry of the batch: what is stored already, or its position among the new ones. */
  readonly answers: readonly (DetachedEntry | number)[];
}

/** Which entries take a place. Two of one id are treated like one that is stored already. */
function planPlaces(
  drafts: readonly EntryDraft[],
  known: Known,
): Places | { readonly type: "conflict"; readonly entryId: EntryId } {
  const placed: EntryDraft[] = [];
  const positions = new Map<EntryId, number>();
  const answers: (DetachedEntry | number)[] = [];
  for (const draft of drafts) {
    const position = positions.get(draft.id);
    const stored = known.get(draft.id)?.entry;
    const same = position === undefined ? stored : placed[position];
    if (same === undefined) {
      positions.set(draft.id, placed.length);
      answers.push(placed.length);
      placed.push(draft);
    } else if (draft.type === "message" && same.type === "message" && same.hash === draft.hash) {
      answers.push(position ?? stored ?? 0);
    } else {
      return { type: "conflict", entryId: draft.id };
    }
  }
  return { type: "places", placed, answers };
}

function answer({ placed, answers }: Places, lastSeq: number): readonly DetachedEntry[] {
  const firstSeq = lastSeq - placed.length + 1;
  const entries = placed.map((draft, index) => ({ ...draft, seq: firstSeq + index }) as Entry);
  return answers.map((each) => {
    const entry = typeof each === "number" ? entries[each] : each;
    invariant(entry !== undefined, "every entry of a batch is stored or placed");
    return entry;
  });
}

/** Whether what was sent before its answer was lost is there. */
function isWritten({ placed }: Places, known: Known): boolean {
  return placed.every((draft) => {
    const stored = known.get(draft.id)?.entry;
    if (stored?.type !== "message" || draft.type !== "message") return stored?.type === draft.type;
    return stored.hash === draft.hash;
  });
}

function answerKnown({ placed, answers }: Places, known: Known): readonly DetachedEntry[] {
  return answers.map((each) => {
    const entry = typeof each === "number" ? known.get(placed[each]?.id ?? "")?.entry : each;
    invariant(entry !== undefined, "every entry of a batch is stored");
    return entry;
  });
}

function unlessUnknown(error: unknown): "unknown" {
  if (!isOutcomeUnknown(error)) throw error;
  return "unknown";
}

async function findSession({ place, sql: { driver, statements } }: AppendContext): Promise<SessionRow | undefined> {
  const [[row] = []] = await driver.read([statements.findSession(place)]);
  return row && fromSessionRow(row, place.tenant);
}

function isStale({ entries, expect }: AppendBatch, { epoch, fence }: SessionRow): boolean {
  if (!entries.some(isEpochDraft)) return false;
  if (expect === undefined || expect.epoch !== epoch) return true;
  return expect.fence !== undefined && expect.fence < fence;
}

interface Write extends AppendContext {
  readonly drafts: DetachedDrafts;
  readonly placed: readonly EntryDraft[];
  readonly erased: Known;
  readonly erasures: ReadonlyMap<EntryId, Erasure>;
}

/** Entries that are made ready without a rest. */
const WRITTEN_AT_ONCE = 100;

/** The last seq of the log afterwards; `undefined` where the guard refused. */
async function write(batch: AppendBatch, options: Write): Promise<number | undefined> {
  const { place, sql, drafts, placed, erased, erasures } = options;
  const { driver, statements, indexer } = sql;
  const marked = { ...place, mark: randomUUID() };
  const head = batch.head && toStoredHead(batch.head);
  const entries: NewEntry[] = [];
  for (const [index, draft] of placed.entries()) {
    const stored = { ...toStoredEntry(drafts.written(draft)), searchable: findSearchable(draft) };
    entries.push({ ...stored, blobs: drafts.hashesOf(draft), followedBy: placed.length - 1 - index });
    if (index % WRITTEN_AT_ONCE === WRITTEN_AT_ONCE - 1) await nextTurn();
  }
  const written: Statement[] = [];
  const stored = {
    claim: claimOf(batch, placed),
    blobs: drafts.blobsOf(placed),
    entries,
    head,
    erased: [...erased.values()].map((owned) => toErased(owned, erasures.get(owned.entry.id))),
  };
  for (const statement of statements.append(marked, stored)) {
    written.push(statement);
    if (written.length % WRITTEN_AT_ONCE === 0) await nextTurn();
  }
  const send = () => driver.batch(written);
  const results = await (erased.size === 0 ? send() : despiteIndex(sql, send));
  const [row] = results?.[0] ?? [];
  if (row === undefined) return undefined;
  if (entries.some(({ searchable }) => searchable !== undefined)) indexer.schedule();
  // Best effort: what was erased is gone from the tables, and the rest is a question of which pages are reused.
  if (erased.size > 0) await sql.afterErase?.().catch(() => undefined);
  return readNumber(row, "last_seq");
}

function claimOf({ entries, expect, head }: AppendBatch, placed: readonly EntryDraft[]): Claim {
  const messages = placed.filter((draft) => draft.type === "message");
  const [first] = messages;
  const preview = first && toStoredText(wholeHead(messageText(first.message), PREVIEW_CHARACTERS));
  const guarded = entries.some(isEpochDraft) ? expect : undefined;
  return {
    ids: placed.map(({ id }) => toStoredText(id)),
    messageCount: messages.length,
    updatedAt: placed.reduce<number | null>((newest, { at }) => Math.max(newest ?? at, at), null),
    firstMessage: first && {
      position: placed.indexOf(first) + 1,
      role: first.message.role,
      preview: preview ?? "",
    },
    expect: guarded && { epoch: guarded.epoch, fence: guarded.fence ?? null },
    epoch: head?.epoch ?? null,
  };
}

function toErased({ entry: detached, key }: OwnedEntry, erasure: Erasure | undefined): ErasedEntry {
  const { blobs, ...entry } = detached;
  return { ...toStoredEntry(eraseEntry(entry as Entry, erasure)), key, seq: entry.seq, blobs: hashesOf(blobs) };
}
