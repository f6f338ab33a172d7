/** A store on a database that speaks SQL: a driver, a dialect, and what all of them do with both. */
import { PalimpsestError } from "../../core/errors.ts";
import type { Store } from "../../ports/store.ts";
import type { SqlContext } from "./sql-context.ts";
import { SqlTenant } from "./sql-tenant.ts";
import { type OnWarning, StoreWarnings } from "./store-warnings.ts";
import { toStoredText } from "./stored-text.ts";
import { TextIndexer } from "./text-indexer.ts";

export interface SqlStoreOptions extends Omit<SqlContext, "indexer" | "warnings"> {
  readonly onWarning?: OnWarning | undefined;
}

export function createSqlStore(options: SqlStoreOptions): Store {
  const { driver, statements, onWarning, ...rest } = options;
  const warnings = new StoreWarnings(driver.name, onWarning);
  const indexer = new TextIndexer({ driver, statements });
  let isClosed = false;
  // Somebody may have left before the texts they wrote were taken into the index.
  indexer.schedule();
  return {
    name: driver.name,
    tenant(tenantId) {
      if (isClosed) throw new PalimpsestError("closed", `The store ${driver.name} was closed; open a new one.`);
      const tenant = toStoredText(tenantId);
      const own = driver.forTenant?.(tenant) ?? driver;
      return new SqlTenant(tenant, { ...rest, driver: own, statements, warnings, indexer });
    },
    async close() {
      if (isClosed) return;
      isClosed = true;
      await indexer.close();
      await driver.close();
    },
  };
}
