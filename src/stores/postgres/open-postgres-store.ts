/** Opens a store in the schema `palimpsest` of a PostgreSQL database, for any number of processes and machines. */
import { AMOUNT, COUNT, checkOptions, FLAG, FUNCTION } from "../../core/check-options.ts";
import { PalimpsestError } from "../../core/errors.ts";
import type { Store } from "../../ports/store.ts";
import { type OnWarning, StoreWarnings } from "../sql/sql-context.ts";
import { createSqlStore } from "../sql/sql-store.ts";
import { loadPg } from "./load-pg.ts";
import { forceRowSecurity, migratePostgres } from "./migrate-postgres.ts";
import { PostgresDriver } from "./postgres-driver.ts";
import { POSTGRES_MIGRATIONS } from "./postgres-migrations.ts";
import { POSTGRES_STATEMENTS } from "./postgres-statements.ts";

export { openPostgresNotifications, type PostgresNotificationsOptions } from "./postgres-notifications.ts";

/** Connections, time limits and row-level security of a PostgreSQL store. */
export interface PostgresStoreOptions {
  /** Maximum connections of this process; default ten. */
  readonly connections?: number | undefined;
  /** How long to wait for an unavailable server; default five seconds. */
  readonly retryForMs?: number | undefined;
  /** Timeout of a statement; default 30 seconds. */
  readonly statementTimeoutMs?: number | undefined;
  /** Turns on row-level security, permanently and for every user of the database. */
  readonly rowSecurity?: boolean | undefined;
  /** Called with each problem that the store worked around; default `process.emitWarning`. */
  readonly onWarning?: OnWarning | undefined;
  /** Clock of leases in milliseconds, for tests; default the database's clock. */
  readonly now?: (() => number) | undefined;
}

const CONNECTIONS = 10;
const RETRY_FOR_MS = 5_000;
const STATEMENT_TIMEOUT_MS = 30_000;

const RULES = {
  connections: COUNT,
  retryForMs: AMOUNT,
  statementTimeoutMs: AMOUNT,
  rowSecurity: FLAG,
  onWarning: FUNCTION,
  now: FUNCTION,
} satisfies Record<keyof PostgresStoreOptions, unknown>;

/**
 * Opens a store on PostgreSQL. Needs the package `pg`.
 *
 * @example
 * ```ts
 * const palimpsest = await openPalimpsest({ store: await openPostgresStore("postgres://127.0.0.1/chats") });
 * ```
 */
export async function openPostgresStore(url: string, options: PostgresStoreOptions = {}): Promise<Store> {
  checkOptions(options, RULES, "openPostgresStore");
  const {
    connections = CONNECTIONS,
    retryForMs = RETRY_FOR_MS,
    statementTimeoutMs = STATEMENT_TIMEOUT_MS,
    now,
  } = options;
  if (!URL.canParse(url)) {
    const text = "store: this is not a database address. Write postgres://user:password@host:5432/database";
    throw new PalimpsestError("config-invalid", text, { details: { key: "store" } });
  }
  const driver = new PostgresDriver(await loadPg(), { url, connections, retryForMs, statementTimeoutMs });
  try {
    await migratePostgres(driver, POSTGRES_MIGRATIONS);
    if (options.rowSecurity === true) {
      const warnings = new StoreWarnings(driver.name, options.onWarning);
      await forceRowSecurity(driver, (text) => warnings.warn(text));
    }
  } catch (error) {
    await driver.close();
    throw error;
  }
  return createSqlStore({ driver, statements: POSTGRES_STATEMENTS, now, onWarning: options.onWarning });
}
