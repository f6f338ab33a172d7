/** A file that only uses space. On a full disk it is removed, so that deletions have the space they need. */
import { accessSync, constants, rmSync, statfsSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { PalimpsestError } from "../../core/errors.ts";
import { PRIVATE_FILE } from "../shared/private-mode.ts";
import { Serial } from "../shared/serial.ts";

/** Larger than a write-ahead log before a checkpoint, plus the pages that a deletion changes. */
const RESERVE_BYTES = 6 * 2 ** 20;

export class DiskReserve {
  readonly #path: string;
  readonly #reserve: string;
  readonly #deletions = new Serial();
  #isWhole = false;

  /** `path` is the file or folder that the reserve is for; the reserve is next to it. */
  constructor(path: string) {
    this.#path = path;
    this.#reserve = `${path}-reserve`;
  }

  /** Returns false if the reserve was used or the disk had less space: later calls of `keep` complete it. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  /** Reserves the space, or at most half of what is free. Only deleting on a full disk needs it. */
  keep(bytes = RESERVE_BYTES): void {
    if (this.#path === ":memory:") return;
    try {
      accessSync(this.#path, constants.W_OK);
      const kept = this.#size;
      this.#add(Math.min(bytes, Math.floor((kept + findFreeBytes(this.#path)) / 2)) - kept);
      this.#isWhole = this.#size >= bytes;
    } catch {
      this.#isWhole = false;
    }
  }

  /**
   * Runs a deletion. If the disk is full, runs it again without the reserve, and then after `makeRoom`. Deletions use
   * the reserve one at a time; what they leave of it is reserved again, before any other write can take it.
   */
  async use<Result>(work: () => Promise<Result>, makeRoom: () => Promise<unknown>): Promise<Result> {
    return retryWhenFull(work, () =>
      this.#deletions.run(async () => {
        const released = this.#release();
        try {
          const result = await retryWhenFull(work, async () => {
            await makeRoom();
            return work();
          });
          await makeRoom();
          return result;
        } finally {
          this.#retake(released);
        }
      }),
    );
  }

  /** Waits for deletions that use the reserve. Every other write calls it first. */
  async waitForDeletions(): Promise<void> {
    if (!this.#deletions.isIdle) await this.#deletions.run(async () => undefined);
  }

  /** Returns the number of released bytes. */
  #release(): number {
    const bytes = this.#size;
    this.#isWhole = false;
    rmSync(this.#reserve, { force: true });
    return bytes;
  }

  #retake(bytes: number): void {
    try {
      this.#add(Math.min(bytes - this.#size, findFreeBytes(this.#path)));
    } catch {
      // Another program took the space first.
    }
  }

  get #size(): number {
    return statSync(this.#reserve, { throwIfNoEntry: false })?.size ?? 0;
  }

  /** Writes real bytes, because a sparse file takes no space. If it fails, the earlier reserve stays. */
  #add(bytes: number): void {
    if (bytes <= 0) return;
    const kept = this.#size;
    try {
      writeFileSync(this.#reserve, Buffer.alloc(bytes, 1), { mode: PRIVATE_FILE, flag: "a" });
    } catch (error) {
      if (this.#size > kept) truncateSync(this.#reserve, kept);
      throw error;
    }
  }
}

/** Runs `again` if the work finds the disk full. */
export async function retryWhenFull<Result>(
  work: () => Promise<Result>,
  again: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof PalimpsestError) || error.details.reason !== "disk-full") throw error;
    return again();
  }
}

/** Returns the bytes that this user can still write next to a file. */
export function findFreeBytes(path: string): number {
  const { bavail, bsize } = statfsSync(dirname(path));
  return bavail * bsize;
}
