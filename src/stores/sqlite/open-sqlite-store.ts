/**
 * A store in one file, for one machine: any number of processes may use it at once. It needs nothing but Node.
 */
import { AMOUNT, checkArgument, checkOptions, FUNCTION, ID, oneOf } from "../../core/check-options.ts";
import type { Store } from "../../ports/store.ts";
import { createSqlStore } from "../sql/sql-store.ts";
import type { OnWarning } from "../sql/store-warnings.ts";
import { migrateWindowed } from "../windowed/migrate-windowed.ts";
import { type StoreProfile, type WindowedStore, withWindow } from "../windowed/windowed-store.ts";
import { DiskReserve } from "./disk-reserve.ts";
import { loadSqlite } from "./load-sqlite.ts";
import { migrateBeside } from "./migrate-beside.ts";
import { migrateSqlite } from "./migrate-sqlite.ts";
import { SqliteDriver } from "./sqlite-driver.ts";
import { SQLITE_MIGRATIONS } from "./sqlite-migrations.ts";
import { SQLITE_STATEMENTS } from "./sqlite-statements.ts";

export { adoptRows } from "../windowed/adopt-rows.ts";
export type { StoreProfile, WindowedStore, WindowRow } from "../windowed/windowed-store.ts";

export interface SqliteStoreOptions {
  /** `full` without it: what was acknowledged survives a loss of power. `normal` may lose the last moments to one. */
  readonly durability?: "full" | "normal" | undefined;
  /** How long a file is waited for that another process is writing to; five seconds without it. */
  readonly lockTimeoutMs?: number | undefined;
  /** Told of everything that was found wrong and was gone around. Without it `process.emitWarning` is. */
  readonly onWarning?: OnWarning | undefined;
  /** Milliseconds that leases run on, for tests; the database's clock without it. */
  readonly now?: (() => number) | undefined;
  /**
   * `windowed-sql`: the table `messages` of a windowed chat is kept beside the log, in the same transactions. An
   * application's own file is then taken over, and its rows stay.
   */
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
    // What was erased still stands in the log of changes until that is written back.
    afterErase: async () => {
      await writeBack();
      reserve.keep();
    },
    withRoom: (work) => reserve.use(work, () => writeBack().catch(() => undefined)),
  });
  return isShared ? withWindow(store, { driver, onWarning: options.onWarning }) : store;
}
