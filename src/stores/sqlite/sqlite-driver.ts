/** One connection to one file. While another process writes, calls wait without blocking the event loop. */
import type { DatabaseSync } from "node:sqlite";
import { setTimeout } from "node:timers/promises";
import { PalimpsestError } from "../../core/errors.ts";
import { type Row, rawSql, type SqlDriver, type Statement, writeText } from "../sql/driver.ts";
import { BatchThread } from "./batch-thread.ts";
import type { SqliteModule } from "./load-sqlite.ts";
import { type DatabaseOptions, type OpenedDatabase, openDatabase } from "./open-database.ts";
import { PreparedStatement } from "./prepared-statement.ts";
import { findReason, type SqliteReason, toStoreError } from "./sqlite-failure.ts";
import { isLongBatch, writeLongBatch } from "./write-long-batch.ts";

export interface SqliteDriverOptions extends DatabaseOptions {
  readonly lockTimeoutMs: number;
  /** Clock for the time slices of long batches. Default `performance.now`. */
  readonly now?: (() => number) | undefined;
}

const MAX_PAUSE_MS = 15;
const STATEMENTS_KEPT = 200;

/** Failures after which the connection is replaced. A full disk is not one: the open file can still be read. */
const NEEDS_NEW_CONNECTION: ReadonlySet<SqliteReason> = new Set<SqliteReason>([
  "changed",
  "corrupt",
  "medium",
  "not-a-database",
  "not-openable",
  "read-only",
]);

type BatchRows = readonly (readonly Row[])[] | undefined;

interface WaitingBatch {
  readonly statements: readonly Statement[];
  resolve(rows: BatchRows): void;
  reject(error: unknown): void;
}

export class SqliteDriver implements SqlDriver {
  readonly name: string;
  readonly #sqlite: SqliteModule;
  readonly #options: SqliteDriverOptions;
  #opened: OpenedDatabase | undefined;
  /** How commits of the open connection are synced. */
  #syncLevel: DatabaseOptions["durability"] | undefined;
  readonly #prepared = new Map<string, PreparedStatement>();
  #waiting: WaitingBatch[] = [];
  /** The long write in progress; other writes wait for it. */
  #longWrite: Promise<void> | undefined;
  /** A database in memory, and one that is only read, have none. */
  readonly #thread: BatchThread | undefined;
  #isClosed = false;

  constructor(sqlite: SqliteModule, options: SqliteDriverOptions) {
    this.name = `sqlite:${options.path}`;
    this.#sqlite = sqlite;
    this.#options = options;
    const { path, durability, isReadOnly, isShared, lockTimeoutMs } = options;
    if (path === ":memory:" || isReadOnly === true) return;
    // Its batches may be lost.
    const level = durability === "full" ? "normal" : durability;
    this.#thread = new BatchThread({ options: { path, durability: level, isShared }, lockTimeoutMs });
  }

  async read(statements: readonly Statement[]): Promise<readonly (readonly Row[])[]> {
    return this.#attempt((database) => {
      if (statements.length === 1) return statements.map((statement) => this.#run(database, statement));
      database.exec("BEGIN");
      const rows = statements.map((statement) => this.#run(database, statement));
      database.exec("COMMIT");
      return rows;
    });
  }

  /** Batches of one turn of the event loop share a commit, and so one sync. Each is written whole or not at all. */
  batch(statements: readonly Statement[]): Promise<BatchRows> {
    const { promise, resolve, reject } = Promise.withResolvers<BatchRows>();
    this.#waiting.push({ statements, resolve, reject });
    if (this.#waiting.length === 1 && this.#longWrite === undefined) setImmediate(() => this.#writeWaiting());
    return promise;
  }

  async batchApart(statements: readonly Statement[]): Promise<BatchRows> {
    return (await this.#thread?.write(statements)) ?? this.batch(statements);
  }

  /** Runs a statement outside of any transaction, such as a checkpoint. */
  async execute(text: string): Promise<readonly Row[]> {
    return this.#attempt((database) => this.#run(database, rawSql(text)));
  }

  async close(): Promise<void> {
    this.#writeWaiting();
    while (this.#longWrite !== undefined) await this.#longWrite;
    this.#isClosed = true;
    await this.#thread?.close();
    this.#disconnect();
  }

  #writeWaiting(): void {
    if (this.#longWrite !== undefined) return;
    // A database in memory cannot have a second connection.
    const needsOwnConnection = ({ statements }: WaitingBatch) =>
      this.#options.path !== ":memory:" && isLongBatch(statements);
    const firstLong = this.#waiting.findIndex(needsOwnConnection);
    const group = this.#waiting.splice(0, firstLong === -1 ? this.#waiting.length : firstLong);
    if (group.length > 1) void this.#writeTogether(group);
    else for (const each of group) this.#writeAlone(each);
    const [long] = this.#waiting.splice(0, 1);
    if (long === undefined) return;
    this.#longWrite = this.#writeSeparately(long).finally(() => {
      this.#longWrite = undefined;
      this.#writeWaiting();
    });
  }

  async #writeSeparately({ statements, resolve, reject }: WaitingBatch): Promise<void> {
    const { path, lockTimeoutMs, now } = this.#options;
    const until = performance.now() + lockTimeoutMs;
    for (;;) {
      let separate: OpenedDatabase | undefined;
      try {
        if (this.#isClosed) throw this.#createClosedError();
        separate = openDatabase(this.#sqlite, this.#options);
        const rows = await writeLongBatch({ database: separate.database, path, statements, now });
        // Otherwise several long batches would fill the log, and one later commit would write back all of it.
        this.#checkpoint();
        return resolve(rows);
      } catch (error) {
        const isLocked = findReason(error, path) === "locked";
        if (!isLocked || performance.now() >= until) return reject(toStoreError(error, path));
      } finally {
        // Closing rolls back an open transaction.
        separate?.database.close();
      }
      await setTimeout(1 + Math.random() * MAX_PAUSE_MS);
    }
  }

  #checkpoint(): void {
    try {
      this.#connect().exec("PRAGMA wal_checkpoint(PASSIVE)");
    } catch {
      // The pages stay in the log, and the next commit tries again.
    }
  }

  #writeAlone({ statements, resolve, reject }: WaitingBatch): void {
    this.#attempt((database) => {
      this.#begin(database, { mayBeLost: statements[0]?.mayBeLost === true });
      const rows = this.#runGuarded(database, statements);
      database.exec(rows === undefined ? "ROLLBACK" : "COMMIT");
      return rows;
    }).then(resolve, reject);
  }

  #begin(database: DatabaseSync, { mayBeLost = false } = {}): void {
    const { durability } = this.#options;
    const level = mayBeLost && durability === "full" ? "normal" : durability;
    if (level !== this.#syncLevel) database.exec(`PRAGMA synchronous = ${level}`);
    this.#syncLevel = level;
    // IMMEDIATE, because a transaction that starts with a read cannot wait for the write lock.
    database.exec("BEGIN IMMEDIATE");
  }

  async #writeTogether(group: readonly WaitingBatch[]): Promise<void> {
    try {
      const outcomes = await this.#attempt((database) => {
        this.#begin(database);
        const rows = this.#runAll(database, group);
        database.exec(rows === undefined ? "ROLLBACK" : "COMMIT");
        return rows;
      });
      for (const [index, each] of group.entries()) {
        if (outcomes === undefined) this.#writeAlone(each);
        else each.resolve(outcomes[index]);
      }
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
  }

  /** Returns undefined if a batch failed: each is then written alone to find the failing one. */
  #runAll(database: DatabaseSync, group: readonly WaitingBatch[]): readonly BatchRows[] | undefined {
    try {
      return group.map(({ statements }) => {
        database.exec("SAVEPOINT one");
        const rows = this.#runGuarded(database, statements);
        if (rows === undefined) database.exec("ROLLBACK TO one");
        database.exec("RELEASE one");
        return rows;
      });
    } catch (error) {
      // A failure that ended the transaction affects every batch.
      if (!database.isTransaction) throw error;
      return undefined;
    }
  }

  /** Returns undefined if a guard refused. */
  #runGuarded(database: DatabaseSync, statements: readonly Statement[]): BatchRows {
    const results: (readonly Row[])[] = [];
    for (const statement of statements) {
      const rows = this.#run(database, statement);
      if (statement.isGuard === true && rows.length === 0) return undefined;
      results.push(rows);
    }
    return results;
  }

  async #attempt<Result>(work: (database: DatabaseSync) => Result): Promise<Result> {
    const until = performance.now() + this.#options.lockTimeoutMs;
    for (;;) {
      if (this.#isClosed) throw this.#createClosedError();
      try {
        return work(this.#connect());
      } catch (error) {
        const reason = findReason(error, this.#options.path);
        this.#recover(reason !== undefined && NEEDS_NEW_CONNECTION.has(reason));
        if (reason !== "locked" || performance.now() >= until) throw toStoreError(error, this.#options.path);
      }
      await setTimeout(1 + Math.random() * MAX_PAUSE_MS);
    }
  }

  #createClosedError(): PalimpsestError {
    return new PalimpsestError("closed", `The store ${this.name} was closed; open a new one.`);
  }

  #run(database: DatabaseSync, statement: Statement): readonly Row[] {
    const text = writeText(statement);
    const known = this.#prepared.get(text);
    const prepared = known ?? new PreparedStatement(database, text);
    if (known === undefined) {
      if (this.#prepared.size >= STATEMENTS_KEPT) this.#prepared.clear();
      this.#prepared.set(text, prepared);
    }
    return prepared.all(statement.values);
  }

  #connect(): DatabaseSync {
    if (this.#opened?.isCurrent() === false) this.#disconnect();
    this.#opened ??= openDatabase(this.#sqlite, this.#options);
    return this.#opened.database;
  }

  /** Rolls back after a failure, and closes a broken connection. */
  #recover(isBroken: boolean): void {
    const database = this.#opened?.database;
    if (database?.isTransaction === true) {
      try {
        database.exec("ROLLBACK");
      } catch {
        // SQLite has rolled back already, or the connection is closed next.
      }
    }
    if (isBroken) this.#disconnect();
  }

  #disconnect(): void {
    this.#prepared.clear();
    const opened = this.#opened;
    this.#opened = undefined;
    this.#syncLevel = undefined;
    opened?.database.close();
  }
}
