/**
 * A store in one file, for one machine: any number of processes may use it at once. It needs nothing but Node.
 */
import type { Store } from "../../ports/store.ts";
import { createSqlStore } from "../sql/sql-store.ts";
import { loadSqlite } from "./load-sqlite.ts";
import { migrateSqlite } from "./migrate-sqlite.ts";
import { SqliteDriver } from "./sqlite-driver.ts";
import { SQLITE_MIGRATIONS } from "./sqlite-migrations.ts";
import { SQLITE_STATEMENTS } from "./sqlite-statements.ts";

export interface SqliteStoreOptions {
  /** `full` without it: what was acknowledged survives a loss of power. `normal` may lose the last moments to one. */
  readonly durability?: "full" | "normal" | undefined;
  /** How long a file is waited for that another process is writing to; five seconds without it. */
  readonly lockTimeoutMs?: number | undefined;
  /** Milliseconds that leases run on, for tests; the database's clock without it. */
  readonly now?: (() => number) | undefined;
}

const LOCK_TIMEOUT_MS = 5_000;

export async function openSqliteStore(path: string, options: SqliteStoreOptions = {}): Promise<Store> {
  const { durability = "full", lockTimeoutMs = LOCK_TIMEOUT_MS, now } = options;
  const driver = new SqliteDriver(loadSqlite(), { path, durability, lockTimeoutMs });
  try {
    await migrateSqlite(driver, SQLITE_MIGRATIONS);
  } catch (error) {
    await driver.close();
    throw error;
  }
  return createSqlStore({
    driver,
    statements: SQLITE_STATEMENTS,
    now,
    // What was erased still stands in the log of changes until that is written back.
    afterErase: async () => {
      await driver.execute("PRAGMA wal_checkpoint(TRUNCATE)");
    },
  });
}
