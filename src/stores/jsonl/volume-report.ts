/** What is told of a file that was not as it should be, in words and in numbers. */
import type { Place } from "./session-index.ts";
import type { JsonlStatistics, VolumeHost } from "./volume-host.ts";

export class VolumeReport {
  readonly #path: string;
  readonly #host: VolumeHost;

  constructor(path: string, host: VolumeHost) {
    this.#path = path;
    this.#host = host;
  }

  damagedLine({ offset }: Place, reason: string): void {
    this.#tell(`A line of ${this.#path} at byte ${offset} is skipped: ${reason}.`, "damagedLines");
  }

  wrongIndex(): void {
    this.#tell(`The index of ${this.#path} does not agree with it; it is made again.`, "rebuiltIndexes");
  }

  unfinishedBatch(bytes: number): void {
    const text =
      `${this.#path} ends in ${bytes} bytes that a crash cut off; their write was never acknowledged, and the ` +
      "next write replaces them.";
    this.#tell(text, "unfinishedBatches");
  }

  unsavedIndex(error: unknown): void {
    this.#tell(`Cannot write the index of ${this.#path}; without it opening takes longer: ${String(error)}`);
  }

  undurable(error: unknown): void {
    this.#tell(`Cannot make ${this.#path} durable; a loss of power may take what was written last: ${String(error)}`);
  }

  #tell(text: string, counted?: keyof JsonlStatistics): void {
    this.#host.warn({ text, path: this.#path, counted });
  }
}
