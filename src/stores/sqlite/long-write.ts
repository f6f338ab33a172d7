/**
 * A batch that takes longer than everybody else should wait, written on a connection of its own: it is one transaction
 * as any other, and the event loop turns between its parts. Readers on the first connection see what was there before
 * until all of it is there.
 */
import { open } from "node:fs/promises";
import type { DatabaseSync } from "node:sqlite";
import type { Row, Statement } from "../sql/driver.ts";
import { nextTurn } from "../sql/next-turn.ts";

export interface LongWrite {
  readonly database: DatabaseSync;
  /** The file; its log of changes stands beside it. */
  readonly path: string;
  readonly statements: readonly Statement[];
}

/** About a thousand messages take as long as nobody notices. */
const MOST_STATEMENTS = 2_000;
const MOST_CHARACTERS = 4_000_000;

export function isLong(statements: readonly Statement[]): boolean {
  if (statements.length > MOST_STATEMENTS) return true;
  let characters = 0;
  for (const { values } of statements) {
    for (const value of values) if (typeof value === "string") characters += value.length;
  }
  return characters > MOST_CHARACTERS;
}

const SLICE_MS = 15;

/** Undefined where a guard refused. Whatever fails, nothing is written. */
export async function writeLong({
  database,
  path,
  statements,
}: LongWrite): Promise<readonly (readonly Row[])[] | undefined> {
  // What the log is written back by is somebody's next commit, and not a part of this one.
  database.exec("PRAGMA wal_autocheckpoint = 0; BEGIN IMMEDIATE");
  const prepared = new Map<string, ReturnType<DatabaseSync["prepare"]>>();
  const results: (readonly Row[])[] = [];
  let sliceStart = performance.now();
  for (const { strings, values, isGuard } of statements) {
    const text = strings.join("?");
    const statement = prepared.get(text) ?? database.prepare(text);
    prepared.set(text, statement);
    const rows = statement.all(...values) as unknown as readonly Row[];
    if (isGuard === true && rows.length === 0) {
      database.exec("ROLLBACK");
      return undefined;
    }
    results.push(rows);
    if (performance.now() - sliceStart < SLICE_MS) continue;
    await nextTurn();
    sliceStart = performance.now();
  }
  await flushLog(path);
  database.exec("COMMIT");
  return results;
}

/** A commit waits for the disk, and everybody with it; what is on the disk before it is not waited for. */
async function flushLog(path: string): Promise<void> {
  const log = await open(`${path}-wal`, "r+").catch(() => undefined);
  await log?.datasync().catch(() => undefined);
  await log?.close().catch(() => undefined);
}
