/**
 * Removes deleted sessions in slices that yield to the event loop. A deletion first hides its session in one small
 * write, so that no reader finds it; its rows follow. If the process ends in between, the next open continues.
 */
import { type Row, readNumber, readText, type SqlDriver, type Statement, waitForEventLoop } from "./driver.ts";
import type { HiddenSession, SqlStatements } from "./sql-statements.ts";

/** Entries of a slice; the first is small, and the following ones adapt to the time that one takes. */
interface SliceSize {
  readonly first: number;
  readonly least: number;
  readonly most: number;
  readonly targetMs: number;
}

/** Small, because a slice blocks this process. */
const LOCAL: SliceSize = { first: 32, least: 1, most: 256, targetMs: 6 };
/** Large, because most of the time is the round trip to the server and a sync of its disk. */
const REMOTE: SliceSize = { first: 256, least: 256, most: 2_048, targetMs: 100 };
/** Delay before deletions that an earlier process did not finish are continued. */
const DELAY_MS = 250;
/** Delay before a failed removal is retried. */
const RETRY_MS = 10_000;

export interface RemoverOptions {
  readonly driver: SqlDriver;
  readonly statements: SqlStatements;
  /** Writes one slice, and tries once more if a damaged index or a full disk made it fail. */
  readonly write: (statements: readonly Statement[]) => Promise<readonly (readonly Row[])[] | undefined>;
}

export class SessionRemover {
  readonly #options: RemoverOptions;
  readonly #removing = new Set<Promise<unknown>>();
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(options: RemoverOptions) {
    this.#options = options;
  }

  /** Schedules the removal of every hidden session. The timer does not keep the process alive. */
  schedule(delayMs = DELAY_MS): void {
    if (this.#isClosed || this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.#track(this.#removeAll());
    }, delayMs);
    this.#timer.unref();
  }

  /** Removes a hidden session. Never fails: what cannot be removed now stays hidden, and is tried again. */
  remove(session: HiddenSession): Promise<void> {
    return this.#track(this.#removeInSlices(session).catch(() => this.schedule(RETRY_MS)));
  }

  /** Waits for the slice that is being written. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await Promise.all(this.#removing);
  }

  async #removeAll(): Promise<void> {
    const { driver, statements } = this.#options;
    try {
      const [rows = []] = await driver.read([statements.findHidden()]);
      for (const row of rows)
        await this.remove({ tenant: readText(row, "tenant"), key: readNumber(row, "session_key") });
    } catch {
      this.schedule(RETRY_MS);
    }
  }

  async #removeInSlices(session: HiddenSession): Promise<void> {
    const { first, least, most, targetMs } = this.#options.driver.isRemote === true ? REMOTE : LOCAL;
    for (let entries = first; !this.#isClosed; ) {
      const from = performance.now();
      const isGone = (await this.#options.write(this.#options.statements.removeSlice(session, entries))) === undefined;
      if (isGone) return;
      const isSlow = performance.now() - from > targetMs;
      entries = isSlow ? Math.max(least, Math.floor(entries / 2)) : Math.min(most, 2 * entries);
      await waitForEventLoop();
    }
  }

  async #track<Result>(work: Promise<Result>): Promise<Result> {
    this.#removing.add(work);
    try {
      return await work;
    } finally {
      this.#removing.delete(work);
    }
  }
}
