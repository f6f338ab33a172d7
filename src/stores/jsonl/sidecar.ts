/**
 * The index of a tenant's files, with the tables of the SQLite store; heads and entries have the places of their lines
 * instead of contents. It can be rebuilt from the files, except for the holders of leases.
 */
import { randomUUID } from "node:crypto";
import { type Fields, isObject } from "../../core/check-value.ts";
import { PalimpsestError } from "../../core/errors.ts";
import type { SessionId } from "../../core/log/entry.ts";
import {
  createDamageError,
  findTextColumn,
  type Row,
  readJson,
  readNumberColumn,
  readTextColumn,
  type Statement,
  sql,
} from "../sql/driver.ts";
import { isMigrated, migrateSqlite } from "../sql/migrate-sqlite.ts";
import type { Migration } from "../sql/migration.ts";
import { SessionRemover } from "../sql/session-remover.ts";
import { type SqlContext, StoreWarnings, warnIfChanged, withIndexRecovery } from "../sql/sql-context.ts";
import type { SessionPlace } from "../sql/sql-statements.ts";
import { SqlTenant } from "../sql/sql-store.ts";
import { fromSessionRow, type SessionRow } from "../sql/stored-session.ts";
import { fromStoredText, toStoredText } from "../sql/stored-text.ts";
import { TextIndexer } from "../sql/text-indexer.ts";
import { WordIndexer } from "../sql/word-indexer.ts";
import { loadSqlite } from "../sqlite/load-sqlite.ts";
import { SqliteDriver } from "../sqlite/sqlite-driver.ts";
import { SQLITE_MIGRATIONS } from "../sqlite/sqlite-migrations.ts";
import { SQLITE_STATEMENTS } from "../sqlite/sqlite-statements.ts";
import type { FileName } from "./folder-layout.ts";
import { type LinePlace, MAX_LINE_BYTES } from "./line.ts";
import type { FileState, JsonlHost, LastLine } from "./open-files.ts";
import { type FileSource, LineContents } from "./read-lines.ts";

/** A file has one tenant; the column only distinguishes tenants in databases with several. */
const TENANT = "local";
const LOCK_TIMEOUT_MS = 5_000;
export const IN_MEMORY = ":memory:";

/** The tables of the SQLite store, and those of the sidecar. The `mark` of a session is the name of its file. */
const MIGRATIONS: readonly Migration[] = [
  ...SQLITE_MIGRATIONS,
  {
    version: SQLITE_MIGRATIONS.length + 1,
    name: "places of lines in files",
    statements: [
      `CREATE TABLE files (
        file_key INTEGER PRIMARY KEY AUTOINCREMENT,
        name TEXT NOT NULL UNIQUE,
        inode TEXT NOT NULL,
        size REAL NOT NULL,
        modified_ms REAL NOT NULL,
        end_offset REAL NOT NULL,
        needs_newline INTEGER NOT NULL,
        last_line TEXT,
        holes TEXT NOT NULL
      ) STRICT`,
      "CREATE INDEX sessions_file ON sessions (mark)",
      // 1 while every file is indexed and no writer is active.
      "CREATE TABLE completeness (is_complete INTEGER NOT NULL) STRICT",
      "INSERT INTO completeness VALUES (0)",
    ],
  },
];

const UNUSABLE: ReadonlySet<unknown> = new Set(["corrupt", "changed", "not-a-database"]);

/** Returns whether an error means that the sidecar is damaged. */
export function isUnusable(error: unknown): boolean {
  return error instanceof PalimpsestError && UNUSABLE.has(error.details.reason);
}

export interface SidecarOptions {
  /** `IN_MEMORY` for an index that only this store uses. */
  readonly path: string;
  /** Whether it may be migrated and changed. */
  readonly isWritable: boolean;
  readonly host: JsonlHost;
  readonly files: FileSource;
}

export class Sidecar {
  readonly isWritable: boolean;
  readonly isPrivate: boolean;
  readonly sql: SqlContext;
  readonly tenant: SqlTenant;
  readonly #driver: SqliteDriver;
  readonly #indexer: TextIndexer;
  readonly #wordIndexer: WordIndexer;
  readonly #remover: SessionRemover;
  readonly #names = new Map<number, FileName>();

  private constructor(driver: SqliteDriver, { path, isWritable, host, files }: SidecarOptions) {
    this.#driver = driver;
    this.isWritable = isWritable;
    this.isPrivate = path === IN_MEMORY;
    // Only a writer may rebuild the index of texts.
    const statements = isWritable ? SQLITE_STATEMENTS : { ...SQLITE_STATEMENTS, rebuildIndex: [] };
    this.#indexer = new TextIndexer({ driver, statements });
    this.#wordIndexer = new WordIndexer({ driver, statements, isReadOnly: !isWritable });
    const warnings = new StoreWarnings(path, ({ text }) => host.warn({ text, path }));
    const write = (slice: readonly Statement[]) =>
      withIndexRecovery({ indexer: this.#indexer, warnings }, () => driver.batch(slice));
    this.#remover = new SessionRemover({ driver, statements, indexer: this.#indexer, write });
    if (isWritable) this.#remover.schedule();
    this.sql = {
      driver,
      statements,
      indexer: this.#indexer,
      wordIndexer: this.#wordIndexer,
      remover: this.#remover,
      warnings,
      contents: new LineContents(files, (key) => this.#nameOf(key)),
      now: () => host.now(),
    };
    this.tenant = new SqlTenant(TENANT, this.sql);
  }

  /** Returns undefined if the sidecar needs a migration and must not be changed. */
  static async open(options: SidecarOptions): Promise<Sidecar | undefined> {
    const { path, isWritable, host } = options;
    const durability = host.fsync === "never" ? "off" : "normal";
    const driver = new SqliteDriver(loadSqlite(), { path, durability, lockTimeoutMs: LOCK_TIMEOUT_MS });
    try {
      if (isWritable) await migrateSqlite(driver, MIGRATIONS);
      else if (!(await isMigrated(driver, MIGRATIONS))) {
        await driver.close();
        return undefined;
      }
    } catch (error) {
      await driver.close();
      throw error;
    }
    return new Sidecar(driver, options);
  }

  placeOf(id: SessionId): SessionPlace {
    return { tenant: TENANT, id: toStoredText(id) };
  }

  async read(statement: Statement): Promise<readonly Row[]> {
    const [rows = []] = await this.#driver.read([statement]);
    return rows;
  }

  /** Writes all statements or none. Returns whether no guard refused. */
  async write(statements: readonly Statement[]): Promise<boolean> {
    const isWritten = (await this.#driver.batch(statements)) !== undefined;
    this.#indexer.schedule();
    return isWritten;
  }

  /** Hides a session; returns its key, or undefined if it does not exist or a fork reads it. */
  async hideSession(id: SessionId): Promise<number | undefined> {
    const [[row] = []] = (await this.#driver.batch([this.hide(id)])) ?? [];
    return row && readNumberColumn(row, "session_key");
  }

  /** Returns the statement that hides a session. `removeHidden` removes the session's rows. */
  hide(id: SessionId): Statement {
    return this.sql.statements.hideSession({ ...this.placeOf(id), mark: randomUUID() });
  }

  /** Removes the rows of a hidden session in slices. */
  async removeHidden(key: number): Promise<void> {
    await this.#remover.remove({ tenant: TENANT, key });
  }

  async findSession(id: SessionId): Promise<SessionRow | undefined> {
    const [row] = await this.read(this.sql.statements.findSession(this.placeOf(id)));
    if (row === undefined) return undefined;
    // A wrong row would be copied into lines of the file.
    warnIfChanged(row, this.sql);
    return fromSessionRow(row, TENANT);
  }

  async findSessionId(key: number): Promise<SessionId | undefined> {
    const [row] = await this.read(sql`SELECT id FROM sessions WHERE tenant = ${TENANT} AND session_key = ${key}`);
    return row && fromStoredText(readTextColumn(row, "id"));
  }

  async listSessionIds(name: FileName): Promise<readonly SessionId[]> {
    const rows = await this.read(sql`SELECT id FROM sessions WHERE mark = ${name} ORDER BY session_key DESC`);
    return rows.map((row) => fromStoredText(readTextColumn(row, "id")));
  }

  async findFile(name: FileName): Promise<FileState | undefined> {
    const [row] = await this.read(sql`SELECT * FROM files WHERE name = ${name}`);
    return row && toFileState(row);
  }

  async listFiles(): Promise<ReadonlyMap<FileName, FileState>> {
    const rows = await this.read(sql`SELECT * FROM files`);
    return new Map(rows.map((row) => [readTextColumn(row, "name"), toFileState(row)]));
  }

  async addFile(name: FileName): Promise<FileState> {
    await this.write([
      sql`INSERT INTO files (name, inode, size, modified_ms, end_offset, needs_newline, holes)
        VALUES (${name}, '', -1, 0, 0, 0, '[]') ON CONFLICT (name) DO UPDATE SET inode = '', size = -1, end_offset = 0,
        needs_newline = 0, last_line = NULL, holes = '[]'`,
    ]);
    const state = await this.findFile(name);
    if (state === undefined) throw new TypeError(`The sidecar has no row for the file ${name} that was just added.`);
    return state;
  }

  async findGreatestEntryNumber(): Promise<number> {
    const [row] = await this.read(sql`SELECT max(0, coalesce(max(entry_key), 0)) AS entry_number FROM entries`);
    return row === undefined ? 0 : readNumberColumn(row, "entry_number");
  }

  async isComplete(): Promise<boolean> {
    const [row] = await this.read(sql`SELECT is_complete FROM completeness`);
    return row !== undefined && readNumberColumn(row, "is_complete") === 1;
  }

  async setComplete(isComplete: boolean): Promise<void> {
    await this.write([sql`UPDATE completeness SET is_complete = ${isComplete ? 1 : 0}`]);
  }

  /** Overwrites erased texts, which stay in the write-ahead log until a checkpoint. Best effort. */
  async purge(): Promise<void> {
    await this.#driver.execute("PRAGMA wal_checkpoint(TRUNCATE)").catch(() => undefined);
  }

  async close(): Promise<void> {
    await this.#remover.close();
    await this.#wordIndexer.close();
    await this.#indexer.close();
    await this.#driver.close();
  }

  async #nameOf(key: number): Promise<FileName | undefined> {
    const known = this.#names.get(key);
    if (known !== undefined) return known;
    const [row] = await this.read(sql`SELECT name FROM files WHERE file_key = ${key}`);
    const name = row && readTextColumn(row, "name");
    if (name !== undefined) this.#names.set(key, name);
    return name;
  }
}

function toFileState(row: Row): FileState {
  return {
    key: readNumberColumn(row, "file_key"),
    stamp: {
      inode: readTextColumn(row, "inode"),
      size: readNumberColumn(row, "size"),
      modifiedMs: readNumberColumn(row, "modified_ms"),
    },
    end: readNumberColumn(row, "end_offset"),
    needsNewline: readNumberColumn(row, "needs_newline") === 1,
    last: findTextColumn(row, "last_line") === undefined ? undefined : readLastLine(row),
    holes: readHoles(row),
  };
}

function readLastLine(row: Row): LastLine {
  const last = readJson(row, "last_line");
  if (isPlace(last) && last.length <= MAX_LINE_BYTES && typeof last.sum === "string") return { ...last, sum: last.sum };
  throw createDamageError("The column last_line does not contain a line");
}

function readHoles(row: Row): readonly LinePlace[] {
  const holes = readJson(row, "holes");
  if (Array.isArray(holes) && holes.every(isPlace)) return holes;
  throw createDamageError("The column holes does not contain lines");
}

function isPlace(value: unknown): value is LinePlace & Fields {
  return isObject(value) && isCount(value.offset) && isCount(value.length);
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
