/** A file that only uses space. On a full disk it is removed, so that deletions have the space they need. */
import { accessSync, constants, rmSync, statfsSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { PalimpsestError } from "../../core/errors.ts";
import { PRIVATE_FILE } from "../shared/private-mode.ts";

/** Larger than a write-ahead log before a checkpoint, plus the pages that a deletion changes. */
const RESERVE_BYTES = 6 * 2 ** 20;

export class DiskReserve {
  readonly #path: string;
  readonly #reserve: string;

  /** `path` is the file or folder that the reserve is for; the reserve is beside it. */
  constructor(path: string) {
    this.#path = path;
    this.#reserve = `${path}-reserve`;
  }

  /** Reserves the space, or at most half of what is free. Only deleting on a full disk needs it. */
  keep(bytes = RESERVE_BYTES): void {
    if (this.#path === ":memory:") return;
    try {
      accessSync(this.#path, constants.W_OK);
      const kept = statSync(this.#reserve, { throwIfNoEntry: false })?.size ?? 0;
      const wanted = Math.min(bytes, Math.floor((kept + findFreeBytes(this.#path)) / 2));
      if (wanted <= kept) return;
      // Writes real bytes, because a sparse file takes no space.
      writeFileSync(this.#reserve, Buffer.alloc(wanted - kept, 1), { mode: PRIVATE_FILE, flag: "a" });
    } catch (error) {
      if (isFull(error)) this.release();
    }
  }

  release(): void {
    rmSync(this.#reserve, { force: true });
  }

  /** Runs the work; if the disk is full, once more without the reserve, and then after `makeRoom`. */
  async use<Result>(work: () => Promise<Result>, makeRoom: () => Promise<unknown>): Promise<Result> {
    return retryWhenFull(work, async () => {
      this.release();
      return retryWhenFull(work, async () => {
        await makeRoom();
        return work();
      });
    });
  }
}

function isFull(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ENOSPC" || error.code === "EDQUOT");
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

/** Returns the bytes that this user can still write beside a file. */
export function findFreeBytes(path: string): number {
  const { bavail, bsize } = statfsSync(dirname(path));
  return bavail * bsize;
}
