/** Dependencies of every operation of an SQL store, its warnings, and how it recovers from a damaged search index. */
import { PalimpsestError } from "../../core/errors.ts";
import type { Entry } from "../../core/log/entry.ts";
import { compareSession, compareText } from "./checksums.ts";
import type { Row, SqlDriver } from "./driver.ts";
import type { SessionRemover } from "./session-remover.ts";
import type { SqlStatements } from "./sql-statements.ts";
import type { TextIndexer } from "./text-indexer.ts";
import type { WordIndexer } from "./word-indexer.ts";

export interface SqlContext extends SqlReader {
  readonly indexer: TextIndexer;
  readonly wordIndexer: WordIndexer;
  readonly remover: SessionRemover;
  /** Clock of leases; default the database's own. */
  readonly now?: (() => number) | undefined;
  /** Called after text was erased. Its failure is ignored. */
  readonly afterErase?: (() => Promise<void>) | undefined;
  /** Runs a write, and once more on a full disk if it can free space. Only a deletion may use the reserve. */
  readonly withRoom?:
    | (<Result>(work: () => Promise<Result>, options: { readonly isDeletion: boolean }) => Promise<Result>)
    | undefined;
}

export interface SqlReader {
  readonly driver: SqlDriver;
  readonly statements: SqlStatements;
  readonly warnings: StoreWarnings;
  /** Reads heads and entries that are stored outside of their rows. Default: the rows contain them. */
  readonly contents?: StoredContents | undefined;
}

export interface StoredContents {
  /** Returns a row of `findHead` with the text of the head. */
  readHead(row: Row): Promise<Row>;
  /** Throws if the rows are an index that can be rebuilt, so that the caller rebuilds it. */
  reportDamage(): never;
  /** Returns whole entries in the order of the rows; with `onlyTexts` images and files may be missing. */
  readEntries(rows: readonly Row[], options: { readonly onlyTexts?: boolean | undefined }): Promise<readonly Entry[]>;
}

/** A problem that a store worked around. */
export interface StoreWarning {
  readonly text: string;
  readonly store: string;
}

export type OnWarning = (warning: StoreWarning) => void;

/** Number of warnings remembered to avoid repeating them. */
const MAX_REMEMBERED = 10_000;

/** Emits each warning once. */
export class StoreWarnings {
  readonly #store: string;
  readonly #onWarning: OnWarning;
  readonly #emitted = new Set<string>();

  /** With no listener, emits a process warning. */
  constructor(store: string, onWarning: OnWarning | undefined) {
    this.#store = store;
    this.#onWarning = onWarning ?? (({ text }) => process.emitWarning(text, "PalimpsestWarning"));
  }

  warn(text: string): void {
    if (this.#emitted.has(text)) return;
    if (this.#emitted.size >= MAX_REMEMBERED) this.#emitted.clear();
    this.#emitted.add(text);
    this.#onWarning({ text, store: this.#store });
  }
}

/** Reports a session's row that does not match its checksums. Figures are used unchanged, texts are left out. */
export function warnIfChanged(row: Row, { contents, warnings }: Pick<SqlReader, "contents" | "warnings">): void {
  const changed = (["counts", "title", "preview"] as const).filter((part) => isChanged(row, part));
  for (const part of changed) {
    contents?.reportDamage();
    warnings.warn(
      `Session ${JSON.stringify(row.id)}: the checksum of its ${part} does not match. The row with session_key ` +
        `${row.session_key} in the table sessions is damaged or was changed outside of Palimpsest. ${EFFECTS[part]}`,
    );
  }
}

const EFFECTS = {
  counts: "The session's id, times and new seqs may be wrong too. Restore a backup.",
  title: "The title is not shown. Rename the session, or restore a backup.",
  preview: "The preview is not shown. The first message of the session has the text.",
} as const;

function isChanged(row: Row, part: keyof typeof EFFECTS): boolean {
  if (part === "counts") return compareSession(row) === "changed";
  return `${part}_checksum` in row && compareText(row, part) === "changed";
}

const DAMAGE: ReadonlySet<unknown> = new Set(["corrupt", "changed"]);

/** Returns whether an error means damage, possibly only to the index. */
export function isDamageError(error: unknown): error is PalimpsestError {
  return error instanceof PalimpsestError && DAMAGE.has(error.details.reason);
}

type Recovery = Pick<SqlContext, "indexer" | "warnings" | "withRoom">;

/** Starts to rebuild a damaged search index, with a warning. Returns false if it cannot be rebuilt. */
export async function rebuildIndex({ indexer, warnings }: Recovery, cause: PalimpsestError): Promise<boolean> {
  const isRebuilt = await indexer.rebuild();
  const effect = isRebuilt ? "it is being rebuilt, and searches take longer until then" : "searches take longer";
  warnings.warn(`The search index cannot be used: ${effect}. ${cause.message}`);
  return isRebuilt;
}

/** Runs a deletion, and once more if a damaged index or a full disk made it fail. */
export async function withIndexRecovery<Result>(sql: Recovery, work: () => Promise<Result>): Promise<Result> {
  const remove = () => sql.withRoom?.(work, { isDeletion: true }) ?? work();
  try {
    return await remove();
  } catch (error) {
    if (!isDamageError(error) || !(await rebuildIndex(sql, error))) throw error;
    return remove();
  }
}
