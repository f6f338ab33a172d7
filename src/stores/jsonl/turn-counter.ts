/**
 * Numbers the entries of all of a tenant's sessions in the order they came, by no clock. A block of numbers is taken
 * from a small file at a time, so that a crash leaves a gap and never a number twice. Where that file is lost the
 * numbers go on after the greatest one that any session has.
 */
import { open, readFile, rename } from "node:fs/promises";
import { PRIVATE_FILE } from "../shared/private-mode.ts";
import { errorCode, mediumError, onMedium } from "./medium-error.ts";

const BLOCK = 2 ** 20;

export interface TurnCounterOptions {
  readonly path: string;
  /** The greatest number in use, by looking at everything. */
  readonly findGreatest: () => Promise<number>;
}

export class TurnCounter {
  readonly #path: string;
  readonly #findGreatest: () => Promise<number>;
  #next = 1;
  #end = 1;
  #loading: Promise<void> | undefined;

  constructor({ path, findGreatest }: TurnCounterOptions) {
    this.#path = path;
    this.#findGreatest = findGreatest;
  }

  /** Before the first number is taken, while no file is held. */
  async load(): Promise<void> {
    this.#loading ??= this.#load().catch((error: unknown) => {
      this.#loading = undefined;
      throw error;
    });
    return this.#loading;
  }

  /** The first of so many numbers in a row. */
  async take(count: number): Promise<number> {
    if (this.#next + count > this.#end) await this.#reserve(count);
    const first = this.#next;
    this.#next += count;
    return first;
  }

  async #load(): Promise<void> {
    const reserved = await this.#readReserved();
    this.#next = (reserved ?? (await this.#findGreatest())) + 1;
    this.#end = this.#next;
  }

  async #readReserved(): Promise<number | undefined> {
    try {
      const value: unknown = JSON.parse(await readFile(this.#path, "utf8"));
      return typeof value === "number" && Number.isSafeInteger(value) ? value : undefined;
    } catch (error) {
      // Not there, or cut off by a crash: everything is looked at instead.
      if (error instanceof SyntaxError || errorCode(error) === "ENOENT") return undefined;
      throw mediumError({ verb: "read", path: this.#path }, error);
    }
  }

  async #reserve(count: number): Promise<void> {
    const end = this.#next + count + BLOCK;
    await onMedium({ verb: "write to", path: this.#path }, async () => {
      const temporary = `${this.#path}.new`;
      const handle = await open(temporary, "w", PRIVATE_FILE);
      try {
        await handle.writeFile(`${end}\n`);
        await handle.sync();
      } finally {
        await handle.close();
      }
      await rename(temporary, this.#path);
    });
    this.#end = end;
  }
}
