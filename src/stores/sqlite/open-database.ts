/**
 * Opens a file for reading and writing, or for reading alone where this user may not write to it or to its folder. A
 * file that is only read is left as it is, and nothing is made beside it. Another program's file is never touched.
 */
import { closeSync, existsSync, openSync, statSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { PalimpsestError } from "../../core/errors.ts";
import { PRIVATE_FILE } from "../private-mode.ts";
import type { SqliteModule } from "./load-sqlite.ts";

export interface OpenOptions {
  readonly path: string;
  /** `full`: a commit survives a loss of power. `normal`: the last ones may be undone by one, whole. */
  readonly durability: "full" | "normal";
  /** Another program's tables may stand in the same file. */
  readonly isShared?: boolean | undefined;
}

export interface OpenedDatabase {
  readonly database: DatabaseSync;
  /** False where the file must be opened again to see what others have done to it. */
  isCurrent(): boolean;
}

/** The wait inside SQLite, in which nothing else of this process runs. */
const BLOCKING_WAIT_MS = 20;
/** Between checkpoints the log may grow with what readers still need; afterwards it is cut back to this. */
const LOG_BYTES = 16 * 1024 * 1024;
/** "Pali", in the header of every file. */
export const APPLICATION_ID = 0x50616c69;

export function openDatabase(sqlite: SqliteModule, options: OpenOptions): OpenedDatabase {
  refuseScrap(options.path);
  try {
    return openWritable(sqlite, options);
  } catch (error) {
    if (!isRefusal(error) || !existsSync(options.path)) throw error;
    return openReadOnly(sqlite, options);
  }
}

function openWritable(sqlite: SqliteModule, { path, durability, isShared = false }: OpenOptions): OpenedDatabase {
  if (path !== ":memory:") closeSync(openSync(path, "a", PRIVATE_FILE));
  const database = new sqlite.DatabaseSync(path);
  return prepare(database, () => {
    if (!isShared) refuseForeignFile(database, path);
    claimFile(database);
    database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${durability}; PRAGMA foreign_keys = ON;
      PRAGMA secure_delete = ON; PRAGMA cell_size_check = ON; PRAGMA trusted_schema = OFF;
      PRAGMA journal_size_limit = ${LOG_BYTES}`);
    return { database, isCurrent: () => true };
  });
}

/** What the system says of a file that may not be written, and SQLite of one whose log it cannot make. */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ("code" in error && REFUSALS.has(error.code)) return true;
  return "errcode" in error && typeof error.errcode === "number" && REFUSED.has(error.errcode & 0xff);
}

const REFUSALS: ReadonlySet<unknown> = new Set(["EACCES", "EPERM", "EROFS"]);
/** READONLY and CANTOPEN. */
const REFUSED: ReadonlySet<number> = new Set([8, 14]);

function prepare(database: DatabaseSync, work: () => OpenedDatabase): OpenedDatabase {
  try {
    database.exec(`PRAGMA busy_timeout = ${BLOCKING_WAIT_MS}`);
    return work();
  } catch (error) {
    database.close();
    throw error;
  }
}

/**
 * Whoever writes has a log of changes beside the file, and its readers share what is known of that. Where there is none
 * nobody writes, and SQLite is told that the file stays as it is: it would make a log otherwise, or fail to.
 */
function openReadOnly(sqlite: SqliteModule, { path, isShared = false }: OpenOptions): OpenedDatabase {
  const isWritten = logsOf(path).some(existsSync);
  const before = stampOf(path);
  const immutable = new URL(`${pathToFileURL(path)}?immutable=1`);
  const database = new sqlite.DatabaseSync(isWritten ? path : immutable, { readOnly: true });
  return prepare(database, () => {
    if (!isShared) refuseForeignFile(database, path);
    database.exec("PRAGMA cell_size_check = ON; PRAGMA trusted_schema = OFF");
    return { database, isCurrent: () => isWritten || stampOf(path) === before };
  });
}

function logsOf(path: string): readonly string[] {
  return [`${path}-wal`, `${path}-shm`];
}

/** Another one when somebody has written to the file, or is about to. */
function stampOf(path: string): string {
  return [path, ...logsOf(path)]
    .map((each) => statSync(each, { throwIfNoEntry: false, bigint: true }))
    .map((found) => found && [found.ino, found.size, found.mtimeNs, found.ctimeNs].join("/"))
    .join();
}

/** SQLite takes a file of one byte for an empty one, and would write over it. */
function refuseScrap(path: string): void {
  if (path === ":memory:" || statSync(path, { throwIfNoEntry: false })?.size !== 1) return;
  const text = `store: ${path} is no SQLite database: it holds one byte. Choose another file.`;
  throw new PalimpsestError("config-invalid", text, { details: { key: "store", path, reason: "not-a-database" } });
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
