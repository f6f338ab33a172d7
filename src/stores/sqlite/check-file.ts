/** Checks the structure of a file without changing or migrating it: its pages, and the indexes of sessions. */
import type { DatabaseSync } from "node:sqlite";
import type { SessionId } from "../../core/log/entry.ts";
import { waitForEventLoop } from "../sql/driver.ts";
import { isHiddenId } from "../sql/shared-statements.ts";
import { fromStoredText } from "../sql/stored-text.ts";
import { loadSqlite } from "./load-sqlite.ts";
import { APPLICATION_ID, openReadOnly } from "./open-database.ts";
import { findReason, toStoreError } from "./sqlite-failure.ts";

export interface FileCheck {
  readonly problems: readonly string[];
  /** Rows that can be read in spite of the problems. */
  readonly readable: { readonly sessions: readonly ReadableSession[]; readonly entries: number };
}

export interface ReadableSession {
  readonly tenant: string;
  readonly id: SessionId;
}

const DAMAGE: ReadonlySet<unknown> = new Set(["corrupt", "changed", "not-a-database"]);
/** Small tables, whose indexes are compared with them too: a session that an index misses is not listed. */
const COMPARED: ReadonlySet<string> = new Set(["sessions", "heads"]);

const NOTHING = { sessions: [], entries: 0 };

/** Yields to the event loop between tables; a gigabyte takes about a second. */
export async function checkSqliteFile(path: string, { isShared }: CheckOptions = {}): Promise<FileCheck> {
  let database: DatabaseSync | undefined;
  try {
    database = openReadOnly(loadSqlite(), { path, isShared: true }).database;
    const problems = [...listForeignMarks(database, isShared), ...(await listProblems(database))];
    if (problems.length === 0) return { problems, readable: NOTHING };
    return { problems, readable: { sessions: listSessions(database), entries: readIds(database, "entries").length } };
  } catch (error) {
    if (!(error instanceof Error) || !DAMAGE.has(findReason(error, path))) throw toStoreError(error, path);
    // SQLite reads the first page before anything else: the header of the file and the list of tables.
    return { problems: [`page 1: ${error.message}`], readable: NOTHING };
  } finally {
    database?.close();
  }
}

interface CheckOptions {
  /** The file may have the mark of another program. */
  readonly isShared?: boolean | undefined;
}

/** Finds a file that has the tables of a store, but another program's mark. */
function listForeignMarks(database: DatabaseSync, isShared = false): readonly string[] {
  const id = database.prepare("PRAGMA application_id").get()?.application_id;
  const count = database
    .prepare("SELECT count(*) AS count FROM sqlite_schema WHERE name IN ('heads', 'entries')")
    .get();
  if (isShared || id === APPLICATION_ID || count?.count !== 2) return [];
  return [`page 1: the application id is ${id}; that of a store is ${APPLICATION_ID}`];
}

async function listProblems(database: DatabaseSync): Promise<readonly string[]> {
  // Virtual tables have no pages of their own.
  const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0").all();
  const problems: string[] = [];
  for (const name of tables.map((table) => String(table.name))) {
    problems.push(...checkTable(database, name).map((text) => `table ${name}: ${text}`));
    await waitForEventLoop();
  }
  return problems;
}

/** A check fails if it cannot read the first page of a table or of an index. */
function checkTable(database: DatabaseSync, name: string): readonly string[] {
  const check = COMPARED.has(name) ? "integrity_check" : "quick_check";
  try {
    const rows = database.prepare(`PRAGMA ${check}("${name.replaceAll('"', '""')}")`).all();
    return rows.map((row) => String(row[check])).filter((text) => text !== "ok");
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
}

/** Reads the table itself, because the index of a list may be damaged. */
function listSessions(database: DatabaseSync): readonly ReadableSession[] {
  const rows = readIds(database, "sessions").filter(({ id }) => !isHiddenId(id));
  return rows.map(({ tenant, id }) => ({ tenant: fromStoredText(tenant), id: fromStoredText(id) }));
}

/** Reads from each end up to the first damaged page. */
function readIds(database: DatabaseSync, table: string): readonly ReadableSession[] {
  const found = new Map<unknown, ReadableSession>();
  for (const order of ["ASC", "DESC"]) {
    try {
      const text = `SELECT rowid AS place, tenant, id FROM ${table} NOT INDEXED ORDER BY rowid ${order}`;
      for (const { place, tenant, id } of database.prepare(text).iterate()) {
        if (typeof id === "string" && id !== "" && typeof tenant === "string") found.set(place, { tenant, id });
      }
      break;
    } catch {
      // The other end may be readable.
    }
  }
  return [...found.values()];
}
