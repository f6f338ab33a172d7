/**
 * Keeps logs. A store gives every entry its place, keeps a head beside each log, and lets one writer at a time change
 * the past. It knows nothing of budgets or prompts; whatever decides is handed to it as entries and a head.
 *
 * Promises that hold for every method of every store:
 * - What was acknowledged survives a crash of the process; at the store's durable setting also a loss of power.
 * - A rejected promise means that nothing of the call happened. Failures of the medium are `store-unavailable`
 *   (retryable, unless waiting cannot help) with the vendor's error as cause; everything expected is a value.
 * - Values come back as they were given: NUL and lone surrogates included, and images and long texts too, which are
 *   kept once for each content. One that is lost has a text in its place that says so, and the store warns of it.
 * - Nothing of one tenant can be seen, counted, locked or changed through another.
 */
import type { Entry, EntryDraft, EntryId, MessageEntry, SessionId } from "../core/log/entry.ts";
import type { Fork, Head } from "../core/log/head.ts";
import type { MessageId, Role } from "../core/message/message.ts";
import type { CounterId } from "../core/tokens/counter.ts";

export interface Store {
  /** For people and reports: `memory`, `sqlite:…`. */
  readonly name: string;
  /** The same tenant id gives the same logs. Cheap; holds no resources of its own. */
  tenant(tenantId: string): TenantStore;
  /** Finishes writes that were acknowledged and releases what is held. Later calls fail with `closed`. */
  close(): Promise<void>;
}

export interface SessionHeader {
  readonly id: SessionId;
  readonly title?: string | undefined;
  readonly createdAt: number;
  readonly fork?: Fork | undefined;
}

export interface SessionSummary {
  readonly id: SessionId;
  readonly title?: string | undefined;
  readonly createdAt: number;
  /** Time of the newest entry, or of the creation. */
  readonly updatedAt: number;
  readonly messageCount: number;
  /** About a hundred characters of the first message. */
  readonly preview: string;
  readonly firstRole: Role | undefined;
  readonly fork?: Fork | undefined;
}

export interface StoredSession {
  readonly header: SessionHeader;
  /** As of the newest entry that moved the epoch; what came later is to be folded in. */
  readonly head: Head;
  readonly lastSeq: number;
}

export interface AppendBatch {
  readonly entries: readonly EntryDraft[];
  /** Required exactly when an entry of the batch moves the epoch. */
  readonly expect?: Expectation | undefined;
  /** The head after the batch. Required when an entry of the batch moves the epoch; replaces the stored head. */
  readonly head?: Head | undefined;
  /**
   * Messages whose text goes for good in the same transaction, and summaries that quoted them. Of a message its place,
   * id, role, time and counts stay, and it is `erased`; its images go when nothing else refers to them.
   */
  readonly erase?: readonly EntryId[] | undefined;
  /** The same, and hashes stay: the same message sent again is answered as stored, and a changed one is a conflict. */
  readonly tombstone?: readonly EntryId[] | undefined;
}

export interface Expectation {
  /** The epoch that the writer has seen. */
  readonly epoch: number;
  /** The fence of the writer's lease, where it holds one. An older fence than the newest granted is stale. */
  readonly fence?: number | undefined;
}

export type AppendOutcome =
  /** In the order of the batch. Messages that were there already come back as they were stored. */
  | { readonly type: "appended"; readonly entries: readonly Entry[]; readonly lastSeq: number }
  /** Somebody else moved the epoch or took the lease. Nothing was written; read again, then decide. */
  | { readonly type: "stale"; readonly epoch: number }
  /** An entry with this id and other content is stored. Nothing was written. */
  | { readonly type: "conflict"; readonly entryId: EntryId };

export interface EntryRange {
  /** Entries with a greater seq. Default 0. */
  readonly afterSeq?: number | undefined;
  /** Entries up to and with this seq. */
  readonly throughSeq?: number | undefined;
  readonly types?: readonly Entry["type"][] | undefined;
  /** At most this many: the oldest of the range, or with `newestFirst` the newest, in that order. */
  readonly limit?: number | undefined;
  readonly newestFirst?: boolean | undefined;
}

/** Part of a log, both ends included. */
export interface Stretch {
  readonly firstSeq: number;
  readonly lastSeq: number;
}

export interface StretchWeight {
  readonly messages: number;
  /** As they were counted when they were appended; what nobody counted weighs nothing. */
  readonly tokens: number;
}

export interface StoredView extends StoredSession {
  /**
   * In order: every message that the head keeps, every message and note above its floor (both by `readingHead`), and
   * every entry after `head.foldedThroughSeq` but summaries, which are large and in the head already. Reading them costs what
   * the view costs, not what the log costs.
   */
  readonly entries: readonly Entry[];
}

export interface Lease {
  /** Grows with every grant of this session. */
  readonly fence: number;
  /** Proves to `renew` and `release` that the lease is the caller's. */
  readonly token: string;
}

export interface SearchQuery {
  /**
   * Plain text, never syntax or a pattern. Blank finds nothing. In the order `newest` it is found as it stands; in the
   * order `relevance` a message must hold every word of it (of very long ones the first sixteen), wherever they stand
   * and whatever they are part of.
   */
  readonly text: string;
  /**
   * `newest` (the default): the last appended first, whatever clocks said. `relevance`: those first that say the words
   * more often in fewer characters, equal ones as in `newest`; of words that more than two thousand messages hold, the
   * newest two thousand are compared, so that no search takes long.
   */
  readonly order?: "newest" | "relevance" | undefined;
  readonly sessionId?: SessionId | undefined;
  readonly role?: Role | undefined;
  readonly limit: number;
}

export interface SearchHit {
  readonly sessionId: SessionId;
  readonly seq: number;
  readonly messageId: MessageId;
  readonly role: Role;
  /** Text around the match: the query as it stands, or else the first of its words. */
  readonly snippet: string;
  /** Where the match stands inside the snippet, in UTF-16 units. */
  readonly matchStart: number;
  readonly matchLength: number;
}

export interface TenantStatistics {
  readonly sessions: number;
  /** What forks inherit is counted where it was written; the same holds for messages. */
  readonly entries: number;
  readonly messages: number;
  /** Images, files and long texts that are kept beside the entries, and their bytes. */
  readonly blobs: { readonly count: number; readonly bytes: number };
}

export interface TenantStore {
  /** Creates a session with an empty log. `head` is what a fork inherits; an ordinary session starts empty. */
  createSession(header: SessionHeader, head: Head): Promise<"created" | "exists">;
  findSession(id: SessionId): Promise<StoredSession | undefined>;
  /** Newest first by `updatedAt`, then by id. `after` is the last one of the page before. */
  listSessions(options: {
    readonly limit: number;
    readonly after?: Pick<SessionSummary, "id" | "updatedAt"> | undefined;
  }): Promise<readonly SessionSummary[]>;
  /** One session as the list shows it, without reading its log. */
  describeSession(id: SessionId): Promise<SessionSummary | undefined>;
  /** Forks made directly from a session. */
  listForks(id: SessionId): Promise<readonly SessionId[]>;
  /** Without a title it has none any more. False where there is no such session. */
  renameSession(id: SessionId, title: string | undefined): Promise<boolean>;
  /** Removes a session with everything that only it can reach. Refused with `false` while a fork still reads it. */
  deleteSession(id: SessionId): Promise<boolean>;

  /**
   * All entries or none, at consecutive seqs in the given order. Message ids are idempotent for ever: a message whose
   * id is stored with the same hash is answered as stored and takes no seq. Two entries of one batch with one id are
   * treated alike. A fork's log includes what it inherits. Fails with `session-not-found`, and with `message-invalid`
   * where a message carries more than five images or one image or file of more than 5 MB.
   */
  append(id: SessionId, batch: AppendBatch): Promise<AppendOutcome>;

  /** Entries in order, inherited ones included. An unknown session has none. */
  readEntries(id: SessionId, range: EntryRange): Promise<readonly Entry[]>;
  readView(id: SessionId): Promise<StoredView | undefined>;
  findMessage(id: SessionId, messageId: MessageId): Promise<MessageEntry | undefined>;
  findEntry(id: SessionId, entryId: EntryId): Promise<Entry | undefined>;
  /** Ids and hashes of all messages in order, for comparing a resent list. */
  readMessageKeys(
    id: SessionId,
  ): Promise<readonly { readonly seq: number; readonly id: MessageId; readonly hash: string }[]>;

  /**
   * How much was said in each of these stretches, inherited messages and erased ones included. They are in order and do
   * not overlap. Databases answer without reading what was said. Nothing was said in an unknown session.
   */
  weighMessages(id: SessionId, stretches: readonly Stretch[]): Promise<readonly StretchWeight[]>;

  /** Adds counts by one counter beside messages that are stored already. Repeating it changes nothing. */
  addCounts(id: SessionId, counterId: CounterId, counts: ReadonlyMap<number, number>): Promise<void>;

  /**
   * Substrings of what was said, whatever the case and however accents are written: canonically equal texts are one. A
   * message is found once, in the session that it was said in; in a search of one session what it inherits is found there. Needs no index: one that lags or is damaged costs time.
   */
  search(query: SearchQuery): Promise<readonly SearchHit[]>;

  /** Costs what a list of all sessions and blobs costs, however many entries there are. */
  statistics(): Promise<TenantStatistics>;

  /** Grants the session to one caller for a while, by the store's own clock; `undefined` while another holds it. */
  lease(id: SessionId, ttlMs: number): Promise<Lease | undefined>;
  /** False when the lease ran out and was granted to somebody else. */
  renew(id: SessionId, lease: Lease, ttlMs: number): Promise<boolean>;
  release(id: SessionId, lease: Lease): Promise<void>;
}
