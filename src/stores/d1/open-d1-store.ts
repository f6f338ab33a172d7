/**
 * A store in a D1 database of Cloudflare, for Workers. The tables and statements are those of the SQLite store.
 *
 * A Worker opens it with each request and closes it when the answer is out (`ctx.waitUntil(store.close())`): work of one
 * request cannot go on in another.
 */
import { checkArgument, checkOptions, FUNCTION, oneOf, TEXT, withMethods } from "../../core/check-options.ts";
import type { Store } from "../../ports/store.ts";
import { createSqlStore } from "../sql/sql-store.ts";
import type { OnWarning } from "../sql/store-warnings.ts";
import { migrateBeside } from "../sqlite/migrate-beside.ts";
import { SQLITE_MIGRATIONS } from "../sqlite/sqlite-migrations.ts";
import { SQLITE_STATEMENTS } from "../sqlite/sqlite-statements.ts";
import { migrateWindowed } from "../windowed/migrate-windowed.ts";
import { type StoreProfile, type WindowedStore, withWindow } from "../windowed/windowed-store.ts";
import type { D1Database } from "./d1-database.ts";
import { D1Driver } from "./d1-driver.ts";

export { adoptRows } from "../windowed/adopt-rows.ts";
export type { StoreProfile, WindowedStore, WindowRow } from "../windowed/windowed-store.ts";
export type { D1Database } from "./d1-database.ts";

export interface D1StoreOptions {
  /** For people and reports; `d1` without it. */
  readonly name?: string | undefined;
  /** Milliseconds that leases run on, for tests; the database's clock without it. */
  readonly now?: (() => number) | undefined;
  /** Told of everything that was found wrong and was gone around. Without it `console.warn` is. */
  readonly onWarning?: OnWarning | undefined;
  /** `windowed-sql`: the table `messages` of a windowed chat is kept beside the log, in the same transactions. */
  readonly profile?: StoreProfile | undefined;
}

const RULES = {
  name: TEXT,
  now: FUNCTION,
  onWarning: FUNCTION,
  profile: oneOf("windowed-sql"),
} satisfies Record<keyof D1StoreOptions, unknown>;

export function openD1Store(
  database: D1Database,
  options: D1StoreOptions & { readonly profile: StoreProfile },
): Promise<WindowedStore>;
export function openD1Store(database: D1Database, options?: D1StoreOptions): Promise<Store>;
export async function openD1Store(database: D1Database, options: D1StoreOptions = {}): Promise<Store> {
  checkArgument(database, withMethods("prepare", "batch"), "openD1Store: database");
  checkOptions(options, RULES, "openD1Store");
  const { name = "d1", now, profile, onWarning = ({ text }) => console.warn(text) } = options;
  const driver = new D1Driver(database, name);
  await migrateOnce(database, { driver, profile });
  const store = createSqlStore({ driver, statements: SQLITE_STATEMENTS, now, onWarning });
  return profile === undefined ? store : withWindow(store, { driver, onWarning });
}

/**
 * Databases whose tables are those of this version, and with which profiles. A Worker opens its database with every
 * request; what was looked at once is not looked at again while the binding lives.
 */
const migrated = new WeakMap<D1Database, ReadonlySet<StoreProfile | undefined>>();

interface Migrating {
  readonly driver: D1Driver;
  readonly profile: StoreProfile | undefined;
}

async function migrateOnce(database: D1Database, { driver, profile }: Migrating): Promise<void> {
  if (migrated.get(database)?.has(profile) === true) return;
  await migrateBeside(driver, SQLITE_MIGRATIONS);
  if (profile !== undefined) await migrateWindowed(driver, profile);
  migrated.set(database, new Set([...(migrated.get(database) ?? []), undefined, profile]));
}
