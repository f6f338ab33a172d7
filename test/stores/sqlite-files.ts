/** SQLite files of one test file, opened as stores, drivers and plain databases, and removed at the end. */
import { DatabaseSync } from "node:sqlite";
import { EMPTY_HEAD } from "../../src/core/log/head.ts";
import type { Store, TenantStore } from "../../src/ports/store.ts";
import { loadSqlite } from "../../src/stores/sqlite/load-sqlite.ts";
import { openSqliteStore, type SqliteStoreOptions } from "../../src/stores/sqlite/open-sqlite-store.ts";
import { SqliteDriver, type SqliteDriverOptions } from "../../src/stores/sqlite/sqlite-driver.ts";
import { SESSION } from "../../src/testing/store-contract/contract-log.ts";
import { temporaryFolder } from "./temporary-folder.ts";

export function sqliteFiles() {
  const folder = temporaryFolder();
  const opened: { close(): unknown }[] = [];
  return {
    newPath: () => folder.newPath(),
    /** Does not wait for the disk by default, because most tests do not need that. */
    open: async (path: string, options: SqliteStoreOptions = {}): Promise<Store> => {
      const store = await openSqliteStore(path, { durability: "normal", ...options });
      opened.push(store);
      return store;
    },
    openDriver: (path: string, options: Partial<SqliteDriverOptions> = {}): SqliteDriver => {
      const driver = new SqliteDriver(loadSqlite(), { path, durability: "normal", lockTimeoutMs: 1_000, ...options });
      opened.push(driver);
      return driver;
    },
    openDatabase: (path: string): DatabaseSync => {
      const database = new DatabaseSync(path);
      opened.push({ close: () => database.isOpen && database.close() });
      return database;
    },
    remove: async () => {
      for (const each of opened) await each.close();
      folder.remove();
    },
  };
}

/** Creates a session, and returns its tenant. */
export async function aSession(store: Store): Promise<TenantStore> {
  const tenant = store.tenant("local");
  await tenant.createSession({ id: SESSION, createdAt: 0 }, EMPTY_HEAD);
  return tenant;
}
