/** Dependencies of every operation of an SQL store. */
import type { Entry } from "../../core/log/entry.ts";
import type { Row, SqlDriver } from "./driver.ts";
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
  /** Reads heads and entries that are stored outside of their rows. Default: the rows hold them. */
  readonly contents?: StoredContents | undefined;
}

export interface StoredContents {
  /** Returns a row of `findHead` with the text of the head. */
  readHead(row: Row): Promise<Row>;
  /** Returns whole entries in the order of the rows; with `onlyTexts` images and files may be missing. */
  readEntries(rows: readonly Row[], options: { readonly onlyTexts?: boolean | undefined }): Promise<readonly Entry[]>;
}
