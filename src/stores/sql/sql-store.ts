/** Creates a store from a driver and a dialect. */
import { PalimpsestError } from "../../core/errors.ts";
import type { Store } from "../../ports/store.ts";
import type { SqlContext } from "./sql-context.ts";
import { type OnWarning, StoreWarnings } from "./sql-context.ts";
import { SqlTenant } from "./sql-tenant.ts";
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
  // A process may have ended before its texts were indexed.
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
