/** Checks the structure of a file without changing or migrating it: its pages, and the indexes of sessions. */
import type { DatabaseSync } from "node:sqlite";
import { waitForEventLoop } from "../sql/driver.ts";
import { loadSqlite } from "./load-sqlite.ts";
import { openReadOnly } from "./open-database.ts";
import { findReason, toStoreError } from "./sqlite-failure.ts";

export interface FileCheck {
  readonly problems: readonly string[];
  /** Rows that can be read in spite of the problems. */
  readonly readable: { readonly sessions: number; readonly entries: number };
}

const DAMAGE: ReadonlySet<unknown> = new Set(["corrupt", "changed", "not-a-database"]);
/** Small tables, whose indexes are compared with them too: a session that an index misses is not listed. */
const COMPARED: ReadonlySet<string> = new Set(["sessions", "heads"]);

/** Yields to the event loop between tables; a gigabyte takes about a second. */
export async function checkSqliteFile(path: string): Promise<FileCheck> {
  let database: DatabaseSync | undefined;
  try {
    database = openReadOnly(loadSqlite(), { path, isShared: true }).database;
    const problems = await listProblems(database);
    const count = (table: string) => (problems.length === 0 || database === undefined ? 0 : countRows(database, table));
    return { problems, readable: { sessions: count("sessions"), entries: count("entries") } };
  } catch (error) {
    if (!(error instanceof Error) || !DAMAGE.has(findReason(error, path))) throw toStoreError(error, path);
    // SQLite reads the first page before anything else: the header of the file and the list of tables.
    return { problems: [`page 1: ${error.message}`], readable: { sessions: 0, entries: 0 } };
  } finally {
    database?.close();
  }
}

async function listProblems(database: DatabaseSync): Promise<readonly string[]> {
  // Virtual tables have no pages of their own.
  const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND rootpage > 0").all();
  const problems: string[] = [];
  for (const name of tables.map((table) => String(table.name))) {
    const check = COMPARED.has(name) ? "integrity_check" : "quick_check";
    const rows = database.prepare(`PRAGMA ${check}("${name.replaceAll('"', '""')}")`).all();
    const texts = rows.map((row) => String(row[check])).filter((text) => text !== "ok");
    problems.push(...texts.map((text) => `table ${name}: ${text}`));
    await waitForEventLoop();
  }
  return problems;
}

/** Counts from each end up to the first damaged page. */
function countRows(database: DatabaseSync, table: string): number {
  let count = 0;
  for (const order of ["ASC", "DESC"]) {
    try {
      const rows = database.prepare(`SELECT id FROM ${table} NOT INDEXED ORDER BY rowid ${order}`).iterate();
      for (const { id } of rows) if (typeof id === "string" && id !== "") count += 1;
      break;
    } catch {
      // The other end may be readable.
    }
  }
  return count;
}
