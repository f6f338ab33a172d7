/** One tenant's sessions in files of its own folder. Nothing here can reach another tenant's. */
import { PalimpsestError } from "../../core/errors.ts";
import type { Entry, EntryId, MessageEntry, SessionId } from "../../core/log/entry.ts";
import { mapErasures } from "../../core/log/erase-entry.ts";
import { findKeptSeqs, findViewFloorSeq, type Head, makeReadingHead } from "../../core/log/head.ts";
import { isUnreadable } from "../../core/log/unreadable-entry.ts";
import type { MessageId } from "../../core/message/message.ts";
import type { CounterId } from "../../core/tokens/counter.ts";
import type {
  AppendBatch,
  AppendOutcome,
  EntryRange,
  Lease,
  SearchHit,
  SearchQuery,
  SessionHeader,
  SessionSummary,
  StoredSession,
  StoredView,
  Stretch,
  StretchWeight,
  TenantStatistics,
  TenantStore,
} from "../../ports/store.ts";
import { checkBatch } from "../blobs/check-attachments.ts";
import { parseQuery } from "../search/find-in-message.ts";
import { TokenMeter } from "../shared/weigh-stretches.ts";
import { appendBatch, type MediaOptions } from "./append-batch.ts";
import { Logs } from "./logs.ts";
import { searchLogs } from "./search-logs.ts";
import { Serial } from "./serial.ts";
import { SessionCatalogue } from "./session-catalogue.ts";
import { SessionLeases } from "./session-leases.ts";
import type { SessionLog } from "./session-log.ts";
import type { Shelf, VolumeName } from "./shelf.ts";
import { LINE_FORMAT } from "./stored-line.ts";
import { type ListedSession, selectNewest, summariseLog, withoutTurns } from "./summarise-log.ts";
import type { VolumeHost } from "./volume-host.ts";

export interface TenantHost extends VolumeHost {
  /** Fails when the store was closed. */
  assertOpen(): void;
  /** Takes the folder's lock, or fails with who holds it. */
  becomeWriter(): Promise<void>;
  readonly monotonicNow: () => number;
  readonly media: MediaOptions;
}

/** So many messages are held in memory at once where only a little of each is wanted. */
const KEYS_PAGE = 512;

export class JsonlTenant implements TenantStore {
  readonly #shelf: Shelf;
  readonly #host: TenantHost;
  readonly #logs: Logs;
  readonly #catalogue: SessionCatalogue;
  /** Sessions come and go one after another, so that no fork is made of what is being deleted. */
  readonly #comings = new Serial();
  readonly #leases: SessionLeases;

  constructor(shelf: Shelf, host: TenantHost) {
    this.#shelf = shelf;
    this.#host = host;
    this.#logs = new Logs({ shelf, host });
    this.#leases = new SessionLeases(host.monotonicNow);
    this.#catalogue = new SessionCatalogue({ shelf, host, summarise: (name) => this.#summarise(name) });
  }

  async createSession(header: SessionHeader, head: Head): Promise<"created" | "exists"> {
    if (await this.#read(header.id, async (log) => log !== undefined)) return "exists";
    await this.#host.becomeWriter();
    return this.#comings.run(async () => {
      if (header.fork !== undefined) await this.#require(header.fork.parentId, async () => undefined);
      await this.#shelf.prepare();
      return this.#create(header, head);
    });
  }

  async findSession(id: SessionId): Promise<StoredSession | undefined> {
    return this.#read(id, async (log) => log && describe(log));
  }

  async listSessions(options: Parameters<TenantStore["listSessions"]>[0]): Promise<readonly SessionSummary[]> {
    return selectNewest(await this.#list(), options);
  }

  async describeSession(id: SessionId): Promise<SessionSummary | undefined> {
    return this.#read(id, async (log) => log && withoutTurns(await summariseLog(log)));
  }

  async listForks(id: SessionId): Promise<readonly SessionId[]> {
    const forks = (await this.#list()).filter(({ fork }) => fork?.parentId === id);
    return forks.sort((left, right) => left.createdAt - right.createdAt).map((fork) => fork.id);
  }

  async renameSession(id: SessionId, title: string | undefined): Promise<boolean> {
    if (!(await this.#read(id, async (log) => log !== undefined))) return false;
    await this.#host.becomeWriter();
    return this.#change(id, async (log) => {
      const header = { ...(await log.readHeader()), title };
      const inheritedMessages = (await log.countMessages()) - log.session.messageCount;
      await log.volume.append([{ kind: "session", sessionId: id, format: LINE_FORMAT, header, inheritedMessages }]);
      return true;
    });
  }

  async deleteSession(id: SessionId): Promise<boolean> {
    if (!(await this.#read(id, async (log) => log !== undefined))) return false;
    await this.#host.becomeWriter();
    return this.#comings.run(async () => {
      if ((await this.listForks(id)).length > 0) return false;
      this.#leases.forget(id);
      return this.#change(id, async ({ volume }) => {
        await this.#shelf.removeSession(volume, id);
        return true;
      });
    });
  }

  async append(id: SessionId, batch: AppendBatch): Promise<AppendOutcome> {
    this.#host.assertOpen();
    checkBatch(batch.entries);
    await this.#host.becomeWriter();
    await this.#shelf.loadTurns();
    const takeTurns = (count: number) => this.#shelf.takeTurns(count);
    const write = (log: SessionLog) => appendBatch(log, batch, { media: this.#host.media, takeTurns });
    if (mapErasures(batch).size === 0) return this.#change(id, write);
    return this.#change(id, async (log) => {
      try {
        return await write(log);
      } finally {
        this.#touchFamily(log);
      }
    });
  }

  async readEntries(id: SessionId, range: EntryRange): Promise<readonly Entry[]> {
    return this.#read(id, async (log) => log?.read(range) ?? []);
  }

  async readView(id: SessionId): Promise<StoredView | undefined> {
    return this.#read(id, async (log) => log && readView(log));
  }

  async findMessage(id: SessionId, messageId: MessageId): Promise<MessageEntry | undefined> {
    const entry = await this.findEntry(id, messageId);
    return entry?.type === "message" ? entry : undefined;
  }

  async findEntry(id: SessionId, entryId: EntryId): Promise<Entry | undefined> {
    return this.#read(id, async (log) => log?.findEntry(entryId));
  }

  async readMessageKeys(id: SessionId) {
    return this.#read(id, async (log) => {
      const seqs = (await log?.findSeqs({ types: ["message"] })) ?? [];
      const keys: { readonly seq: number; readonly id: MessageId; readonly hash: string }[] = [];
      for (let start = 0; start < seqs.length; start += KEYS_PAGE) {
        for (const entry of (await log?.readAt(seqs.slice(start, start + KEYS_PAGE), "none")) ?? []) {
          if (entry.type === "message") keys.push({ seq: entry.seq, id: entry.id, hash: entry.hash });
        }
      }
      return keys;
    });
  }

  async weighMessages(id: SessionId, stretches: readonly Stretch[]): Promise<readonly StretchWeight[]> {
    return this.#read(id, (log) => weighLog(log, stretches));
  }

  async addCounts(id: SessionId, counterId: CounterId, counts: ReadonlyMap<number, number>): Promise<void> {
    await this.#host.becomeWriter();
    await this.#require(id, (log) => addCounts(log, counterId, counts));
  }

  async search(query: SearchQuery): Promise<readonly SearchHit[]> {
    this.#host.assertOpen();
    const wanted = parseQuery(query);
    if (wanted === undefined) return [];
    const all = query.sessionId === undefined ? [...(await this.#list())] : undefined;
    return searchLogs(wanted, {
      sessions: all?.sort((left, right) => right.lastTurn - left.lastTurn),
      withLog: (id, work) => this.#read(id, async (log) => (log === undefined ? undefined : work(log))),
    });
  }

  async statistics(): Promise<TenantStatistics> {
    const sessions = await this.#list();
    return {
      sessions: sessions.length,
      entries: sessions.reduce((total, { ownEntries }) => total + ownEntries, 0),
      messages: sessions.reduce((total, { ownMessages }) => total + ownMessages, 0),
      blobs: await this.#shelf.measureBlobs(),
    };
  }

  async lease(id: SessionId, ttlMs: number): Promise<Lease | undefined> {
    await this.#host.becomeWriter();
    return this.#require(id, (log) => this.#leases.grant(log, ttlMs));
  }

  async renew(id: SessionId, lease: Lease, ttlMs: number): Promise<boolean> {
    await this.#host.becomeWriter();
    return this.#require(id, (log) => this.#leases.renew(log, lease, ttlMs));
  }

  async release(id: SessionId, lease: Lease): Promise<void> {
    await this.#host.becomeWriter();
    await this.#require(id, (log) => this.#leases.release(log, lease));
  }

  async #create(header: SessionHeader, head: Head): Promise<"created" | "exists"> {
    const { id: sessionId } = header;
    const name = this.#shelf.nameFor(sessionId);
    this.#catalogue.touch(name);
    return this.#logs.useVolume(name, async (volume) => {
      if ((await volume.findSession(sessionId)) !== undefined) return "exists";
      await volume.create();
      await volume.append([
        { kind: "session", sessionId, format: LINE_FORMAT, header, inheritedMessages: head.messageCount },
        { kind: "head", sessionId, head },
      ]);
      return "created";
    });
  }

  async #list(): Promise<readonly ListedSession[]> {
    this.#host.assertOpen();
    return this.#catalogue.list();
  }

  async #summarise(name: VolumeName): Promise<readonly ListedSession[]> {
    const ids = await this.#logs.useVolume(name, (volume) =>
      Promise.all(volume.sessions.map((session) => volume.idOf(session))),
    );
    const summaries: ListedSession[] = [];
    for (const id of ids) {
      const summary = await this.#read(id, async (log) => log && summariseLog(log));
      if (summary !== undefined) summaries.push(summary);
    }
    return summaries;
  }

  async #read<Result>(id: SessionId, work: (log: SessionLog | undefined) => Promise<Result>): Promise<Result> {
    this.#host.assertOpen();
    return this.#logs.use(id, work);
  }

  async #require<Result>(id: SessionId, work: (log: SessionLog) => Promise<Result>): Promise<Result> {
    return this.#read(id, async (log) => {
      if (log !== undefined) return work(log);
      throw new PalimpsestError("session-not-found", `There is no session ${JSON.stringify(id)}.`);
    });
  }

  /** Previews of whom it inherits from, and of all forks, may have shown a text that is gone. */
  #touchFamily({ parent }: SessionLog): void {
    this.#catalogue.touchForks();
    for (let log = parent; log !== undefined; log = log.parent) this.#catalogue.touch(this.#shelf.nameFor(log.id));
  }

  /** Work that writes something that lists of sessions show. */
  async #change<Result>(id: SessionId, work: (log: SessionLog) => Promise<Result>): Promise<Result> {
    try {
      return await this.#require(id, work);
    } finally {
      this.#catalogue.touch(this.#shelf.nameFor(id));
    }
  }
}

async function describe(log: SessionLog): Promise<StoredSession> {
  return { header: await log.readHeader(), head: await log.readHead(), lastSeq: log.lastSeq };
}

async function readView(log: SessionLog): Promise<StoredView> {
  const session = await describe(log);
  const { head } = session;
  const reading = makeReadingHead(head);
  const floor = findViewFloorSeq(reading);
  const fromSeq = Math.min(floor, head.foldedThroughSeq);
  const kept = findKeptSeqs(reading).filter((seq) => seq <= fromSeq && seq <= log.lastSeq);
  const belowRange = { afterSeq: fromSeq, throughSeq: head.foldedThroughSeq, types: ["message", "note"] } as const;
  const below = await log.findSeqs(belowRange, { withLost: true });
  const folded = below.filter((seq) => seq > floor);
  const above = await log.findSeqs({ afterSeq: Math.max(fromSeq, head.foldedThroughSeq) }, { withLost: true });
  const entries = await log.readAt([...kept, ...folded, ...above]);
  // The head holds them already.
  return { ...session, entries: entries.filter(({ type }) => type !== "summary") };
}

async function weighLog(log: SessionLog | undefined, stretches: readonly Stretch[]): Promise<readonly StretchWeight[]> {
  const meter = new TokenMeter(stretches);
  const range = { afterSeq: (stretches[0]?.firstSeq ?? 1) - 1, throughSeq: stretches.at(-1)?.lastSeq ?? 0 };
  const seqs = (await log?.findSeqs({ ...range, types: ["message"] }, { withLost: true })) ?? [];
  for (let start = 0; start < seqs.length; start += KEYS_PAGE) {
    meter.add((await log?.readAt(seqs.slice(start, start + KEYS_PAGE), "none")) ?? []);
  }
  return meter.weights;
}

async function addCounts(log: SessionLog, counterId: CounterId, counts: ReadonlyMap<number, number>): Promise<void> {
  const { session, parent, volume, id: sessionId } = log;
  const inherited = new Map([...counts].filter(([seq]) => seq <= session.facts.baseSeq));
  if (parent !== undefined && inherited.size > 0) await addCounts(parent, counterId, inherited);
  const seqs = [...counts.keys()]
    .filter((seq) => seq > session.facts.baseSeq && seq <= log.lastSeq)
    .sort((a, b) => a - b);
  const entries = await log.readAt(seqs, "none");
  const added = entries.flatMap((entry) => {
    const tokens = counts.get(entry.seq);
    if (
      entry.type !== "message" ||
      isUnreadable(entry) ||
      tokens === undefined ||
      entry.recounts?.[counterId] === tokens
    )
      return [];
    return [[entry.seq, tokens] as const];
  });
  if (added.length > 0) await volume.append([{ kind: "counts", sessionId, counterId, counts: added }]);
}
