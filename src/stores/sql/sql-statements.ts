/**
 * What a dialect writes down: every statement that the SQL stores need, and the rows that each gives. All texts that
 * come in are stored texts already. A dialect decides nothing; what a statement depends on is given to it.
 */
import type { Role } from "../../core/message/message.ts";
import type { EntryRange, Stretch } from "../../ports/store.ts";
import type { Statement } from "./driver.ts";
import type { SearchableText, StoredEntry } from "./stored-entry.ts";

/** One session by its name. */
export interface SessionPlace {
  readonly tenant: string;
  readonly id: string;
}

/** A write in progress: the guard leaves the mark, and every other statement of the batch asks for it. */
export interface MarkedPlace extends SessionPlace {
  readonly mark: string;
}

/** A stretch of one session's own entries, by the database's key. */
export interface Segment {
  readonly tenant: string;
  readonly key: number;
  /** Entries after it are not part of the stretch. */
  readonly throughSeq: number;
}

/** A head, and what a view is read by. */
export interface StoredHead {
  readonly head: string;
  readonly epoch: number;
  readonly floorSeq: number;
  readonly foldedThroughSeq: number;
  /** The lower of both: nothing at or below it is in the view but what is kept. */
  readonly viewFromSeq: number;
  /** Seqs at or below `viewFromSeq`, as a JSON list. */
  readonly kept: string;
}

export interface NewSession {
  readonly title: string | null;
  readonly createdAt: number;
  readonly messageCount: number;
  readonly epoch: number;
  readonly fork: NewFork | undefined;
}

export interface NewFork {
  readonly parentKey: number;
  readonly atSeq: number;
  readonly inheritedSummaryId: string | null;
  /** Keys and last seqs of everything that is inherited, nearest first, as a JSON list of pairs. */
  readonly lineage: string;
}

/** Places for new entries. */
export interface Claim {
  readonly ids: readonly string[];
  readonly messageCount: number;
  /** The newest time of the new entries. */
  readonly updatedAt: number | null;
  /** The first message among them, by its position from 1 on. */
  readonly firstMessage: { readonly position: number; readonly role: Role; readonly preview: string } | undefined;
  readonly expect: { readonly epoch: number; readonly fence: number | null } | undefined;
  /** Of the head that is written with them. */
  readonly epoch: number | null;
}

/** Something large, cut into pieces that fit into rows. */
export interface StoredBlob {
  readonly hash: string;
  readonly bytes: number;
  readonly chunks: readonly Uint8Array[];
}

export interface NewEntry extends StoredEntry {
  /** How many entries of the batch come after it. */
  readonly followedBy: number;
  /** What of it can be searched for. */
  readonly searchable?: SearchableText | undefined;
  /** Hashes of the blobs that it refers to. */
  readonly blobs: readonly string[];
}

/** What an entry becomes of which the text goes, and where it stands. */
export interface ErasedEntry extends StoredEntry {
  readonly key: number;
  readonly seq: number;
  /** Hashes of the blobs that it referred to. */
  readonly blobs: readonly string[];
}

/** Everything that one append writes. */
export interface StoredBatch {
  readonly claim: Claim;
  /** In the order of their hashes, so that no two writers wait for each other. */
  readonly blobs: readonly StoredBlob[];
  readonly entries: readonly NewEntry[];
  readonly head: StoredHead | undefined;
  readonly erased: readonly ErasedEntry[];
}

/** Where and for whom to look. Each of the words, which are normalised and not empty, must be there. */
export interface TextSearch {
  readonly tenant: string;
  readonly words: readonly string[];
  /** Gives entry_key and score, by the reckoning of `rankText`, instead of whole entries. */
  readonly isRanked: boolean;
  readonly role: Role | undefined;
  readonly limit: number;
  /** The stretch to look in; all of the tenant without one. */
  readonly segment: Segment | undefined;
}

/** Where looking through messages one by one ended: at this one. */
export interface ScanEnd {
  readonly key: number;
  readonly seq: number;
}

export interface LeaseTerms {
  readonly token: string;
  readonly ttlMs: number;
  /** The database's own clock without it. */
  readonly nowMs: number | null;
}

/** An append in steps, for dialects that make it of them. */
export interface AppendSteps {
  /** A guard that refuses a missing session, another epoch, a newer fence and ids that are taken. Gives last_seq. */
  claim(place: MarkedPlace, claim: Claim): Statement;
  insertEntry(place: MarkedPlace, entry: NewEntry): Statement;
  /** Writes a blob that is not there yet. */
  insertBlob(place: MarkedPlace, blob: StoredBlob): readonly Statement[];
  /** Notes which blobs a new entry refers to. */
  insertReferences(place: MarkedPlace, entry: Pick<NewEntry, "blobs" | "followedBy">): Statement;
  insertText(place: MarkedPlace, text: SearchableText & { readonly id: string }): readonly Statement[];
  updateHead(place: MarkedPlace, head: StoredHead): Statement;
  /** Replaces an entry of a session's own, and takes it from searches and previews, and its blobs with it. */
  eraseEntry(place: MarkedPlace, erased: ErasedEntry): readonly Statement[];
}

export interface Places {
  /** From the view's beginning on without it. */
  readonly afterSeq?: number | undefined;
  readonly count: number;
}

export interface SqlStatements {
  /**
   * session_key, id, title, created_at, parent_id, fork_at_seq, inherited_summary_id, last_seq, epoch, fence, lineage
   */
  findSession(place: SessionPlace): Statement;
  /** head, view_from_seq, floor_seq, folded_through_seq, kept */
  findHead(place: SessionPlace): Statement;
  /** A guard that refuses when the session exists or the parent does not. Gives session_key. */
  insertSession(place: MarkedPlace, session: NewSession): Statement;
  insertHead(place: MarkedPlace, head: StoredHead): Statement;
  /**
   * id, title, created_at, updated_at, message_count, preview, first_role, parent_id, fork_at_seq,
   * inherited_summary_id
   */
  listSessions(
    tenant: string,
    page: { readonly limit: number; readonly after: { readonly updatedAt: number; readonly id: string } | undefined },
  ): Statement;
  /** The same of one session. */
  findSummary(place: SessionPlace): Statement;
  /** id, oldest first. */
  listForks(place: SessionPlace): Statement;
  renameSession(place: SessionPlace, title: string | null): Statement;
  /** A guard that refuses when there is no such session or a fork reads it, and the deletion with its blobs. */
  deleteSession(place: MarkedPlace): readonly Statement[];

  /** Begins with a guard like `claim` of `AppendSteps`. */
  append(place: MarkedPlace, batch: StoredBatch): Iterable<Statement>;

  /** seq, id, type, at, hash, content, recounts of what is in the view at so many places, in order. */
  readViewEntries(place: SessionPlace, places: Places): Statement;
  /** The same of what is kept below it. */
  readKeptEntries(place: SessionPlace): Statement;
  /** The same of a stretch; `afterSeq` and `throughSeq` of the range narrow it. */
  readEntries(segment: Segment, range: EntryRange): Statement;
  /** The same of single places. */
  readEntriesAt(segment: Segment, seqs: readonly number[]): Statement;
  /** The same of single ids. */
  readEntriesById(segment: Segment, ids: readonly string[]): Statement;
  /** seq, id, hash of so many messages. */
  readMessageKeys(segment: Segment, page: { readonly afterSeq: number; readonly limit: number }): Statement;
  /** stretch, messages, tokens of each that holds something; `stretch` is its place in the list. */
  weighMessages(segment: Segment, stretches: readonly Stretch[]): Statement;
  addCounts(segment: Segment, counterId: string, counts: readonly (readonly [number, number])[]): readonly Statement[];

  /** data, in order; no row for a blob that is not there. */
  readBlob(tenant: string, hash: string): Statement;
  /** sessions, entries, messages; blobs, bytes. */
  countTenant(tenant: string): readonly [Statement, Statement];

  /** Gives fence, or no row while somebody else holds it. */
  lease(place: SessionPlace, terms: LeaseTerms): Statement;
  /** No row where it is no longer the caller's; the same for `release`. */
  renew(place: SessionPlace, terms: LeaseTerms): Statement;
  release(place: SessionPlace, token: string): Statement;

  /** entry_key and seq of the newest message that is too old to be among the newest `most`; no row where none is. */
  findScanEnd(search: TextSearch, most: number): Statement;
  /**
   * Messages newer than `end`, looked through one by one, newest first. Gives entry_key, session_id, seq, id, type, at,
   * hash, content, recounts.
   */
  scanTexts(search: TextSearch, end: ScanEnd | undefined): Statement;
  /** Whether the index gives the newest of many without looking at the others. */
  readonly isIndexOrdered: boolean;
  /** What has to be said in the same transaction before the index is asked; gives no rows. */
  beforeIndexed(search: TextSearch): readonly Statement[];
  /** The same by the index, for `end` and what is older. */
  findIndexed(search: TextSearch, end: ScanEnd | undefined): Statement;
  /** The same among those that the index does not know yet. */
  findPending(search: TextSearch, end: ScanEnd | undefined): Statement;
  /** The same of these keys, newest first. */
  readHits(tenant: string, keys: readonly number[]): Statement;
  /** Takes the oldest messages that wait for it into the index, about so much; the guard refuses when none do. */
  indexPending(most: { readonly texts: number; readonly characters: number }): readonly Statement[];
  /** Begins the index anew: every text waits for it. None where that is not ours to do. */
  readonly mendIndex: readonly Statement[];
}
