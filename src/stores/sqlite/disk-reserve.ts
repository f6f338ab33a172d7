/** A file that only takes up space. On a full disk it is removed, so that deletions have the space they need. */
import { accessSync, constants, existsSync, rmSync, writeFileSync } from "node:fs";
import { PalimpsestError } from "../../core/errors.ts";
import { PRIVATE_FILE } from "../shared/private-mode.ts";

const RESERVE_BYTES = 1_000_000;

export class DiskReserve {
  readonly #path: string;
  readonly #reserve: string;

  constructor(path: string) {
    this.#path = path;
    this.#reserve = `${path}-reserve`;
  }

  /** Best effort: without the reserve, only deleting on a full disk fails. */
  keep(): void {
    if (this.#path === ":memory:" || existsSync(this.#reserve)) return;
    try {
      accessSync(this.#path, constants.W_OK);
      // Writes real bytes, because a sparse file takes no space.
      writeFileSync(this.#reserve, Buffer.alloc(RESERVE_BYTES, 1), { mode: PRIVATE_FILE, flag: "wx" });
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) this.release();
    }
  }

  release(): void {
    rmSync(this.#reserve, { force: true });
  }

  /** Runs the work, and once more without the reserve if the disk is full. `afterRelease` may free more space. */
  async use<Result>(work: () => Promise<Result>, afterRelease: () => Promise<unknown>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof PalimpsestError) || error.details.reason !== "disk-full") throw error;
      this.release();
      await afterRelease();
      return work();
    }
  }
}
