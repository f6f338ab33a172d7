/**
 * Removes deleted sessions in slices that yield to the event loop. A deletion first hides its session in one small
 * write, so that no reader finds it; its rows follow. If the process ends in between, the next open continues.
 */
import {
  allowLoss,
  type Row,
  readNumberColumn,
  readTextColumn,
  type SqlDriver,
  type Statement,
  waitForEventLoop,
} from "./driver.ts";
import type { HiddenSession, LocalRemoval, SqlStatements } from "./sql-statements.ts";
import type { TextIndexer } from "./text-indexer.ts";

/** Limits of a slice if the database is in this process, which a slice blocks. A larger entry is removed alone. */
const LOCAL = { entries: 256, bytes: 256 * 2 ** 10, chunks: 2 };
/** Entries of a slice on a server, where a slice takes mostly the time of the round trip and of syncing the disk. */
const REMOTE = { first: 256, least: 256, most: 2_048, targetMs: 100 };
/** Rounds with fewer texts are skipped, because they are not worth a merge. */
const MIN_UNINDEXED = 16;
/** Delay before deletions that an earlier process did not finish are continued. */
const DELAY_MS = 250;
/** Delay before a failed removal is retried. */
const RETRY_MS = 10_000;

export interface RemoverOptions {
  readonly driver: SqlDriver;
  readonly statements: SqlStatements;
  readonly indexer: TextIndexer;
  /** Writes one slice, and tries once more if a damaged index or a full disk made it fail. */
  readonly write: (statements: readonly Statement[]) => Promise<readonly (readonly Row[])[] | undefined>;
}

export class SessionRemover {
  readonly #options: RemoverOptions;
  /** Removals by session key. */
  readonly #removing = new Map<number, Promise<void>>();
  #listing: Promise<void> | undefined;
  #lastStep: Promise<unknown> | undefined;
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
      this.#listing = this.#removeAll();
    }, delayMs);
    this.#timer.unref();
  }

  /** Removes a hidden session. Never fails: what cannot be removed now stays hidden, and is tried again. */
  remove(session: HiddenSession): Promise<void> {
    const known = this.#removing.get(session.key);
    if (known !== undefined) return known;
    const removing = this.#removeInSlices(session)
      .catch(() => this.schedule(RETRY_MS))
      .finally(() => this.#removing.delete(session.key));
    this.#removing.set(session.key, removing);
    return removing;
  }

  /** Waits for the slice that is being written. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await Promise.all([this.#listing, ...this.#removing.values()]);
  }

  async #removeAll(): Promise<void> {
    const { driver, statements } = this.#options;
    try {
      const [rows = []] = await driver.read([statements.findHidden()]);
      for (const row of rows)
        await this.remove({ tenant: readTextColumn(row, "tenant"), key: readNumberColumn(row, "session_key") });
    } catch {
      this.schedule(RETRY_MS);
    }
  }

  async #removeInSlices(session: HiddenSession): Promise<void> {
    const { driver, statements, indexer } = this.#options;
    if (driver.isRemote === true || statements.localRemoval === undefined) await this.#removeRemotely(session);
    else await this.#removeLocally(session, statements.localRemoval);
    indexer.schedule();
  }

  /** Adapts slices to the time that one takes. */
  async #removeRemotely(session: HiddenSession): Promise<void> {
    const { first, least, most, targetMs } = REMOTE;
    for (let entries = first; !this.#isClosed; ) {
      const from = performance.now();
      if (!(await this.#removeSlice(session, entries))) return;
      const isSlow = performance.now() - from > targetMs;
      entries = isSlow ? Math.max(least, Math.floor(entries / 2)) : Math.min(most, 2 * entries);
    }
  }

  async #removeLocally(session: HiddenSession, steps: LocalRemoval): Promise<void> {
    await this.#unindex(session, steps);
    while (!this.#isClosed) {
      const [rows = []] = await this.#options.driver.read([steps.measureEntries(session, LOCAL.entries)]);
      const entries = countInSlice(rows);
      const hasBlobs = rows.slice(0, entries).some((row) => row.has_blobs === 1);
      const removeChunks = steps.removeChunks(session, { entries, chunks: LOCAL.chunks });
      while (hasBlobs && !this.#isClosed && (await this.#write([removeChunks]))?.[0]?.length === LOCAL.chunks);
      if (this.#isClosed || !(await this.#removeSlice(session, entries))) return;
    }
  }

  /**
   * Removes the texts of a long session from the search index: every second one, then half of the rest, and so on. The
   * index is merged after each round, so that a step of a merge reads at most twice what it writes.
   */
  async #unindex(session: HiddenSession, steps: LocalRemoval): Promise<void> {
    const [[row] = []] = await this.#options.driver.read([steps.findSeqs(session)]);
    const [first, last] = [Number(row?.first ?? 0), Number(row?.last ?? 0)];
    for (let step = 2; last - first >= (step / 2) * MIN_UNINDEXED; step *= 2) {
      const length = step * LOCAL.entries;
      for (let fromSeq = first + step / 2 - 1; fromSeq <= last; fromSeq += length) {
        if (this.#isClosed) return;
        const throughSeq = Math.min(last, fromSeq + length - 1);
        await this.#write(steps.unindex(session, { fromSeq, throughSeq, step }));
      }
      // Best effort: the texts are removed already, and a failed merge only makes later ones longer.
      await this.#options.indexer.merge().catch(() => undefined);
    }
  }

  /** Returns false if nothing of the session is left. */
  async #removeSlice(session: HiddenSession, entries: number): Promise<boolean> {
    return (await this.#write(this.#options.statements.removeSlice(session, entries))) !== undefined;
  }

  /** Writes one step at a time in this process, because the driver would commit the steps of several sessions together. */
  #write(statements: readonly Statement[]) {
    const { driver, write } = this.#options;
    const before = driver.isRemote === true ? undefined : this.#lastStep;
    const step = (async () => {
      await before;
      await waitForEventLoop();
      return write(allowLoss(statements));
    })();
    this.#lastStep = step.catch(() => undefined);
    return step;
  }
}

function countInSlice(rows: readonly Row[]): number {
  let bytes = 0;
  const end = rows.findIndex((row) => {
    bytes += readNumberColumn(row, "bytes");
    return bytes > LOCAL.bytes;
  });
  return end === -1 ? LOCAL.entries : Math.max(1, end);
}
