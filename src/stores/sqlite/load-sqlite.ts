/**
 * Loads Node's SQLite when a store of that kind is opened, and not before. Node says on loading that the module may
 * still change; that is for us to follow and nothing that a user could act on, so it is not printed.
 */
import { PalimpsestError } from "../../core/errors.ts";

export type SqliteModule = typeof import("node:sqlite");

/** Older ones can lose committed transactions when a write-ahead log is reset. */
const OLDEST_VERSION = [3, 51, 3] as const;

export function loadSqlite(): SqliteModule {
  const sqlite = withoutExperimentalWarnings(() => process.getBuiltinModule("node:sqlite"));
  if (sqlite === undefined) throw tooOld(`Node ${process.version} has no SQLite`);
  const found = process.versions.sqlite ?? readVersion(sqlite);
  if (isOlder(found)) throw tooOld(`Node ${process.version} has SQLite ${found}`);
  return sqlite;
}

export function isOlder(version: string): boolean {
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

function tooOld(found: string): PalimpsestError {
  const text = `store: ${found}; SQLite ${OLDEST_VERSION.join(".")} is needed. Use Node 22.23, 24 or newer.`;
  return new PalimpsestError("config-invalid", text, { details: { key: "store" } });
}

/** The work is done before anybody else has a turn, so nobody else's warning is lost. */
function withoutExperimentalWarnings<Result>(work: () => Result): Result {
  const { emitWarning } = process;
  process.emitWarning = () => undefined;
  try {
    return work();
  } finally {
    process.emitWarning = emitWarning;
  }
}
