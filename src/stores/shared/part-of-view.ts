/** The end of the part of a view that is read at once. */
import type { Entry } from "../../core/log/entry.ts";
import type { PartLimits } from "../../ports/store.ts";

export class PartEnd {
  /** The last seq to read. Lowered when the part has enough characters. */
  throughSeq: number;
  #left: number;

  constructor(fromSeq: number, lastSeq: number, part: PartLimits | undefined) {
    const { maxSeqs = lastSeq, partSeqs = maxSeqs } = part ?? {};
    this.throughSeq = lastSeq - fromSeq <= maxSeqs ? lastSeq : fromSeq + partSeqs;
    this.#left = part?.maxCharacters ?? Number.POSITIVE_INFINITY;
  }

  /** Adds a page of entries that ends at a seq. */
  add(page: readonly Entry[], pageEnd: number): void {
    if (this.#left === Number.POSITIVE_INFINITY) return;
    for (const entry of page) if (entry.type === "message") this.#left -= countCharacters(entry.message.parts);
    if (this.#left < 0) this.throughSeq = Math.min(this.throughSeq, pageEnd);
  }
}

/** Counts the characters of all texts in a value: nearly all of the memory that it uses. */
function countCharacters(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 0;
  let sum = 0;
  for (const item of Object.values(value)) sum += countCharacters(item);
  return sum;
}
