/** Writes a long batch on its own connection as one transaction that yields to the event loop. */
import { open } from "node:fs/promises";
import type { DatabaseSync } from "node:sqlite";
import { type Row, type Statement, waitForEventLoop, writeText } from "../sql/driver.ts";
import { PreparedStatement } from "./prepared-statement.ts";

export interface LongBatch {
  readonly database: DatabaseSync;
  /** Path of the database; the write-ahead log is next to it. */
  readonly path: string;
  readonly statements: readonly Statement[];
  /** Clock for the time slices. Default `performance.now`. */
  readonly now?: (() => number) | undefined;
}

/** Statements of about a thousand messages, which can be written at once without a noticeable delay. */
const MAX_STATEMENTS = 2_000;
const MAX_CHARACTERS = 4_000_000;

export function isLongBatch(statements: readonly Statement[]): boolean {
  if (statements.length > MAX_STATEMENTS) return true;
  let characters = 0;
  for (const { values } of statements) {
    for (const value of values) if (typeof value === "string") characters += value.length;
  }
  return characters > MAX_CHARACTERS;
}

const SLICE_MS = 15;

/** Returns undefined if a guard refused. On any failure nothing is written. */
export async function writeLongBatch({
  database,
  path,
  statements,
  now = () => performance.now(),
}: LongBatch): Promise<readonly (readonly Row[])[] | undefined> {
  // The checkpoint is left to a later commit.
  database.exec("PRAGMA wal_autocheckpoint = 0; BEGIN IMMEDIATE");
  const prepared = new Map<string, PreparedStatement>();
  const results: (readonly Row[])[] = [];
  let sliceStart = now();
  for (const each of statements) {
    const text = writeText(each);
    const statement = prepared.get(text) ?? new PreparedStatement(database, text);
    prepared.set(text, statement);
    const rows = statement.all(each.values);
    if (each.isGuard === true && rows.length === 0) {
      database.exec("ROLLBACK");
      return undefined;
    }
    results.push(rows);
    if (now() - sliceStart < SLICE_MS) continue;
    await waitForEventLoop();
    sliceStart = now();
  }
  await flushLog(path);
  database.exec("COMMIT");
  return results;
}

/** Syncs the log in the background first, because a commit blocks the process while it syncs. */
async function flushLog(path: string): Promise<void> {
  const log = await open(`${path}-wal`, "r+").catch(() => undefined);
  await log?.datasync().catch(() => undefined);
  await log?.close().catch(() => undefined);
}
