/** Opens a file for writing, or read-only without creating anything if this user cannot write. */
import { closeSync, existsSync, openSync, statSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { PalimpsestError } from "../../core/errors.ts";
import { PRIVATE_FILE } from "../shared/private-mode.ts";
import type { SqliteModule } from "./load-sqlite.ts";

export interface DatabaseOptions {
  readonly path: string;
  /** `full`: commits survive a power loss. `normal`: the last ones may be lost. `off`: the file may be damaged. */
  readonly durability: "full" | "normal" | "off";
  readonly isReadOnly?: boolean | undefined;
  /** The file may contain another program's tables. */
  readonly isShared?: boolean | undefined;
}

export interface OpenedDatabase {
  readonly database: DatabaseSync;
  /** Returns false if the file must be reopened to see changes by others. */
  isCurrent(): boolean;
}

/** How long SQLite itself waits for a lock, which blocks the process. */
const BLOCKING_WAIT_MS = 20;
/** Size to which the write-ahead log is cut after a checkpoint. */
const LOG_BYTES = 16 * 1024 * 1024;
/** "Pali", in the header of every file. */
export const APPLICATION_ID = 0x50616c69;

export function openDatabase(sqlite: SqliteModule, options: DatabaseOptions): OpenedDatabase {
  refuseOneByteFile(options.path);
  if (options.isReadOnly === true) return openReadOnly(sqlite, options);
  try {
    return openWritable(sqlite, options);
  } catch (error) {
    if (!isWriteRefusal(error) || !existsSync(options.path)) throw error;
    return openReadOnly(sqlite, options);
  }
}

function openWritable(sqlite: SqliteModule, { path, durability, isShared = false }: DatabaseOptions): OpenedDatabase {
  if (path !== ":memory:") closeSync(openSync(path, "a", PRIVATE_FILE));
  const database = new sqlite.DatabaseSync(path);
  return configure(database, () => {
    if (!isShared) refuseForeignFile(database, path);
    database.exec(`PRAGMA synchronous = ${durability}`);
    claimFile(database);
    database.exec(`PRAGMA journal_mode = WAL; PRAGMA foreign_keys = ON;
      PRAGMA secure_delete = ON; PRAGMA cell_size_check = ON; PRAGMA trusted_schema = OFF;
      PRAGMA journal_size_limit = ${LOG_BYTES}`);
    return { database, isCurrent: () => true };
  });
}

/** Returns whether the system or SQLite refused to open the file for writing. */
function isWriteRefusal(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ("code" in error && REFUSED_CODES.has(error.code)) return true;
  return "errcode" in error && typeof error.errcode === "number" && REFUSED_RESULTS.has(error.errcode & 0xff);
}

const REFUSED_CODES: ReadonlySet<unknown> = new Set(["EACCES", "EPERM", "EROFS"]);
/** SQLITE_READONLY and SQLITE_CANTOPEN. */
const REFUSED_RESULTS: ReadonlySet<number> = new Set([8, 14]);

function configure(database: DatabaseSync, work: () => OpenedDatabase): OpenedDatabase {
  try {
    database.exec(`PRAGMA busy_timeout = ${BLOCKING_WAIT_MS}`);
    return work();
  } catch (error) {
    database.close();
    throw error;
  }
}

/**
 * A writer keeps a write-ahead log next to the file, which readers share. Without a log there is no writer, and the
 * file is opened as immutable: otherwise SQLite would try to create a log.
 */
export function openReadOnly(
  sqlite: SqliteModule,
  { path, isShared }: Omit<DatabaseOptions, "durability">,
): OpenedDatabase {
  const isWritten = listLogFiles(path).some(existsSync);
  const before = readStamp(path);
  const immutable = new URL(`${pathToFileURL(path)}?immutable=1`);
  const database = new sqlite.DatabaseSync(isWritten ? path : immutable, { readOnly: true });
  return configure(database, () => {
    if (isShared !== true) refuseForeignFile(database, path);
    database.exec("PRAGMA cell_size_check = ON; PRAGMA trusted_schema = OFF");
    return { database, isCurrent: () => isWritten || readStamp(path) === before };
  });
}

function listLogFiles(path: string): readonly string[] {
  return [`${path}-wal`, `${path}-shm`];
}

/** Returns a value that changes when the file or its logs do. */
function readStamp(path: string): string {
  return [path, ...listLogFiles(path)]
    .map((each) => statSync(each, { throwIfNoEntry: false, bigint: true }))
    .map((found) => found && [found.ino, found.size, found.mtimeNs, found.ctimeNs].join("/"))
    .join();
}

/** SQLite treats a file of one byte as empty and would overwrite it. */
function refuseOneByteFile(path: string): void {
  if (path === ":memory:" || statSync(path, { throwIfNoEntry: false })?.size !== 1) return;
  const text = `store: ${path} is not an SQLite database: it has only one byte. Choose another file.`;
  throw new PalimpsestError("config-invalid", text, { details: { key: "store", path, reason: "not-a-database" } });
}

/** Refuses another program's database. An empty file is accepted. */
function refuseForeignFile(database: DatabaseSync, path: string): void {
  const id = database.prepare("PRAGMA application_id").get()?.application_id;
  if (id === APPLICATION_ID) return;
  const tables = database.prepare("SELECT count(*) AS count FROM sqlite_schema").get()?.count;
  if (id !== 0 || tables !== 0) {
    const text = `store: ${path} is another program's database. Choose another file.`;
    throw new PalimpsestError("config-invalid", text, { details: { key: "store", path } });
  }
}

/** Marks the file as ours, unless another program has marked it. */
function claimFile(database: DatabaseSync): void {
  const id = database.prepare("PRAGMA application_id").get()?.application_id;
  if (id === 0) database.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
}
