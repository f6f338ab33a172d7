/**
 * Takes new texts into the search index in the background, a few at a time, so that nobody who appends waits for it and
 * nothing else waits long. Until then searches look through them one by one, so a failure here costs time and no hit.
 */
import type { SqlDriver } from "./driver.ts";
import type { SqlStatements } from "./sql-statements.ts";

/** Long enough for a burst to end, and well inside the two seconds in which texts are promised to be indexed. */
const DELAY_MS = 500;
/** What is indexed in a few milliseconds. */
const AT_ONCE = { texts: 40, characters: 20_000 };
const PAUSE_MS = 5;

export class TextIndexer {
  readonly #driver: SqlDriver;
  readonly #statements: SqlStatements;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<boolean> | undefined;
  #isClosed = false;
  #mending: Promise<boolean> | undefined;

  constructor({ driver, statements }: { readonly driver: SqlDriver; readonly statements: SqlStatements }) {
    this.#driver = driver;
    this.#statements = statements;
  }

  /** Soon, and once however often it is asked for. A process that has nothing else to do is not kept for it. */
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

  /** Begins a damaged index anew, once; false where that cannot be done. Until it has caught up texts are scanned. */
  mend(): Promise<boolean> {
    this.#mending ??= this.#beginAnew();
    return this.#mending;
  }

  /** What a short process wrote is mostly one portion: the next one then finds nothing to catch up with. */
  async close(): Promise<void> {
    const isWaiting = this.#timer !== undefined;
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#running;
    if (isWaiting) await this.#indexSome();
  }

  async #beginAnew(): Promise<boolean> {
    const { mendIndex } = this.#statements;
    if (mendIndex.length === 0) return false;
    try {
      await this.#driver.batch(mendIndex);
    } catch {
      // More is damaged than the index: whoever asked hears of that.
      return false;
    }
    this.schedule();
    return true;
  }

  /** Whether there may be more. */
  async #indexSome(): Promise<boolean> {
    try {
      return (await this.#driver.batch(this.#statements.indexPending(AT_ONCE))) !== undefined;
    } catch {
      // They wait where they are; whoever writes next, or opens the store next, tries again.
      return false;
    }
  }
}
