/** A store from a driver and a dialect. Each operation is one read or one guarded batch. */
import { randomUUID } from "node:crypto";
import { invariant, PalimpsestError, sessionNotFound } from "../../core/errors.ts";
import type { SessionId } from "../../core/log/entry.ts";
import type { Head } from "../../core/log/head.ts";
import type { MessageId } from "../../core/message/message.ts";
import type { Store, TenantStore } from "../../ports/store.ts";
import { checkBatch } from "../blobs/detach-blobs.ts";
import { cutStretches } from "../shared/weigh-stretches.ts";
import { appendBatch } from "./append-batch.ts";
import {
  isOutcomeUnknown,
  type Row,
  readNumberColumn,
  readTextColumn,
  type Statement,
  waitForEventLoop,
} from "./driver.ts";
import { findCandidates } from "./find-candidates.ts";
import { findEntry, readLog } from "./read-entries.ts";
import { readView } from "./read-view.ts";
import { restoreIfChanged } from "./restore-head.ts";
import { searchMessages } from "./search-messages.ts";
import { SessionRemover } from "./session-remover.ts";
import { type OnWarning, type SqlContext, StoreWarnings, warnIfChanged, withIndexRecovery } from "./sql-context.ts";
import type { SessionPlace, SqlStatements } from "./sql-statements.ts";
import { toStoredCounts } from "./stored-entry.ts";
import {
  fromHeadRow,
  fromSessionRow,
  fromSummaryRow,
  type SessionRow,
  toStoredFork,
  toStoredHead,
} from "./stored-session.ts";
import { fromStoredText, toStoredText } from "./stored-text.ts";
import { TextIndexer } from "./text-indexer.ts";
import { WordIndexer } from "./word-indexer.ts";

export interface SqlStoreOptions extends Omit<SqlContext, "indexer" | "wordIndexer" | "remover" | "warnings"> {
  readonly onWarning?: OnWarning | undefined;
}

export function createSqlStore(options: SqlStoreOptions): Store {
  const { driver, statements, onWarning, ...rest } = options;
  const warnings = new StoreWarnings(driver.name, onWarning);
  const indexer = new TextIndexer({ driver, statements });
  const wordIndexer = new WordIndexer({ driver, statements });
  const write = (slice: readonly Statement[]) =>
    withIndexRecovery({ ...rest, indexer, warnings }, () => driver.batch(slice));
  const remover = new SessionRemover({ driver, statements, indexer, write });
  let isClosed = false;
  // A process may have ended before its texts were indexed, or its deletions finished.
  indexer.schedule();
  remover.schedule();
  return {
    name: driver.name,
    tenant(tenantId) {
      if (isClosed) throw new PalimpsestError("closed", `The store ${driver.name} was closed; open a new one.`);
      const tenant = toStoredText(tenantId);
      const own = driver.forTenant?.(tenant) ?? driver;
      return new SqlTenant(tenant, { ...rest, driver: own, statements, warnings, indexer, wordIndexer, remover });
    },
    async close() {
      if (isClosed) return;
      isClosed = true;
      await remover.close();
      await wordIndexer.close();
      await indexer.close();
      await driver.close();
    },
  };
}

export class SqlTenant implements TenantStore {
  readonly #tenant: string;
  readonly #context: SqlContext;

  constructor(tenant: string, context: SqlContext) {
    this.#tenant = tenant;
    this.#context = context;
  }

  readonly createSession: TenantStore["createSession"] = async (header, head) => {
    const { id, title, createdAt, fork } = header;
    const place = { ...this.#place(id), mark: randomUUID() };
    if ((await this.#find(id)) !== undefined) return "exists";
    const parent = fork === undefined ? undefined : await this.#require(fork.parentId);
    const stored = {
      title: title === undefined ? null : toStoredText(title),
      createdAt,
      messageCount: head.messageCount,
      fork: parent && fork && toStoredFork(parent, fork),
    };
    const { statements, driver } = this.#context;
    const created = await driver.batch([
      statements.insertSession(place, { ...stored, epoch: head.epoch }),
      statements.insertHead(place, toStoredHead(head)),
    ]);
    // Another writer created this session or deleted the parent first.
    return created === undefined ? this.createSession(header, head) : "created";
  };

  readonly findSession: TenantStore["findSession"] = async (id) => {
    const { driver, statements, contents } = this.#context;
    const place = this.#place(id);
    const [[row] = [], [found] = []] = await driver.read([statements.findSession(place), statements.findHead(place)]);
    if (row === undefined || found === undefined) return undefined;
    warnIfChanged(row, this.#context);
    if (await restoreIfChanged(found, { place, session: row, sql: this.#context })) return this.findSession(id);
    const headRow = (await contents?.readHead(found)) ?? found;
    const { header, lastSeq } = fromSessionRow(row, this.#tenant);
    let head: Head | undefined;
    // Parses the head on first use: many callers only check that the session exists, and the head of a long
    // conversation is large.
    return {
      header,
      lastSeq,
      get head() {
        head ??= fromHeadRow(headRow).head;
        return head;
      },
    };
  };

  readonly listSessions: TenantStore["listSessions"] = async ({ limit, after }) => {
    const page = { limit, after: after && { updatedAt: after.updatedAt, id: toStoredText(after.id) } };
    const rows = await this.#read(this.#statements.listSessions(this.#tenant, page));
    for (const row of rows) warnIfChanged(row, this.#context);
    return rows.map(fromSummaryRow);
  };

  readonly describeSession: TenantStore["describeSession"] = async (id) => {
    const [row] = await this.#read(this.#statements.findSummary(this.#place(id)));
    if (row === undefined) return undefined;
    warnIfChanged(row, this.#context);
    return fromSummaryRow(row);
  };

  readonly listForks: TenantStore["listForks"] = async (id) => {
    const rows = await this.#read(this.#statements.listForks(this.#place(id)));
    return rows.map((row) => fromStoredText(readTextColumn(row, "id")));
  };

  readonly renameSession: TenantStore["renameSession"] = async (id, title) => {
    const stored = title === undefined ? null : toStoredText(title);
    return this.#write(this.#statements.renameSession(this.#place(id), stored));
  };

  readonly deleteSession: TenantStore["deleteSession"] = async (id) => {
    const { driver, remover, afterErase } = this.#context;
    const place = { ...this.#place(id), mark: randomUUID() };
    const hide = async () => (await driver.batch([this.#statements.hideSession(place)]))?.[0]?.[0];
    const hidden = await withIndexRecovery(this.#context, hide).catch((error: unknown) => {
      if (!isOutcomeUnknown(error)) throw error;
      return "unknown" as const;
    });
    if (hidden === "unknown") {
      remover.schedule();
      return (await this.#find(id)) === undefined || this.deleteSession(id);
    }
    if (hidden === undefined) return false;
    await remover.remove({ tenant: this.#tenant, key: readNumberColumn(hidden, "session_key") });
    await afterErase?.().catch(() => undefined);
    return true;
  };

  readonly append: TenantStore["append"] = async (id, batch) => {
    checkBatch(batch.entries);
    const outcome = await appendBatch(batch, { place: this.#place(id), sql: this.#context });
    if (outcome === undefined) throw sessionNotFound(id);
    return outcome;
  };

  readonly readEntries: TenantStore["readEntries"] = async (id, range) => {
    const session = await this.#find(id);
    return session === undefined ? [] : readLog(session, range, this.#context);
  };

  readonly readView: TenantStore["readView"] = async (id, part) => readView(this.#place(id), this.#context, part);

  readonly findMessage: TenantStore["findMessage"] = async (id, messageId) => {
    const entry = await this.findEntry(id, messageId);
    return entry?.type === "message" ? entry : undefined;
  };

  readonly findEntry: TenantStore["findEntry"] = async (id, entryId) => {
    const session = await this.#find(id);
    return session && findEntry(session.segments, { id: entryId, sql: this.#context });
  };

  readonly readMessageKeys: TenantStore["readMessageKeys"] = async (id) => {
    const session = await this.#find(id);
    const keys: { readonly seq: number; readonly id: MessageId; readonly hash: string }[] = [];
    for (const segment of (session?.segments ?? []).toReversed()) {
      for (let afterSeq = 0; ; ) {
        const rows = await this.#read(this.#statements.readMessageKeys(segment, { afterSeq, limit: KEYS_PER_PAGE }));
        for (const row of rows) keys.push(readKey(row));
        if (rows.length < KEYS_PER_PAGE) break;
        afterSeq = keys.at(-1)?.seq ?? 0;
        await waitForEventLoop();
      }
    }
    return keys;
  };

  readonly weighMessages: TenantStore["weighMessages"] = async (id, stretches) => {
    const weights = stretches.map(() => ({ messages: 0, tokens: 0 }));
    const segments = stretches.length === 0 ? [] : ((await this.#find(id))?.segments ?? []);
    if (segments.length === 0) return weights;
    const { driver, statements } = this.#context;
    for (const [index, pieces] of cutStretches(stretches).entries()) {
      if (index > 0) await waitForEventLoop();
      const rows = await driver.read(segments.map((segment) => statements.weighMessages(segment, pieces)));
      for (const row of rows.flat()) {
        const weight = weights[pieces[readNumberColumn(row, "stretch")]?.stretchIndex ?? -1];
        invariant(weight !== undefined, "a database returns only the stretches that it was asked for");
        weight.messages += readNumberColumn(row, "messages");
        weight.tokens += readNumberColumn(row, "tokens");
      }
    }
    return weights;
  };

  readonly addCounts: TenantStore["addCounts"] = async (id, counterId, counts) => {
    const { segments } = await this.#require(id);
    const stored = toStoredCounts(counterId, [...counts]);
    // Counts of inherited messages are stored with the parent; a segment ignores seqs that it does not have.
    await this.#write(...segments.flatMap((segment) => this.#statements.addCounts(segment, ...stored)));
  };

  readonly search: TenantStore["search"] = async (query) => {
    const session = query.sessionId === undefined ? undefined : await this.#find(query.sessionId);
    if (query.sessionId !== undefined && session === undefined) return [];
    return searchMessages(query, { tenant: this.#tenant, segments: session?.segments, sql: this.#context });
  };

  readonly findCandidates: TenantStore["findCandidates"] = async (id, query) => {
    const session = await this.#find(id);
    return session === undefined ? NO_CANDIDATES : findCandidates(session, query, this.#context);
  };

  readonly statistics: TenantStore["statistics"] = async () => {
    const { driver } = this.#context;
    const [[said] = [], [kept] = []] = await driver.read(this.#statements.countTenant(this.#tenant));
    invariant(said !== undefined && kept !== undefined, "counting returns a row");
    return {
      sessions: readNumberColumn(said, "sessions"),
      entries: readNumberColumn(said, "entries"),
      messages: readNumberColumn(said, "messages"),
      blobs: { count: readNumberColumn(kept, "blobs"), bytes: readNumberColumn(kept, "bytes") },
    };
  };

  readonly lease: TenantStore["lease"] = async (id, ttlMs) => {
    const token = randomUUID();
    const terms = { token, ttlMs, nowMs: this.#context.now?.() ?? null };
    const granted = await this.#context.driver.batch([this.#statements.lease(this.#place(id), terms)]);
    const [row] = granted?.[0] ?? [];
    if (row !== undefined) return { fence: readNumberColumn(row, "fence"), token };
    await this.#require(id);
    return undefined;
  };

  readonly renew: TenantStore["renew"] = async (id, { token }, ttlMs) => {
    const terms = { token, ttlMs, nowMs: this.#context.now?.() ?? null };
    const isOurs = await this.#write(this.#statements.renew(this.#place(id), terms));
    if (!isOurs) await this.#require(id);
    return isOurs;
  };

  readonly release: TenantStore["release"] = async (id, { token }) => {
    const isOurs = await this.#write(this.#statements.release(this.#place(id), token));
    if (!isOurs) await this.#require(id);
  };

  get #statements(): SqlStatements {
    return this.#context.statements;
  }

  #place(id: SessionId): SessionPlace {
    return { tenant: this.#tenant, id: toStoredText(id) };
  }

  async #find(id: SessionId): Promise<SessionRow | undefined> {
    const [row] = await this.#read(this.#statements.findSession(this.#place(id)));
    if (row === undefined) return undefined;
    warnIfChanged(row, this.#context);
    return fromSessionRow(row, this.#tenant);
  }

  async #require(id: SessionId): Promise<SessionRow> {
    const found = await this.#find(id);
    if (found === undefined) throw sessionNotFound(id);
    return found;
  }

  async #read(statement: Statement): Promise<readonly Row[]> {
    const [rows = []] = await this.#context.driver.read([statement]);
    return rows;
  }

  /** Returns whether the guard accepted the batch. */
  async #write(...statements: readonly Statement[]): Promise<boolean> {
    return (await this.#context.driver.batch(statements)) !== undefined;
  }
}

const NO_CANDIDATES = { counts: new Map<string, number>(), messages: [] };
const KEYS_PER_PAGE = 5_000;

function readKey(row: Row): { readonly seq: number; readonly id: MessageId; readonly hash: string } {
  return {
    seq: readNumberColumn(row, "seq"),
    id: fromStoredText(readTextColumn(row, "id")),
    hash: readTextColumn(row, "hash"),
  };
}
