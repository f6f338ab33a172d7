/** Loads Node's SQLite when it is first used, without the warning that the module is experimental. */
import { PalimpsestError } from "../../core/errors.ts";

export type SqliteModule = typeof import("node:sqlite");

/** Older versions can lose committed transactions when the write-ahead log is reset. */
const OLDEST_VERSION = [3, 51, 3] as const;

export function loadSqlite(): SqliteModule {
  const sqlite = withoutExperimentalWarnings(() => process.getBuiltinModule("node:sqlite"));
  if (sqlite === undefined) throw createVersionError(`Node ${process.version} does not include SQLite`);
  const found = process.versions.sqlite ?? readVersion(sqlite);
  if (isTooOld(found)) throw createVersionError(`Node ${process.version} has SQLite ${found}`);
  return sqlite;
}

export function isTooOld(version: string): boolean {
  const parts = version.split(".").map(Number);
  const at = OLDEST_VERSION.findIndex((part, index) => part !== (parts[index] ?? 0));
  return at >= 0 && (parts[at] ?? 0) < (OLDEST_VERSION[at] ?? 0);
}

function readVersion({ DatabaseSync }: SqliteModule): string {
  const database = new DatabaseSync(":memory:");
  const version = database.prepare("SELECT sqlite_version() AS version").get()?.version;
  database.close();
  return String(version);
}

function createVersionError(found: string): PalimpsestError {
  const text = `store: ${found}; SQLite ${OLDEST_VERSION.join(".")} is needed. Use Node 22.23, 24 or newer.`;
  return new PalimpsestError("config-invalid", text, { details: { key: "store" } });
}

/** The work is synchronous, so no other warning is lost. */
function withoutExperimentalWarnings<Result>(work: () => Result): Result {
  const { emitWarning } = process;
  process.emitWarning = () => undefined;
  try {
    return work();
  } finally {
    process.emitWarning = emitWarning;
  }
}
