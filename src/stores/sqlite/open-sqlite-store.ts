/** Opens a store in one file, for any number of processes on one machine. It needs nothing but Node. */
import { AMOUNT, checkArgument, checkOptions, FUNCTION, ID, oneOf } from "../../core/check-options.ts";
import type { Store } from "../../ports/store.ts";
import { migrateBeside, migrateSqlite } from "../sql/migrate-sqlite.ts";
import type { OnWarning } from "../sql/sql-context.ts";
import { createSqlStore } from "../sql/sql-store.ts";
import { addWindow, migrateWindowed, type StoreProfile, type WindowedStore } from "../windowed/windowed-store.ts";
import { DiskReserve } from "./disk-reserve.ts";
import { loadSqlite } from "./load-sqlite.ts";
import { SqliteDriver } from "./sqlite-driver.ts";
import { SQLITE_MIGRATIONS } from "./sqlite-migrations.ts";
import { SQLITE_STATEMENTS } from "./sqlite-statements.ts";

export type { StoreProfile, WindowedStore, WindowRow } from "../windowed/windowed-store.ts";
export { adoptRows } from "../windowed/windowed-store.ts";

export interface SqliteStoreOptions {
  /** Default `full`: acknowledged writes survive a power loss. `normal` may lose the last moments. */
  readonly durability?: "full" | "normal" | undefined;
  /** How long to wait for another process that is writing; default five seconds. */
  readonly lockTimeoutMs?: number | undefined;
  /** Called with each problem that the store worked around; default `process.emitWarning`. */
  readonly onWarning?: OnWarning | undefined;
  /** Clock of leases in milliseconds, for tests; default the database's clock. */
  readonly now?: (() => number) | undefined;
  /** `windowed-sql` also maintains the table `messages` of a windowed chat; an application's rows stay. */
  readonly profile?: StoreProfile | undefined;
}

const LOCK_TIMEOUT_MS = 5_000;

const RULES = {
  durability: oneOf("full", "normal"),
  lockTimeoutMs: AMOUNT,
  onWarning: FUNCTION,
  now: FUNCTION,
  profile: oneOf("windowed-sql"),
} satisfies Record<keyof SqliteStoreOptions, unknown>;

export function openSqliteStore(
  path: string,
  options: SqliteStoreOptions & { readonly profile: StoreProfile },
): Promise<WindowedStore>;
export function openSqliteStore(path: string, options?: SqliteStoreOptions): Promise<Store>;
export async function openSqliteStore(path: string, options: SqliteStoreOptions = {}): Promise<Store> {
  checkArgument(path, { ...ID, allowed: "the path of a file" }, "openSqliteStore: path");
  checkOptions(options, RULES, "openSqliteStore");
  const { durability = "full", lockTimeoutMs = LOCK_TIMEOUT_MS, now, profile } = options;
  const isShared = profile !== undefined;
  const driver = new SqliteDriver(loadSqlite(), { path, durability, lockTimeoutMs, isShared });
  try {
    await (isShared ? migrateBeside : migrateSqlite)(driver, SQLITE_MIGRATIONS);
    if (isShared) await migrateWindowed(driver, profile);
  } catch (error) {
    await driver.close();
    throw error;
  }
  const reserve = new DiskReserve(path);
  reserve.keep();
  const writeBack = () => driver.execute("PRAGMA wal_checkpoint(TRUNCATE)");
  const store = createSqlStore({
    driver,
    statements: SQLITE_STATEMENTS,
    now,
    onWarning: options.onWarning,
    // Erased text stays in the write-ahead log until a checkpoint.
    afterErase: async () => {
      await writeBack();
      reserve.keep();
    },
    withRoom: (work) => reserve.use(work, () => writeBack().catch(() => undefined)),
  });
  return isShared ? addWindow(store, { driver, onWarning: options.onWarning }) : store;
}
