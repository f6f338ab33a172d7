/** The statements of a dialect and the columns that each returns. Texts are passed in their stored form. */
import type { Role } from "../../core/message/message.ts";
import type { EntryRange, Stretch } from "../../ports/store.ts";
import type { WordRow } from "../shared/word-places.ts";
import type { HeadColumns, StoredCount } from "./checksums.ts";
import type { Statement } from "./driver.ts";
import type { SearchableText, StoredEntry } from "./stored-entry.ts";

export interface SessionPlace {
  readonly tenant: string;
  readonly id: string;
}

/** Identifies a session during a write: the guard sets the mark, and every other statement of the batch requires it. */
export interface MarkedPlace extends SessionPlace {
  readonly mark: string;
}

/** A deleted session whose rows are still being removed. */
export interface HiddenSession {
  readonly tenant: string;
  readonly key: number;
}

/** A stretch of one session's own entries, by the session's key. */
export interface LogSegment {
  readonly tenant: string;
  readonly key: number;
  readonly throughSeq: number;
}

export interface StoredHead extends HeadColumns {
  readonly epoch: number;
  readonly checksum: number;
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
  /** Keys and last seqs of the inherited segments, nearest first, as a JSON list of pairs. */
  readonly lineage: string;
}

/** Claims seqs for new entries. */
export interface SeqClaim {
  readonly ids: readonly string[];
  readonly messageCount: number;
  /** Time of the newest new entry. */
  readonly updatedAt: number | null;
  /** The first new message; `position` counts from 1. */
  readonly firstMessage: { readonly position: number; readonly role: Role; readonly preview: string } | undefined;
  readonly expect: { readonly epoch: number; readonly fence: number | null } | undefined;
  readonly expectedLastSeq: number | null;
  /** Epoch of the head that is written with them. */
  readonly epoch: number | null;
}

/** A blob in chunks that fit into rows. */
export interface StoredBlob {
  readonly hash: string;
  readonly bytes: number;
  readonly chunks: readonly Uint8Array[];
}

export interface NewEntry extends StoredEntry {
  /** Number of entries after it in the batch. */
  readonly followedBy: number;
  readonly checksum: number;
  readonly searchable?: SearchableText | undefined;
  readonly blobs: readonly string[];
}

/** An entry without its text, and its place. */
export interface ErasedEntry extends StoredEntry {
  readonly key: number;
  readonly seq: number;
  readonly checksum: number;
  /** Hashes of the blobs that it referred to. */
  readonly blobs: readonly string[];
}

export interface StoredBatch {
  readonly claim: SeqClaim;
  /** Sorted by hash, so that no two writers deadlock. */
  readonly blobs: readonly StoredBlob[];
  readonly entries: readonly NewEntry[];
  readonly head: StoredHead | undefined;
  readonly erased: readonly ErasedEntry[];
}

/** A search in one tenant. A text must contain each of the words, which are normalized and not empty. */
export interface TextSearch {
  readonly tenant: string;
  readonly words: readonly string[];
  /** Whole entries; or entry_key with the score of `rankText`; or entry_key with seq, which reads no entry. */
  readonly columns: "entry" | "score" | "seq";
  readonly role: Role | undefined;
  readonly limit: number;
  /** Segment to search; undefined for the whole tenant. */
  readonly segment: LogSegment | undefined;
}

export interface ScanEnd {
  readonly key: number;
  readonly seq: number;
}

export interface LeaseTerms {
  readonly token: string;
  readonly ttlMs: number;
  /** Default: the database's clock. */
  readonly nowMs: number | null;
}

/** An append in several statements, for dialects that need them. */
export interface AppendSteps extends Pick<WordStatements, "eraseWords"> {
  /** Guard: refuses a missing session, another epoch, an older fence and ids that exist. Returns last_seq. */
  claim(place: MarkedPlace, claim: SeqClaim): Statement;
  insertEntry(place: MarkedPlace, entry: NewEntry): Statement;
  /** Inserts a blob unless it exists. */
  insertBlob(place: MarkedPlace, blob: StoredBlob): readonly Statement[];
  /** Records which blobs a new entry refers to. */
  insertReferences(place: MarkedPlace, entry: Pick<NewEntry, "blobs" | "followedBy">): Statement;
  insertText(place: MarkedPlace, text: SearchableText & { readonly id: string }): readonly Statement[];
  updateHead(place: MarkedPlace, head: StoredHead): Statement;
  /** Replaces one of a session's own entries, and removes it from searches and previews, with its blobs. */
  eraseEntry(place: MarkedPlace, erased: ErasedEntry): readonly Statement[];
}

export interface ViewPage {
  /** Default: the beginning of the view. */
  readonly afterSeq?: number | undefined;
  readonly count: number;
}

export interface SharedStatements {
  /** The columns of a session, its checksum and that of its title, and parent_id; without the preview. */
  findSession(place: SessionPlace): Statement;
  /** head, view_from_seq, floor_seq, folded_through_seq, kept, checksum */
  findHead(place: SessionPlace): Statement;
  /** The columns of `listSessions` for one session. */
  findSummary(place: SessionPlace): Statement;
  /** id, oldest fork first. */
  listForks(place: SessionPlace): Statement;
  renameSession(place: SessionPlace, title: string | null): Statement;
  /** Guard: refuses a missing session, and one that a fork reads. Gives it a hidden id, and returns session_key. */
  hideSession(place: MarkedPlace): Statement;
  /** tenant and session_key of every hidden session. */
  findHidden(): Statement;
  /** data of each chunk in order; no row for an unknown blob. */
  readBlob(tenant: string, hash: string): Statement;
  /** sessions, entries, messages; blobs, bytes. */
  countTenant(tenant: string): readonly [Statement, Statement];
  /** Returns fence, or no row while another caller has the lease. */
  lease(place: SessionPlace, terms: LeaseTerms): Statement;
  /** Returns no row if the lease is no longer the caller's; the same for `release`. */
  renew(place: SessionPlace, terms: LeaseTerms): Statement;
  release(place: SessionPlace, token: string): Statement;
}

export interface SearchStatements {
  /** entry_key and seq of the newest message that is not among the newest `most`; no row if there is none. */
  findScanEnd(search: TextSearch, most: number): Statement;
  /** Scans messages newer than `end`, newest first: entry_key, session_id and an entry's columns. */
  scanTexts(search: TextSearch, end: ScanEnd | undefined): Statement;
  /** Whether the index returns the newest matches without reading the others. */
  readonly isIndexOrdered: boolean;
  /** Statements that must run in the same transaction before the index is queried; they return no rows. */
  beforeIndexed(search: TextSearch): readonly Statement[];
  /** The same columns by the index, for `end` and older messages. */
  findIndexed(search: TextSearch, end: ScanEnd | undefined): Statement;
  /** The same columns for messages that the index does not contain yet. */
  findPending(search: TextSearch, end: ScanEnd | undefined): Statement;
  /** The same columns by key, newest first. */
  readHits(tenant: string, keys: readonly number[]): Statement;
  /** Indexes about this much of the oldest pending messages; the guard refuses if none are pending. */
  indexPending(most: { readonly texts: number; readonly bytes: number }): readonly Statement[];
  /** Merges about this many pages of the index. If there were any, `changes` of the first and the last row differ by > 1. */
  mergeIndex?(pages: number): readonly Statement[];
  /** key: at least the number of texts in the index. No row if there is none. */
  countIndexed?(): Statement;
  /** Empties the index, so that every text is pending again. Empty if only the operator may do that. */
  readonly rebuildIndex: readonly Statement[];
}

/** A session by its key. */
export type KeyedSession = HiddenSession;

export interface WordClaim {
  /** Written by `beginWords`, and removed when a text of the session is erased. */
  readonly mark: string;
}

export interface WordStatements {
  /** through_seq, version and the session's last_seq; no row if nothing is indexed. */
  findWordProgress(session: KeyedSession): Statement;
  /** block, word and places. */
  findWordRows(
    session: KeyedSession,
    range: { readonly blocks: readonly number[]; readonly words: readonly number[] },
  ): Statement;
  /** Guard: refuses a missing session. Sets the mark, and returns through_seq and version. */
  beginWords(session: KeyedSession, claim: WordClaim & { readonly version: number }): Statement;
  /** seq and text of the oldest messages after a seq, up to about this much; at least one. */
  readWordTexts(session: KeyedSession, part: WordPart): Statement;
  /** Adds rows, and moves through_seq unless it is undefined. Repeating a row of one message changes nothing. */
  addWords(session: KeyedSession, claim: WordClaim & AddedWords): readonly Statement[];
  /** Starts again with another version, after all rows are removed. */
  restartWords(session: KeyedSession, claim: WordClaim & { readonly version: number }): Statement;
  /** Removes about this many rows, and returns them. */
  removeWords(session: KeyedSession, rows: number): Statement;
  /** Removes messages from the index in the transaction that erases their texts. */
  eraseWords(place: MarkedPlace, erased: readonly Pick<ErasedEntry, "key" | "seq" | "type">[]): readonly Statement[];
}

/** Where to continue reading, and about how much to read. */
export interface WordPart {
  readonly afterSeq: number;
  readonly texts: number;
  readonly bytes: number;
}

export interface AddedWords {
  readonly rows: readonly WordRow<number>[];
  readonly throughSeq: number | undefined;
}

/** Steps of removing a hidden session, each of which takes a few milliseconds. */
export interface LocalRemoval {
  /** first and last seq of its own entries; NULL if it has none. */
  findSeqs(session: HiddenSession): Statement;
  /** bytes and has_blobs of each of its oldest entries. */
  measureEntries(session: HiddenSession, entries: number): Statement;
  /** Removes the texts of every `step`-th entry from the search index, so that they are not indexed again. */
  unindex(session: HiddenSession, places: SeqSeries): readonly Statement[];
  /** Removes chunks of blobs that only its oldest entries refer to; returns a row for each. */
  removeChunks(session: HiddenSession, most: { readonly entries: number; readonly chunks: number }): Statement;
}

export interface SeqSeries {
  readonly fromSeq: number;
  readonly throughSeq: number;
  readonly step: number;
}

export interface SqlStatements extends SharedStatements, SearchStatements, WordStatements {
  /** Guard: refuses if the session exists or its parent does not. Returns session_key. */
  insertSession(place: MarkedPlace, session: NewSession): Statement;
  insertHead(place: MarkedPlace, head: StoredHead): Statement;
  /** The columns of `findSession`, preview and preview_checksum. */
  listSessions(
    tenant: string,
    page: { readonly limit: number; readonly after: { readonly updatedAt: number; readonly id: string } | undefined },
  ): Statement;
  /** Guard: refuses if the session is gone. Removes its oldest entries, and the session after the last of them. */
  removeSlice(session: HiddenSession, entries: number): readonly Statement[];
  /** Smaller steps, for databases in this process. */
  readonly localRemoval?: LocalRemoval | undefined;

  /** Starts with a guard like `claim` of `AppendSteps`. */
  append(place: MarkedPlace, batch: StoredBatch): Iterable<Statement>;

  /** seq, session_key, id, type, at, hash, tokens, content, checksum, recounts of one page of the view, in order. */
  readViewEntries(place: SessionPlace, places: ViewPage): Statement;
  /** The same columns for entries kept below the view. */
  readKeptEntries(place: SessionPlace): Statement;
  /** The same columns for a segment, narrowed by `afterSeq` and `throughSeq`. */
  readEntries(segment: LogSegment, range: EntryRange): Statement;
  /** The same columns by seq. */
  readEntriesAt(segment: LogSegment, seqs: readonly number[]): Statement;
  /** The same without entries of other types. */
  readMessagesAt(segment: LogSegment, seqs: readonly number[]): Statement;
  /** The same columns by id. */
  readEntriesById(segment: LogSegment, ids: readonly string[]): Statement;
  /** count of the seqs of a segment after `afterSeq` and up to `throughSeq` that have an entry. */
  countSeqs(segment: LogSegment, range: { readonly afterSeq: number; readonly throughSeq: number }): Statement;
  /** seq, id, hash of one page of messages. */
  readMessageKeys(segment: LogSegment, page: { readonly afterSeq: number; readonly limit: number }): Statement;
  /** stretch, messages, tokens of each stretch that is not empty; `stretch` is its index in the list. */
  weighMessages(segment: LogSegment, stretches: readonly Stretch[]): Statement;
  addCounts(segment: LogSegment, counterId: string, counts: readonly StoredCount[]): readonly Statement[];
  /** Guard: replaces a damaged head, unless it was replaced since. */
  restoreHead(place: SessionPlace, head: StoredHead, damaged: number): Statement;
}
