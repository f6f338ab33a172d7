/** Opens a store in one file, for any number of processes on one machine. It needs nothing but Node. */
import { statSync } from "node:fs";
import { AMOUNT, checkArgument, checkOptions, FUNCTION, ID, oneOf } from "../../core/check-options.ts";
import type { PalimpsestError } from "../../core/errors.ts";
import type { Store } from "../../ports/store.ts";
import { readNumberColumn, type SqlDriver, sql } from "../sql/driver.ts";
import { migrateSharedDatabase, migrateSqlite } from "../sql/migrate-sqlite.ts";
import { isDamageError, type OnWarning, StoreWarnings } from "../sql/sql-context.ts";
import { createSqlStore } from "../sql/sql-store.ts";
import { addWindow, migrateWindowed, type StoreProfile, type WindowedStore } from "../windowed/windowed-store.ts";
import { DiskReserve, findFreeBytes, retryWhenFull } from "./disk-reserve.ts";
import { loadSqlite } from "./load-sqlite.ts";
import { SqliteDriver, type SqliteDriverOptions } from "./sqlite-driver.ts";
import { SQLITE_MIGRATIONS } from "./sqlite-migrations.ts";
import { SQLITE_STATEMENTS } from "./sqlite-statements.ts";

export type { StoreProfile, WindowedStore, WindowRow } from "../windowed/windowed-store.ts";
export { adoptRows } from "../windowed/windowed-store.ts";

/** Durability, time limit of locks, and profile of an SQLite store. */
export interface SqliteStoreOptions {
  /** Default `full`: acknowledged writes survive a power loss. With `normal`, a power loss may remove the last ones. */
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

/**
 * Opens a store in one SQLite file, with the SQLite of Node.
 *
 * @example
 * ```ts
 * const palimpsest = await openPalimpsest({ store: await openSqliteStore("./chats.db") });
 * ```
 */
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
  const reserve = new DiskReserve(path);
  const open = () => openDriver({ path, durability, lockTimeoutMs, isShared }, profile);
  let driver: SqliteDriver;
  try {
    // On a full disk, the file can be read and texts can be deleted.
    driver = await reserve.use(open, async () => undefined);
  } catch (error) {
    if (isShared || !isDamageError(error)) throw error;
    return openDamaged(path, options, error);
  }
  reserve.keep();
  const writeBack = () => driver.execute("PRAGMA wal_checkpoint(TRUNCATE)").catch(() => undefined);
  // A process that was killed leaves erased text in its log.
  if (hasLog(path)) await writeBack();
  const makeRoom = async () => {
    if (await hasRoomForLog(driver, path)) await writeBack();
  };
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
    withRoom: async (work, { isDeletion }) => {
      if (isDeletion) return reserve.use(work, makeRoom);
      await reserve.waitForDeletions();
      if (!reserve.isWhole) reserve.keep();
      return retryWhenFull(work, async () => {
        await makeRoom();
        return work();
      });
    },
  });
  return isShared ? addWindow(store, { driver, onWarning: options.onWarning }) : store;
}

async function openDriver(options: SqliteDriverOptions, profile: StoreProfile | undefined): Promise<SqliteDriver> {
  const driver = new SqliteDriver(loadSqlite(), options);
  try {
    await (options.isShared === true ? migrateSharedDatabase : migrateSqlite)(driver, SQLITE_MIGRATIONS);
    if (profile !== undefined) await migrateWindowed(driver, profile);
    return driver;
  } catch (error) {
    await driver.close();
    throw error;
  }
}

/** Opens a file whose list of migrations is damaged for reading, so that its sessions can be exported. */
async function openDamaged(path: string, options: SqliteStoreOptions, cause: PalimpsestError): Promise<Store> {
  const driver = openForReading(path);
  try {
    await driver.read([SQLITE_STATEMENTS.findSession({ tenant: "", id: "" })]);
  } catch {
    await driver.close();
    throw cause;
  }
  const advice = "It is opened for reading only: restore a backup, or export its sessions into a new store.";
  new StoreWarnings(driver.name, options.onWarning).warn(`The list of migrations in ${path} is damaged. ${advice}`);
  return createReadingStore(driver, options);
}

/**
 * Opens a damaged file without changing or migrating it.
 *
 * @example
 * ```ts
 * const store = openSqliteForReading("./chats.db", { onWarning: console.warn });
 * ```
 */
export function openSqliteForReading(path: string, { onWarning }: Pick<SqliteStoreOptions, "onWarning">): Store {
  return createReadingStore(openForReading(path), { onWarning });
}

function openForReading(path: string): SqliteDriver {
  const access = { durability: "full", lockTimeoutMs: LOCK_TIMEOUT_MS, isReadOnly: true, isShared: true } as const;
  return new SqliteDriver(loadSqlite(), { path, ...access });
}

function createReadingStore(driver: SqliteDriver, { onWarning, now }: SqliteStoreOptions): Store {
  return createSqlStore({ driver, statements: SQLITE_STATEMENTS, now, onWarning });
}

function hasLog(path: string): boolean {
  return path !== ":memory:" && (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

/** Returns whether the file can grow by the pages in its log. A failed write-back would use up the last free space. */
async function hasRoomForLog(driver: SqlDriver, path: string): Promise<boolean> {
  if (!hasLog(path)) return false;
  const [[row] = []] = await driver.read([
    sql`SELECT c.page_count * s.page_size AS bytes FROM pragma_page_count c, pragma_page_size s`,
  ]);
  const bytes = row === undefined ? 0 : readNumberColumn(row, "bytes");
  return bytes - statSync(path).size <= findFreeBytes(path);
}
