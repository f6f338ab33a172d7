/**
 * One batch of entries, written as one guarded batch of statements. Most of the time that is all: whether the session
 * is there, the epoch is the expected one and the ids are new is asked in the statement that takes the places. Only
 * when it refuses does anybody read why. An answer that is lost on its way is looked for in the log.
 */
import { randomUUID } from "node:crypto";
import { invariant } from "../../core/errors.ts";
import { type Entry, type EntryDraft, type EntryId, isEpochDraft } from "../../core/log/entry.ts";
import { eraseEntry } from "../../core/log/erase-entry.ts";
import { messageText } from "../../core/message/message-text.ts";
import { wholeHead } from "../../core/message/whole-text.ts";
import type { AppendBatch, AppendOutcome } from "../../ports/store.ts";
import { isOutcomeUnknown, readNumber } from "./driver.ts";
import { findEntries, type OwnedEntry } from "./read-entries.ts";
import type { SqlContext } from "./sql-context.ts";
import type { Claim, ErasedEntry, SessionPlace } from "./sql-statements.ts";
import { findSearchable, toStoredEntry } from "./stored-entry.ts";
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
  const isBlind = batch.entries.some(isEpochDraft) && batch.expect === undefined;
  let plan = isBlind ? undefined : planPlaces(batch.entries, new Map());
  let erased: Known | undefined = (batch.erase ?? []).length === 0 ? new Map() : undefined;
  let lost: Places | undefined;
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
    if (plan?.type === "places" && erased !== undefined) {
      const lastSeq = await write(batch, { ...context, placed: plan.placed, erased }).catch(unlessUnknown);
      if (typeof lastSeq === "number") return { type: "appended", entries: answer(plan, lastSeq), lastSeq };
      if (lastSeq === "unknown") lost = plan;
    }
    const session = await findSession(context);
    if (session === undefined) return undefined;
    const ids = batch.entries.map(({ id }) => id);
    const known = await findEntries(session.segments, { ids, sql: context.sql });
    if (lost !== undefined && isWritten(lost, known)) {
      return { type: "appended", entries: answerKnown(lost, known), lastSeq: session.lastSeq };
    }
    if (isStale(batch, session)) return { type: "stale", epoch: session.epoch };
    erased ??= await findEntries(session.segments, { ids: batch.erase ?? [], sql: context.sql });
    plan = planPlaces(batch.entries, known);
    if (plan.type === "conflict") return plan;
    if (plan.placed.length === 0 && batch.head === undefined && erased.size === 0) {
      return { type: "appended", entries: answer(plan, session.lastSeq), lastSeq: session.lastSeq };
    }
  }
  invariant(false, "a refused append finds out why");
}

interface Places {
  readonly type: "places";
  /** What is new, in order. */
  readonly placed: readonly EntryDraft[];
  /** For each entry of the batch: what is stored already, or its position among the new ones. */
  readonly answers: readonly (Entry | number)[];
}

/** Which entries take a place. Two of one id are treated like one that is stored already. */
function planPlaces(
  drafts: readonly EntryDraft[],
  known: Known,
): Places | { readonly type: "conflict"; readonly entryId: EntryId } {
  const placed: EntryDraft[] = [];
  const positions = new Map<EntryId, number>();
  const answers: (Entry | number)[] = [];
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

function answer({ placed, answers }: Places, lastSeq: number): readonly Entry[] {
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

function answerKnown({ placed, answers }: Places, known: Known): readonly Entry[] {
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
  readonly placed: readonly EntryDraft[];
  readonly erased: Known;
}

/** The last seq of the log afterwards; `undefined` where the guard refused. */
async function write(batch: AppendBatch, { place, sql, placed, erased }: Write): Promise<number | undefined> {
  const { driver, statements, indexer } = sql;
  const marked = { ...place, mark: randomUUID() };
  const head = batch.head && toStoredHead(batch.head);
  const entries = placed.map((draft, index) => ({
    ...toStoredEntry(draft),
    searchable: findSearchable(draft),
    followedBy: placed.length - 1 - index,
  }));
  const stored = { claim: claimOf(batch, placed), entries, head, erased: [...erased.values()].map(toErased) };
  const results = await driver.batch(statements.append(marked, stored));
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

function toErased({ entry, key }: OwnedEntry): ErasedEntry {
  return { ...toStoredEntry(eraseEntry(entry)), key, seq: entry.seq };
}
