/** A store in memory, with every guarantee of the port but durability. Other stores are compared with it. */
import { checkOptions, FUNCTION } from "../../core/check-options.ts";
import { PalimpsestError, sessionNotFound } from "../../core/errors.ts";
import { type Entry, isShownType, type MessageEntry, type SessionId } from "../../core/log/entry.ts";
import { findKeptSeqs, findViewFloorSeq, type Head, makeReadingHead } from "../../core/log/head.ts";
import { messageText } from "../../core/message/message-text.ts";
import { normalizeQuery } from "../../core/message/search-text.ts";
import { takeHead } from "../../core/message/whole-text.ts";
import { runInSteps } from "../../ports/run-in-steps.ts";
import type { SearchHit, SessionSummary, Store, TenantStore } from "../../ports/store.ts";
import { BlobCollector } from "../blobs/blob.ts";
import { checkBatch, detachBlobs } from "../blobs/detach-blobs.ts";
import { chooseCandidates } from "../shared/choose-candidates.ts";
import { findInMessage, parseQuery, takeBest } from "../shared/find-in-message.ts";
import { PartLimiter } from "../shared/part-of-view.ts";
import { TokenMeter } from "../shared/weigh-stretches.ts";
import { MemoryLog } from "./memory-log.ts";

/** The clock of a store in memory, for tests. */
export interface MemoryStoreOptions {
  /** Monotonic clock of leases, in milliseconds. */
  readonly monotonicNow?: (() => number) | undefined;
}

/**
 * Returns a store in this process. It is empty after a restart.
 *
 * @example
 * ```ts
 * const palimpsest = await openPalimpsest({ store: createMemoryStore() });
 * ```
 */
export function createMemoryStore(options: MemoryStoreOptions = {}): Store {
  checkOptions(options, { monotonicNow: FUNCTION }, "createMemoryStore");
  const tenants = new Map<string, MemoryTenant>();
  const monotonicNow = options.monotonicNow ?? (() => performance.now());
  let isClosed = false;
  return {
    name: "memory",
    tenant(tenantId): TenantStore {
      if (isClosed) throw new PalimpsestError("closed", "The memory store was closed; open a new one.");
      const tenant = tenants.get(tenantId) ?? new MemoryTenant(monotonicNow);
      tenants.set(tenantId, tenant);
      return tenant;
    },
    async close() {
      isClosed = true;
      for (const tenant of tenants.values()) tenant.close();
      tenants.clear();
    },
  };
}

const PREVIEW_CHARACTERS = 100;

class MemoryTenant implements TenantStore {
  readonly #sessions = new Map<SessionId, MemoryLog>();
  #isClosed = false;
  #orders = 0;
  readonly #monotonicNow: () => number;

  constructor(monotonicNow: () => number) {
    this.#monotonicNow = monotonicNow;
  }

  close(): void {
    this.#isClosed = true;
    this.#sessions.clear();
  }

  readonly createSession: TenantStore["createSession"] = async (header, head) => {
    if (this.#logs.has(header.id)) return "exists";
    const parent = header.fork === undefined ? undefined : this.#require(header.fork.parentId);
    this.#logs.set(header.id, new MemoryLog(header, { head, parent, nextOrder: () => ++this.#orders }));
    return "created";
  };

  readonly findSession: TenantStore["findSession"] = async (id) => {
    const log = this.#logs.get(id);
    return log && { header: log.header, head: log.head, lastSeq: log.lastSeq };
  };

  readonly listSessions: TenantStore["listSessions"] = async ({ limit, after }) => {
    const isLater = ({ updatedAt, sessionId }: MemoryLog) =>
      after === undefined ||
      updatedAt < after.updatedAt ||
      (updatedAt === after.updatedAt && compareIds(sessionId, after.id) < 0);
    return [...this.#logs.values()]
      .filter(isLater)
      .sort((left, right) => right.updatedAt - left.updatedAt || compareIds(right.sessionId, left.sessionId))
      .slice(0, limit)
      .map(summarizeSession);
  };

  readonly describeSession: TenantStore["describeSession"] = async (id) => {
    const log = this.#logs.get(id);
    return log && summarizeSession(log);
  };

  readonly listForks: TenantStore["listForks"] = async (id) =>
    [...this.#logs.values()].filter((log) => log.header.fork?.parentId === id).map((log) => log.sessionId);

  readonly renameSession: TenantStore["renameSession"] = async (id, title) => {
    const log = this.#logs.get(id);
    if (log === undefined) return false;
    log.header = { ...log.header, title };
    return true;
  };

  readonly deleteSession: TenantStore["deleteSession"] = async (id) => {
    if ((await this.listForks(id)).length > 0) return false;
    return this.#logs.delete(id);
  };

  readonly append: TenantStore["append"] = async (id, batch) => {
    checkBatch(batch.entries);
    return this.#require(id).append(batch);
  };

  readonly readEntries: TenantStore["readEntries"] = async (id, range) => this.#logs.get(id)?.read(range) ?? [];

  readonly readView: TenantStore["readView"] = async (id, part) => {
    const log = this.#logs.get(id);
    if (log === undefined) return undefined;
    const { head, header, lastSeq } = log;
    const reading = makeReadingHead(head);
    const kept = findKeptSeqs(reading).flatMap((seq) => log.findAt(seq) ?? []);
    const fromSeq = Math.min(findViewFloorSeq(reading), head.foldedThroughSeq);
    const end = new PartLimiter(fromSeq, lastSeq, part);
    for (let seq = fromSeq + 1; part !== undefined && seq <= end.throughSeq; seq += 1) {
      const entry = log.findAt(seq);
      if (entry !== undefined) end.add([entry], seq);
    }
    const above = log
      .read({ afterSeq: fromSeq, throughSeq: end.throughSeq })
      .filter((entry) => isInView(entry, reading));
    const entries = [...kept.filter((entry) => entry.seq <= fromSeq), ...above];
    return { header, head, lastSeq, entries, ...(end.throughSeq < lastSeq ? { partThroughSeq: end.throughSeq } : {}) };
  };

  readonly findMessage: TenantStore["findMessage"] = async (id, messageId) =>
    this.#logs.get(id)?.findMessage(messageId);

  readonly findEntry: TenantStore["findEntry"] = async (id, entryId) => this.#logs.get(id)?.findEntry(entryId);

  readonly readMessageKeys: TenantStore["readMessageKeys"] = async (id) => {
    const entries = this.#logs.get(id)?.read({ types: ["message"] }) ?? [];
    return entries.flatMap((entry) =>
      entry.type === "message" ? [{ seq: entry.seq, id: entry.id, hash: entry.hash }] : [],
    );
  };

  readonly weighMessages: TenantStore["weighMessages"] = async (id, stretches) => {
    const meter = new TokenMeter(stretches);
    meter.add(this.#logs.get(id)?.read({ types: ["message"] }) ?? []);
    return meter.weights;
  };

  readonly addCounts: TenantStore["addCounts"] = async (id, counterId, counts) => {
    this.#require(id).addCounts(counterId, counts);
  };

  readonly search: TenantStore["search"] = async (query) => {
    const parsed = parseQuery(query);
    if (parsed === undefined) return [];
    const found: { readonly hit: SearchHit; readonly score: number }[] = [];
    for (const { sessionId, entry } of this.#listSearched(query.sessionId)) {
      if (found.length >= parsed.maxHits) break;
      const ranked = await runInSteps(findInMessage(entry, parsed));
      if (ranked !== undefined) found.push({ hit: { ...ranked.hit, sessionId }, score: ranked.score });
    }
    return takeBest(found, parsed).map(({ hit }) => hit);
  };

  readonly findCandidates: TenantStore["findCandidates"] = async (id, query) => {
    const log = this.#logs.get(id);
    if (log === undefined) return { counts: new Map(), messages: [] };
    await runInSteps(log.indexWords());
    const { afterSeq = 0, throughSeq } = query;
    const words = query.words.filter((word) => normalizeQuery(word) !== "");
    const rows = words.flatMap((word) => log.findWordRows(word, { afterSeq, throughSeq }));
    const { counts, seqs } = chooseCandidates(rows, query);
    const messages = seqs.flatMap((seq) => {
      const entry = log.findAt(seq);
      return entry?.type === "message" && entry.erased !== true ? [entry] : [];
    });
    return { counts, messages };
  };

  readonly statistics: TenantStore["statistics"] = async () => {
    const logs = [...this.#logs.values()];
    const collector = new BlobCollector();
    for (const message of logs.flatMap((log) => log.largeMessages)) await detachBlobs(message, collector, { at: 0 });
    const sizes = [...collector.blobs.values()].map(({ bytes }) => bytes.length);
    return {
      sessions: logs.length,
      entries: sum(logs.map(({ ownCounts }) => ownCounts.entries)),
      messages: sum(logs.map(({ ownCounts }) => ownCounts.messages)),
      blobs: { count: sizes.length, bytes: sum(sizes) },
    };
  };

  readonly lease: TenantStore["lease"] = async (id, ttlMs) => {
    const log = this.#require(id);
    const now = this.#monotonicNow();
    if (log.heldLease !== undefined && log.heldLease.untilMs > now) return undefined;
    log.fence += 1;
    const lease = { fence: log.fence, token: crypto.randomUUID() };
    log.heldLease = { lease, untilMs: now + ttlMs };
    return lease;
  };

  readonly renew: TenantStore["renew"] = async (id, lease, ttlMs) => {
    const log = this.#require(id);
    if (log.heldLease?.lease.token !== lease.token) return false;
    log.heldLease = { lease, untilMs: this.#monotonicNow() + ttlMs };
    return true;
  };

  readonly release: TenantStore["release"] = async (id, lease) => {
    const log = this.#require(id);
    if (log.heldLease?.lease.token === lease.token) log.heldLease = undefined;
  };

  get #logs(): Map<SessionId, MemoryLog> {
    if (this.#isClosed) throw new PalimpsestError("closed", "The memory store was closed; open a new one.");
    return this.#sessions;
  }

  /** Lists messages newest first: of one session with what it inherits, or of all sessions, each once. */
  #listSearched(id: SessionId | undefined): readonly { readonly sessionId: SessionId; readonly entry: MessageEntry }[] {
    if (id !== undefined) {
      const entries = this.#logs.get(id)?.read({ types: ["message"], newestFirst: true }) ?? [];
      return entries.flatMap((entry) => (entry.type === "message" ? [{ sessionId: id, entry }] : []));
    }
    return [...this.#logs.values()]
      .flatMap((log) => log.listOwnMessages().map((said) => ({ ...said, sessionId: log.sessionId })))
      .sort((left, right) => right.order - left.order);
  }

  #require(id: SessionId): MemoryLog {
    const log = this.#logs.get(id);
    if (log === undefined) throw sessionNotFound(id);
    return log;
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

/** Compares by code points, as databases do. */
function compareIds(left: SessionId, right: SessionId): number {
  return Buffer.compare(Buffer.from(left), Buffer.from(right));
}

/** Returns whether an entry is above the floor or not folded into the head yet. */
function isInView(entry: Entry, head: Head): boolean {
  if (entry.seq > head.foldedThroughSeq) return entry.type !== "summary";
  return isShownType(entry.type) && entry.seq > findViewFloorSeq(head);
}

function summarizeSession(log: MemoryLog): SessionSummary {
  const { id, title, createdAt, fork } = log.header;
  const first = log.firstMessage;
  return {
    id,
    title,
    createdAt,
    updatedAt: log.updatedAt,
    messageCount: log.messageCount,
    preview: first === undefined ? "" : takeHead(messageText(first.message), PREVIEW_CHARACTERS),
    firstRole: first?.message.role,
    fork,
  };
}
