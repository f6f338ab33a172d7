/**
 * Opens a store in a Cloudflare D1 database, with the tables of the SQLite store. A Worker opens it with each request
 * and closes it after the response (`ctx.waitUntil(store.close())`): work of one request cannot continue in another.
 */
import { checkArgument, checkOptions, FUNCTION, oneOf, TEXT, withMethods } from "../../core/check-options.ts";
import type { Store } from "../../ports/store.ts";
import { migrateSharedDatabase } from "../sql/migrate-sqlite.ts";
import type { OnWarning } from "../sql/sql-context.ts";
import { createSqlStore } from "../sql/sql-store.ts";
import { SQLITE_MIGRATIONS } from "../sqlite/sqlite-migrations.ts";
import { SQLITE_STATEMENTS } from "../sqlite/sqlite-statements.ts";
import { addWindow, migrateWindowed, type StoreProfile, type WindowedStore } from "../windowed/windowed-store.ts";
import { type D1Database, D1Driver } from "./d1-driver.ts";

export type { StoreProfile, WindowedStore, WindowRow } from "../windowed/windowed-store.ts";
export { adoptRows } from "../windowed/windowed-store.ts";
export type { D1Database } from "./d1-driver.ts";

/** Name, clock and warnings of a D1 store. */
export interface D1StoreOptions {
  /** Name in messages and reports; default `d1`. */
  readonly name?: string | undefined;
  /** Clock of leases in milliseconds, for tests; default the database's clock. */
  readonly now?: (() => number) | undefined;
  /** Called with each problem that the store worked around; default `console.warn`. */
  readonly onWarning?: OnWarning | undefined;
  /** `windowed-sql` maintains the table `messages` of a windowed chat in the same transactions as the log. */
  readonly profile?: StoreProfile | undefined;
}

const RULES = {
  name: TEXT,
  now: FUNCTION,
  onWarning: FUNCTION,
  profile: oneOf("windowed-sql"),
} satisfies Record<keyof D1StoreOptions, unknown>;

/**
 * Opens a store on a D1 database of Cloudflare.
 *
 * @example
 * ```ts
 * const open = async (env: { DB: D1Database }) => openPalimpsest({ store: await openD1Store(env.DB) });
 * ```
 */
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
  await migrateOnce(database, driver, profile);
  const store = createSqlStore({ driver, statements: SQLITE_STATEMENTS, now, onWarning });
  return profile === undefined ? store : addWindow(store, { driver, onWarning });
}

/** Migrated profiles by database: a Worker opens its database with every request. */
const migratedProfiles = new WeakMap<D1Database, ReadonlySet<StoreProfile | undefined>>();

async function migrateOnce(database: D1Database, driver: D1Driver, profile: StoreProfile | undefined): Promise<void> {
  if (migratedProfiles.get(database)?.has(profile) === true) return;
  await migrateSharedDatabase(driver, SQLITE_MIGRATIONS);
  if (profile !== undefined) await migrateWindowed(driver, profile);
  migratedProfiles.set(database, new Set([...(migratedProfiles.get(database) ?? []), undefined, profile]));
}
