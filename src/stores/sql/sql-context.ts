/** What every verb of an SQL store works with. */
import type { SqlDriver } from "./driver.ts";
import type { SqlStatements } from "./sql-statements.ts";
import type { StoreWarnings } from "./store-warnings.ts";
import type { TextIndexer } from "./text-indexer.ts";

export interface SqlContext extends SqlReader {
  readonly indexer: TextIndexer;
  /** What leases run on; the database's own clock without it. */
  readonly now?: (() => number) | undefined;
  /** Called when text was erased. Its failure changes nothing. */
  readonly afterErase?: (() => Promise<void>) | undefined;
  /** Takes something away where there is no room even for that, if anything can be done about it. */
  readonly withRoom?: (<Result>(work: () => Promise<Result>) => Promise<Result>) | undefined;
}

export interface SqlReader {
  readonly driver: SqlDriver;
  readonly statements: SqlStatements;
  readonly warnings: StoreWarnings;
}
