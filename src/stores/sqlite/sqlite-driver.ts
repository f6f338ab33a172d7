/**
 * One connection to one file. Statements of a call run without anybody else having a turn in between; a file that
 * another process is writing to is waited for without standing in the way of the rest of this one.
 */
import { closeSync, openSync } from "node:fs";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { setTimeout } from "node:timers/promises";
import { PalimpsestError } from "../../core/errors.ts";
import type { Row, SqlDriver, Statement } from "../sql/driver.ts";
import type { SqliteModule } from "./load-sqlite.ts";
import { type FailureReason, findReason, toStoreError } from "./sqlite-failure.ts";

export interface SqliteDriverOptions {
  readonly path: string;
  /** `full`: a commit survives a loss of power. `normal`: the last ones may be undone by one, whole. */
  readonly durability: "full" | "normal";
  /** How long a file that somebody else writes to is waited for. */
  readonly lockTimeoutMs: number;
  /** Another program's tables may stand in the same file. */
  readonly isShared?: boolean | undefined;
}

/** The wait inside SQLite, in which nothing else of this process runs. */
const BLOCKING_WAIT_MS = 20;
const LONGEST_PAUSE_MS = 15;
/** Between checkpoints the log may grow with what readers still need; afterwards it is cut back to this. */
const LOG_BYTES = 16 * 1024 * 1024;
const STATEMENTS_KEPT = 200;

/** A full disk is none of them: what is open can still be read. */
const NEEDS_NEW_CONNECTION: ReadonlySet<FailureReason> = new Set<FailureReason>([
  "changed",
  "corrupt",
  "medium",
  "not-a-database",
  "not-openable",
  "read-only",
]);

export class SqliteDriver implements SqlDriver {
  readonly name: string;
  readonly #sqlite: SqliteModule;
  readonly #options: SqliteDriverOptions;
  #database: DatabaseSync | undefined;
  readonly #prepared = new Map<string, StatementSync>();
  #isClosed = false;

  constructor(sqlite: SqliteModule, options: SqliteDriverOptions) {
    this.name = `sqlite:${options.path}`;
    this.#sqlite = sqlite;
    this.#options = options;
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

  async batch(statements: readonly Statement[]): Promise<readonly (readonly Row[])[] | undefined> {
    return this.#attempt((database) => {
      // At once for writing: a transaction that begins by reading cannot wait for its turn to write.
      database.exec("BEGIN IMMEDIATE");
      const results: (readonly Row[])[] = [];
      for (const statement of statements) {
        const rows = this.#run(database, statement);
        if (statement.isGuard === true && rows.length === 0) {
          database.exec("ROLLBACK");
          return undefined;
        }
        results.push(rows);
      }
      database.exec("COMMIT");
      return results;
    });
  }

  /** Statements outside of any transaction, for what SQLite does not do inside of one. */
  async execute(text: string): Promise<readonly Row[]> {
    return this.#attempt((database) => this.#run(database, { strings: [text], values: [] }));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#disconnect();
  }

  async #attempt<Result>(work: (database: DatabaseSync) => Result): Promise<Result> {
    const until = performance.now() + this.#options.lockTimeoutMs;
    for (;;) {
      if (this.#isClosed) throw new PalimpsestError("closed", `The store ${this.name} was closed; open a new one.`);
      try {
        return work(this.#connect());
      } catch (error) {
        const reason = findReason(error, this.#options.path);
        this.#recover(reason !== undefined && NEEDS_NEW_CONNECTION.has(reason));
        if (reason !== "locked" || performance.now() >= until) throw toStoreError(error, this.#options.path);
      }
      await setTimeout(1 + Math.random() * LONGEST_PAUSE_MS);
    }
  }

  #run(database: DatabaseSync, { strings, values }: Statement): readonly Row[] {
    const text = strings.join("?");
    const known = this.#prepared.get(text);
    const prepared = known ?? database.prepare(text);
    if (known === undefined) {
      if (this.#prepared.size >= STATEMENTS_KEPT) this.#prepared.clear();
      this.#prepared.set(text, prepared);
    }
    return prepared.all(...values) as unknown as readonly Row[];
  }

  #connect(): DatabaseSync {
    if (this.#database !== undefined) return this.#database;
    const { path, durability, isShared = false } = this.#options;
    if (path !== ":memory:") createPrivateFile(path);
    const database = new this.#sqlite.DatabaseSync(path);
    try {
      database.exec(`PRAGMA busy_timeout = ${BLOCKING_WAIT_MS}`);
      if (!isShared) refuseForeignFile(database, path);
      claimFile(database);
      database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${durability}; PRAGMA foreign_keys = ON;
        PRAGMA secure_delete = ON; PRAGMA cell_size_check = ON; PRAGMA trusted_schema = OFF;
        PRAGMA journal_size_limit = ${LOG_BYTES}`);
    } catch (error) {
      database.close();
      throw error;
    }
    this.#database = database;
    return database;
  }

  /** After a failure nothing of a transaction is left; after one of the medium not even the connection. */
  #recover(isBroken: boolean): void {
    if (this.#database?.isTransaction === true) {
      try {
        this.#database.exec("ROLLBACK");
      } catch {
        // SQLite has rolled back by itself, or the connection goes now.
      }
    }
    if (isBroken) this.#disconnect();
  }

  #disconnect(): void {
    this.#prepared.clear();
    const database = this.#database;
    this.#database = undefined;
    database?.close();
  }
}

/** "Pali", in the header of every file. */
export const APPLICATION_ID = 0x50616c69;

/** What somebody said is nobody else's business: a new file is its owner's alone. */
function createPrivateFile(path: string): void {
  closeSync(openSync(path, "a", 0o600));
}

/** Another program's database is left as it is. An empty file becomes ours. */
function refuseForeignFile(database: DatabaseSync, path: string): void {
  const id = database.prepare("PRAGMA application_id").get()?.application_id;
  if (id === APPLICATION_ID) return;
  const tables = database.prepare("SELECT count(*) AS count FROM sqlite_schema").get()?.count;
  if (id !== 0 || tables !== 0) {
    const text = `store: ${path} is another program's database. Choose another file.`;
    throw new PalimpsestError("config-invalid", text, { details: { key: "store", path } });
  }
}

/** Whoever looks at the file sees whose it is, unless it is another program's that says so. */
function claimFile(database: DatabaseSync): void {
  const id = database.prepare("PRAGMA application_id").get()?.application_id;
  if (id === 0) database.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
}
