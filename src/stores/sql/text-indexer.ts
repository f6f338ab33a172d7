/**
 * Indexes new texts in the background, a few at a time, so that appends do not wait. Searches scan pending texts, so a
 * failure here costs time and no hit.
 */
import type { SqlDriver } from "./driver.ts";
import type { SqlStatements } from "./sql-statements.ts";

/** Longer than a burst of appends, and well inside the two seconds in which texts are promised to be indexed. */
const DELAY_MS = 500;
/** Indexed in a few milliseconds. */
const PORTION = { texts: 40, characters: 20_000 };
const PAUSE_MS = 5;

export class TextIndexer {
  readonly #driver: SqlDriver;
  readonly #statements: SqlStatements;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<boolean> | undefined;
  #isClosed = false;
  #rebuilding: Promise<boolean> | undefined;

  constructor({ driver, statements }: { readonly driver: SqlDriver; readonly statements: SqlStatements }) {
    this.#driver = driver;
    this.#statements = statements;
  }

  /** Schedules one run, however often it is called. The timer does not keep the process alive. */
  schedule(delayMs = DELAY_MS): void {
    if (this.#isClosed || this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#running = this.#indexSome();
      void this.#running.then((hasMore) => {
        if (hasMore) this.schedule(PAUSE_MS);
      });
    }, delayMs);
    this.#timer.unref();
  }

  /**
   * Rebuilds a damaged index once; resolves to false if that cannot be done. Texts are scanned until it has caught up.
   */
  rebuild(): Promise<boolean> {
    this.#rebuilding ??= this.#startRebuild();
    return this.#rebuilding;
  }

  /** Indexes one last portion, which is usually all that a short process wrote. */
  async close(): Promise<void> {
    const isWaiting = this.#timer !== undefined;
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#running;
    if (isWaiting) await this.#indexSome();
  }

  async #startRebuild(): Promise<boolean> {
    const { rebuildIndex } = this.#statements;
    if (rebuildIndex.length === 0) return false;
    try {
      await this.#driver.batch(rebuildIndex);
    } catch {
      // More than the index is damaged; the caller sees the error that started this.
      return false;
    }
    this.schedule();
    return true;
  }

  /** Returns whether more may be pending. */
  async #indexSome(): Promise<boolean> {
    try {
      return (await this.#driver.batch(this.#statements.indexPending(PORTION))) !== undefined;
    } catch {
      // The texts stay pending; the next write or the next open tries again.
      return false;
    }
  }
}
