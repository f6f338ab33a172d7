/** Dependencies of every operation of an SQL store. */
import type { SqlDriver } from "./driver.ts";
import type { SqlStatements } from "./sql-statements.ts";
import type { StoreWarnings } from "./store-warnings.ts";
import type { TextIndexer } from "./text-indexer.ts";

export interface SqlContext extends SqlReader {
  readonly indexer: TextIndexer;
  /** Clock of leases; default the database's own. */
  readonly now?: (() => number) | undefined;
  /** Called after text was erased. Its failure is ignored. */
  readonly afterErase?: (() => Promise<void>) | undefined;
  /** Runs a deletion on a full disk, after freeing space if it can. */
  readonly withRoom?: (<Result>(work: () => Promise<Result>) => Promise<Result>) | undefined;
}

export interface SqlReader {
  readonly driver: SqlDriver;
  readonly statements: SqlStatements;
  readonly warnings: StoreWarnings;
}
