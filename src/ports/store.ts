/**
 * Stores logs. A store assigns seqs, keeps a head for each log, and lets one writer at a time change the past. It
 * knows nothing of budgets or prompts; decisions arrive as entries and a head.
 *
 * Promises that hold for every method of every store:
 * - Acknowledged writes survive a crash of the process; with the durable setting also a power loss.
 * - A rejected promise means that the call had no effect. Failures of the medium are `store-unavailable`
 *   (retryable, unless waiting cannot help) with the vendor's error as cause; every expected outcome is a value.
 * - A stored text that was changed is not returned: a marker replaces a message, any other entry is left out, and there
 *   is a warning.
 * - Values come back as they were given, including NUL, lone surrogates, images and long texts; equal content is kept
 *   once. A lost blob is replaced by a text that says so, with a warning.
 * - Nothing of one tenant can be seen, counted, locked or changed through another.
 */
import type { Entry, EntryDraft, EntryId, MessageEntry, SessionId } from "../core/log/entry.ts";
import type { Fork, Head } from "../core/log/head.ts";
import type { MessageId, Role } from "../core/message/message.ts";
import type { TextMatch } from "../core/message/search-text.ts";
import type { CounterId } from "../core/tokens/counter.ts";

/** Keeps the logs of sessions, separately for each tenant. */
export interface Store {
  /** Name in messages and reports: `memory`, `sqlite:…`. */
  readonly name: string;
  /** Returns the logs of a tenant. Cheap; holds no resources of its own. */
  tenant(tenantId: string): TenantStore;
  /** Finishes acknowledged writes and releases all resources. Later calls fail with `closed`. */
  close(): Promise<void>;
}

/** What a store knows about a session besides its log: title, creation time, and fork. */
export interface SessionHeader {
  readonly id: SessionId;
  readonly title?: string | undefined;
  readonly createdAt: number;
  readonly fork?: Fork | undefined;
}

/** A row of the list of sessions: title, preview, size and times. */
export interface SessionSummary extends SessionHeader {
  /** Time of the newest entry, or of the session's creation if it has none. */
  readonly updatedAt: number;
  readonly messageCount: number;
  /** The first hundred characters or so of the first message. */
  readonly preview: string;
  readonly firstRole: Role | undefined;
}

/** A session's header, head and last seq. */
export interface StoredSession {
  readonly header: SessionHeader;
  /** As of the newest entry that moved the epoch; later entries have to be folded in. */
  readonly head: Head;
  readonly lastSeq: number;
}

/** Entries to write together or not at all, and what the writer expects of the log. */
export interface AppendBatch {
  readonly entries: readonly EntryDraft[];
  /** Required exactly when an entry of the batch moves the epoch. */
  readonly expect?: Expectation | undefined;
  /** The head after the batch. Required when an entry of the batch moves the epoch; replaces the stored head. */
  readonly head?: Head | undefined;
  /**
   * The last seq that the writer has seen, for entries that follow from the whole log. The batch is stale if the log
   * has grown, or has one of its entries already.
   */
  readonly expectedLastSeq?: number | undefined;
  /**
   * Messages whose text is removed for good in the same transaction, and summaries that quoted them. The message keeps
   * its place, id, role, time and counts, and is `erased`; its images are removed unless something else refers to them.
   */
  readonly erase?: readonly EntryId[] | undefined;
  /** Like `erase`, but hashes stay: a resent message is returned as stored, and a changed one is a conflict. */
  readonly tombstone?: readonly EntryId[] | undefined;
}

/** What a writer has read: the epoch, and the fence of its lease. */
export interface Expectation {
  /** The epoch that the writer has seen. */
  readonly epoch: number;
  /** The fence of the writer's lease, if it holds one. A fence older than the newest granted is stale. */
  readonly fence?: number | undefined;
}

/** The seqs of the written entries, or that the expectation did not hold. */
export type AppendOutcome =
  /** Entries in the order of the batch. Messages that existed already come back as they were stored. */
  | { readonly type: "appended"; readonly entries: readonly Entry[]; readonly lastSeq: number }
  /** Another writer moved the epoch, took the lease or was expected not to write. Nothing was written; read again. */
  | { readonly type: "stale"; readonly epoch: number }
  /** An entry with this id and other content is already stored. Nothing was written. */
  | { readonly type: "conflict"; readonly entryId: EntryId };

/** Which entries of a log to read, and in which order. */
export interface EntryRange {
  /** Entries with a greater seq. Default 0. */
  readonly afterSeq?: number | undefined;
  /** Entries up to and including this seq. */
  readonly throughSeq?: number | undefined;
  readonly types?: readonly Entry["type"][] | undefined;
  /** Limit: the oldest of the range, or with `newestFirst` the newest, in that order. */
  readonly limit?: number | undefined;
  readonly newestFirst?: boolean | undefined;
  /** Includes a marker for each message that cannot be read; see `core/log/unreadable-entry.ts`. Default: left out. */
  readonly markers?: boolean | undefined;
}

/** Part of a log, both ends included. */
export interface Stretch {
  readonly firstSeq: number;
  readonly lastSeq: number;
}

export interface StretchWeight {
  readonly messages: number;
  /** Sum of the counts at append; uncounted messages add 0. */
  readonly tokens: number;
}

/** The head of a session with the messages that the model sees. */
export interface StoredView extends StoredSession {
  /**
   * In order: every message that the head keeps, every message, note and recall above its floor (all by
   * `makeReadingHead`), and every entry after `head.foldedThroughSeq` except summaries, which are large and already in
   * the head. Reading costs what the view costs, not what the log costs.
   */
  readonly entries: readonly Entry[];
  /** The last seq that was read, if the limits of a part left out later ones. */
  readonly partThroughSeq?: number | undefined;
}

/** Limits of the part of a view that is read at once. */
export interface PartLimits {
  readonly maxSeqs: number;
  /** Number of seqs that are read if the view is longer. Default: `maxSeqs`. */
  readonly partSeqs?: number | undefined;
  /** Reading stops soon after this many characters of texts, images and files. */
  readonly maxCharacters: number;
}

/** The right to compact a session for a limited time. */
export interface Lease {
  /** Grows with every grant for this session. */
  readonly fence: number;
  /** Proves to `renew` and `release` that the caller holds the lease. */
  readonly token: string;
}

/** A text to search for in messages, and where. */
export interface SearchQuery {
  /**
   * Plain text, never syntax or a pattern. Blank finds nothing. In the order `newest` it is matched as one phrase; in
   * the order `relevance` a message must contain every word of it (of a very long query the first sixteen), possibly
   * inside other words.
   */
  readonly text: string;
  /**
   * `newest` (the default): by append order, regardless of clocks. `relevance`: by frequency of the words relative to
   * length, ties as in `newest`; if there are more than two thousand matches, only the newest two thousand are
   * compared, to keep searches fast.
   */
  readonly order?: "newest" | "relevance" | undefined;
  readonly sessionId?: SessionId | undefined;
  readonly role?: Role | undefined;
  readonly limit: number;
}

/** A message that a search found. */
export interface SearchHit extends TextMatch {
  readonly sessionId: SessionId;
  readonly seq: number;
  readonly messageId: MessageId;
  readonly role: Role;
}

/** Searches for candidates that recall then ranks. */
export interface CandidateQuery {
  /** Beginnings of words in lower case, never syntax. Other forms of a word are found too. */
  readonly words: readonly string[];
  /** Messages with a greater seq. Default 0. */
  readonly afterSeq?: number | undefined;
  readonly throughSeq: number;
  /** Maximum number of candidates: those with the most and rarest words, of equal ones the newest. */
  readonly limit: number;
}

export interface Candidates {
  /** Number of messages of the range that have each word or another form of it. */
  readonly counts: ReadonlyMap<string, number>;
  /** The candidates and the messages next to them, in order, without erased and unreadable ones. */
  readonly messages: readonly MessageEntry[];
}

/** How many sessions, entries, messages and bytes a tenant has. */
export interface TenantStatistics {
  readonly sessions: number;
  /** Inherited entries count in the session that wrote them; the same holds for messages. */
  readonly entries: number;
  readonly messages: number;
  /** Images, files and long texts, which are stored separately from the entries. */
  readonly blobs: { readonly count: number; readonly bytes: number };
}

/** The sessions of one tenant: reads, appends, leases, search and blobs. */
export interface TenantStore {
  /** Creates a session with an empty log. `head` is what a fork inherits; other sessions start empty. */
  createSession(header: SessionHeader, head: Head): Promise<"created" | "exists">;
  findSession(id: SessionId): Promise<StoredSession | undefined>;
  /** Newest first by `updatedAt`, then by id. `after` is the last session of the previous page. */
  listSessions(options: {
    readonly limit: number;
    readonly after?: Pick<SessionSummary, "id" | "updatedAt"> | undefined;
  }): Promise<readonly SessionSummary[]>;
  /** Returns the list entry of one session, without reading its log. */
  describeSession(id: SessionId): Promise<SessionSummary | undefined>;
  /** Lists the direct forks of a session. */
  listForks(id: SessionId): Promise<readonly SessionId[]>;
  /** Sets the title, or removes it if undefined. Returns false for an unknown session. */
  renameSession(id: SessionId, title: string | undefined): Promise<boolean>;
  /** Removes a session with everything that only it refers to. Returns false while a fork still reads it. */
  deleteSession(id: SessionId): Promise<boolean>;

  /**
   * Appends all entries or none, at consecutive seqs in the given order. Message ids are idempotent forever: a message
   * whose id is stored with the same hash is returned as stored and takes no seq, even within one batch. A fork's log
   * includes what it inherits. Fails with `session-not-found`, and with `message-invalid` for more than five images or
   * an image or file of more than 5 MB.
   */
  append(id: SessionId, batch: AppendBatch): Promise<AppendOutcome>;

  /** Reads entries in order, inherited ones included, without damaged ones. An unknown session has none. */
  readEntries(id: SessionId, range: EntryRange): Promise<readonly Entry[]>;
  /** Reads the view, or its oldest part above the floor. */
  readView(id: SessionId, part?: PartLimits): Promise<StoredView | undefined>;
  /** Returns a marker for a message that is stored and cannot be read. */
  findMessage(id: SessionId, messageId: MessageId): Promise<MessageEntry | undefined>;
  findEntry(id: SessionId, entryId: EntryId): Promise<Entry | undefined>;
  /** Reads ids and hashes of all messages in order, to compare a resent list. */
  readMessageKeys(
    id: SessionId,
  ): Promise<readonly { readonly seq: number; readonly id: MessageId; readonly hash: string }[]>;

  /**
   * Counts messages and tokens of each stretch, inherited and erased messages included. Stretches are in order and do
   * not overlap. Databases answer without reading texts. An unknown session weighs nothing.
   */
  weighMessages(id: SessionId, stretches: readonly Stretch[]): Promise<readonly StretchWeight[]>;

  /** Adds counts by one counter to stored messages. Repeating it changes nothing. */
  addCounts(id: SessionId, counterId: CounterId, counts: ReadonlyMap<number, number>): Promise<void>;

  /**
   * Finds substrings of messages, ignoring case and Unicode normal form. A message is found once, in the session that
   * wrote it; a search of one session also finds what it inherits. Works without an index: one that lags or is damaged
   * only costs time.
   */
  search(query: SearchQuery): Promise<readonly SearchHit[]>;

  /**
   * Finds messages of one session, inherited ones included, that have some of the words. Once a session is indexed, a
   * database reads only the texts that it returns. The first search starts the indexing in the background; until it
   * ends, the counts of frequent words may be too small. The contents of files and images may be left out.
   */
  findCandidates(id: SessionId, query: CandidateQuery): Promise<Candidates>;

  /** Counts what a tenant stores. Cost grows with sessions and blobs, not with entries. */
  statistics(): Promise<TenantStatistics>;

  /** Grants the session to one caller for a while, by the store's own clock; undefined while another holds it. */
  lease(id: SessionId, ttlMs: number): Promise<Lease | undefined>;
  /** Returns false if the lease expired and was granted to another caller. */
  renew(id: SessionId, lease: Lease, ttlMs: number): Promise<boolean>;
  release(id: SessionId, lease: Lease): Promise<void>;
}
