/**
 * A store in a PostgreSQL database, for one machine or many: any number of processes may use it at once. Its tables are
 * in the schema `palimpsest`, which is created when it is not there.
 */
import { AMOUNT, COUNT, checkOptions, FLAG, FUNCTION } from "../../core/check-options.ts";
import { PalimpsestError } from "../../core/errors.ts";
import type { Store } from "../../ports/store.ts";
import { createSqlStore } from "../sql/sql-store.ts";
import { type OnWarning, StoreWarnings } from "../sql/store-warnings.ts";
import { forceRowSecurity } from "./force-row-security.ts";
import { loadPg } from "./load-pg.ts";
import { migratePostgres } from "./migrate-postgres.ts";
import { PostgresDriver } from "./postgres-driver.ts";
import { POSTGRES_MIGRATIONS } from "./postgres-migrations.ts";
import { POSTGRES_STATEMENTS } from "./postgres-statements.ts";

export { openPostgresNotifications, type PostgresNotificationsOptions } from "./postgres-notifications.ts";

export interface PostgresStoreOptions {
  /** Connections that this process opens at most; ten without it. */
  readonly connections?: number | undefined;
  /** How long a server that is away is waited for; five seconds without it. */
  readonly patienceMs?: number | undefined;
  /** After how long a statement is given up; half a minute without it. */
  readonly statementTimeoutMs?: number | undefined;
  /**
   * Lets the database itself keep tenants apart, for good and for everybody who uses it. The index of words cannot be
   * used then, because it would be asked before the policy: searches look through the texts one by one.
   */
  readonly rowSecurity?: boolean | undefined;
  /** Told of everything that was found wrong and was gone around. Without it `process.emitWarning` is. */
  readonly onWarning?: OnWarning | undefined;
  /** Milliseconds that leases run on, for tests; the database's clock without it. */
  readonly now?: (() => number) | undefined;
}

const CONNECTIONS = 10;
const PATIENCE_MS = 5_000;
const STATEMENT_TIMEOUT_MS = 30_000;

const RULES = {
  connections: COUNT,
  patienceMs: AMOUNT,
  statementTimeoutMs: AMOUNT,
  rowSecurity: FLAG,
  onWarning: FUNCTION,
  now: FUNCTION,
} satisfies Record<keyof PostgresStoreOptions, unknown>;

export async function openPostgresStore(url: string, options: PostgresStoreOptions = {}): Promise<Store> {
  checkOptions(options, RULES, "openPostgresStore");
  const {
    connections = CONNECTIONS,
    patienceMs = PATIENCE_MS,
    statementTimeoutMs = STATEMENT_TIMEOUT_MS,
    now,
  } = options;
  if (!URL.canParse(url)) {
    const text = "store: this is no address of a database. Write postgres://user:password@host:5432/database";
    throw new PalimpsestError("config-invalid", text, { details: { key: "store" } });
  }
  const driver = new PostgresDriver(await loadPg(), { url, connections, patienceMs, statementTimeoutMs });
  try {
    await migratePostgres(driver, POSTGRES_MIGRATIONS);
    if (options.rowSecurity === true) {
      const warnings = new StoreWarnings(driver.name, options.onWarning);
      await forceRowSecurity(driver, (text) => warnings.tell(text));
    }
  } catch (error) {
    await driver.close();
    throw error;
  }
  return createSqlStore({ driver, statements: POSTGRES_STATEMENTS, now, onWarning: options.onWarning });
}
