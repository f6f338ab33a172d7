/**
 * Lets one process write to a folder at a time, with an operating-system lock on a file. The kernel releases it when
 * the process ends, and enforces it across containers. `writer.json` only names the holder in error messages.
 */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { PalimpsestError } from "../../core/errors.ts";
import { findRetryable } from "../shared/failure-reasons.ts";
import { PRIVATE_FILE, PRIVATE_FOLDER } from "../shared/private-mode.ts";
import { loadSqlite } from "../sqlite/load-sqlite.ts";
import { withMediumErrors } from "./medium-error.ts";

export interface WriterLock {
  release(): void;
}

interface Holder {
  readonly pid: number;
  readonly host: string;
  readonly since: string;
}

/** Result code of SQLite if another connection holds the lock. */
const BUSY = 5;

export async function takeWriterLock(folder: string): Promise<WriterLock> {
  const path = join(folder, "writer.lock");
  await withMediumErrors({ verb: "create", path: folder }, () =>
    mkdir(folder, { recursive: true, mode: PRIVATE_FOLDER }),
  );
  // Opens the file normally first, because that error describes the folder's problem, and SQLite's does not.
  await withMediumErrors({ verb: "write to", path }, () => writeFile(path, "", { flag: "a", mode: PRIVATE_FILE }));
  const { DatabaseSync } = loadSqlite();
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    // Reserves the file for a writer and writes nothing. Without the pragma it would create a journal, which needs space.
    database.exec("PRAGMA journal_mode = MEMORY; BEGIN IMMEDIATE");
  } catch (error) {
    database.close();
    throw await createRefusal(folder, error);
  }
  await writeHolder(folder);
  return { release: () => database.close() };
}

async function createRefusal(folder: string, error: unknown): Promise<PalimpsestError> {
  const isBusy = error instanceof Error && "errcode" in error && error.errcode === BUSY;
  if (!isBusy) {
    const text = `Cannot lock ${folder}: its file system may not support locks; choose a folder on a local disk.`;
    const details = { path: folder, reason: "no-locks" };
    return new PalimpsestError("store-unavailable", text, {
      cause: error,
      details,
      retryable: findRetryable("no-locks"),
    });
  }
  const holder = await findHolder(folder);
  const who = holder === undefined ? "Another process" : describeHolder(holder);
  const text = `${who} writes to ${folder}. Only one process can write to a folder at a time; any number can read. Stop that process, close its store, or write through it.`;
  return new PalimpsestError("store-unavailable", text, {
    cause: error,
    details: { path: folder, holder, reason: "locked" },
  });
}

function describeHolder({ pid, host, since }: Holder): string {
  const who =
    pid === process.pid && host === hostname() ? "Another store of this process" : `Process ${pid} on ${host}`;
  return `${who}, since ${since},`;
}

/** Best effort: without it a refusal does not name the holder. */
async function writeHolder(folder: string): Promise<void> {
  const holder: Holder = { pid: process.pid, host: hostname(), since: new Date().toISOString() };
  const line = `${JSON.stringify(holder)}\n`;
  await writeFile(join(folder, "writer.json"), line, { mode: PRIVATE_FILE }).catch(() => undefined);
}

async function findHolder(folder: string): Promise<Holder | undefined> {
  try {
    const value: unknown = JSON.parse(await readFile(join(folder, "writer.json"), "utf8"));
    return isHolder(value) ? value : undefined;
  } catch {
    // The file is being written, or was never written.
    return undefined;
  }
}

function isHolder(value: unknown): value is Holder {
  if (typeof value !== "object" || value === null) return false;
  return "pid" in value && typeof value.pid === "number" && "host" in value && "since" in value;
}
