/** Indexes new texts in the background. Searches scan pending texts, so a failure here loses no hit. */
import { hashText } from "../../core/message/hash-message.ts";
import type { Role } from "../../core/message/message.ts";
import { allowLoss, readNumberColumn, type SqlDriver, waitForEventLoop } from "./driver.ts";
import type { SqlStatements } from "./sql-statements.ts";

/** Longer than a burst of appends, and well inside the two seconds within which texts must be indexed. */
const DELAY_MS = 500;
/** Texts of one run, which takes a few milliseconds. */
const PORTION = { texts: 40, bytes: 20_000 };
const PAUSE_MS = 5;
/** Pages of the index that one step merges. In this process, a step takes one to six milliseconds. */
const MERGED_PAGES = { local: 8, remote: 512 };
/**
 * A merge writes a term in one step, and all texts of a tenant have one in common: a step takes a millisecond for every
 * ten thousand texts. Larger indexes are merged outside of the event loop.
 */
const MAX_TEXTS_IN_LOOP = 200_000;

export class TextIndexer {
  readonly #driver: SqlDriver;
  readonly #statements: SqlStatements;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<boolean> | undefined;
  #isClosed = false;
  #rebuilding: Promise<boolean> | undefined;
  #merging: Promise<void> | undefined;

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

  /** Merges what was indexed or removed, in steps that yield to the event loop. May fail. */
  merge(): Promise<void> {
    this.#merging ??= this.#mergeInSteps().finally(() => {
      this.#merging = undefined;
    });
    return this.#merging;
  }

  /** Rebuilds a damaged index once; resolves to false if it cannot. Texts are scanned in the meantime. */
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

  async #mergeInSteps(): Promise<void> {
    const pages = this.#driver.isRemote === true ? MERGED_PAGES.remote : MERGED_PAGES.local;
    const statements = this.#statements.mergeIndex?.(pages);
    if (statements === undefined) return;
    const write = await this.#chooseMergeWriter();
    for (;;) {
      const [[before] = [], , [after] = []] = (await write(allowLoss(statements))) ?? [];
      if (before === undefined || after === undefined || this.#isClosed) return;
      // The merge command itself counts as one change.
      if (readNumberColumn(after, "changes") - readNumberColumn(before, "changes") < 2) return;
      await waitForEventLoop();
    }
  }

  async #chooseMergeWriter(): Promise<SqlDriver["batch"]> {
    const driver = this.#driver;
    const count = this.#statements.countIndexed?.();
    if (driver.batchApart === undefined || count === undefined) return (statements) => driver.batch(statements);
    const [[row] = []] = await driver.read([count]);
    const isLarge = row !== undefined && readNumberColumn(row, "key") > MAX_TEXTS_IN_LOOP;
    return (statements) => (isLarge && driver.batchApart?.(statements)) || driver.batch(statements);
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
      const hasMore = (await this.#driver.batch(allowLoss(this.#statements.indexPending(PORTION)))) !== undefined;
      await this.merge();
      return hasMore;
    } catch {
      // The texts stay pending; the next write or the next open tries again.
      return false;
    }
  }
}

/**
 * Scopes encode tenant, role and session of a text as three characters each, which an index of trigrams stores as one
 * piece. They only narrow a search. The columns exclude texts that happen to contain such characters, and other tenants
 * with the same ones.
 */
const PRIVATE_USE = 0xe000;
const WIDTH = 0x1000;
const ROLES: Readonly<Record<Role, string>> = {
  system: "\uf800\uf800\uf800",
  user: "\uf801\uf801\uf801",
  assistant: "\uf802\uf802\uf802",
  tool: "\uf803\uf803\uf803",
};

export function tenantScope(tenant: string): string {
  const digits = hashText(tenant);
  return String.fromCharCode(...[0, 3, 6].map((at) => PRIVATE_USE + Number.parseInt(digits.slice(at, at + 3), 16)));
}

export function roleScope(role: Role): string {
  return ROLES[role];
}

/** The dialect computes the same value when it indexes a text. */
export function sessionScope(key: number): string {
  const units = [key % WIDTH, Math.floor(key / WIDTH) % WIDTH, WIDTH + (Math.floor(key / WIDTH ** 2) % 0x800)];
  return String.fromCharCode(...units.map((unit) => PRIVATE_USE + unit));
}
