/**
 * A file beside a database that holds nothing but room. A database needs room to take something away too, so on a full
 * disk the file goes first, and is made again when there is room for it.
 */
import { accessSync, constants, existsSync, rmSync, writeFileSync } from "node:fs";
import { PalimpsestError } from "../../core/errors.ts";
import { PRIVATE_FILE } from "../private-mode.ts";

const RESERVE_BYTES = 1_000_000;

export class DiskReserve {
  readonly #path: string;
  readonly #reserve: string;

  constructor(path: string) {
    this.#path = path;
    this.#reserve = `${path}-reserve`;
  }

  /** Best effort: without it only deleting on a full disk fails. */
  keep(): void {
    if (this.#path === ":memory:" || existsSync(this.#reserve)) return;
    try {
      accessSync(this.#path, constants.W_OK);
      // Bytes that were written, because a file can be long and take no room.
      writeFileSync(this.#reserve, Buffer.alloc(RESERVE_BYTES, 1), { mode: PRIVATE_FILE, flag: "wx" });
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) this.release();
    }
  }

  release(): void {
    rmSync(this.#reserve, { force: true });
  }

  /** Does it once more with the room that was kept, where the disk is full. `afterRelease` may make more of it. */
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
