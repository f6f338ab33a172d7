/** The end of the part of a view that is read at once, and the pages in which it is read. */
import { countEntryCharacters } from "../../core/log/count-characters.ts";
import type { Entry } from "../../core/log/entry.ts";
import type { PartLimits } from "../../ports/store.ts";

/** About five milliseconds on a local file. */
const MAX_PAGE_SEQS = 500;
/** The first page of a part is short, because its entries may be long. */
const FIRST_PAGE = 50;
/** A page of long entries has about this many characters. */
const PAGE_CHARACTERS = 500_000;

/** Returns the number of seqs in the first page. */
export function countFirstPage(part: PartLimits | undefined): number {
  return part === undefined ? MAX_PAGE_SEQS : Math.min(part.maxSeqs, FIRST_PAGE);
}

export class PartLimiter {
  /** The last seq to read. Lowered when the part has enough characters. */
  throughSeq: number;
  /** The number of seqs to read next. */
  pageCount: number;
  readonly #fromSeq: number;
  #left: number;
  #characters = 0;

  constructor(fromSeq: number, lastSeq: number, part: PartLimits | undefined) {
    const { maxSeqs = lastSeq, partSeqs = maxSeqs } = part ?? {};
    this.throughSeq = lastSeq - fromSeq <= maxSeqs ? lastSeq : fromSeq + partSeqs;
    this.pageCount = countFirstPage(part);
    this.#fromSeq = fromSeq;
    this.#left = part?.maxCharacters ?? Number.POSITIVE_INFINITY;
  }

  /** Adds entries of a page, which end at a seq. A part has at least one seq above the view floor. */
  add(entries: readonly Entry[], lastSeq: number): void {
    if (this.#left === Number.POSITIVE_INFINITY) return;
    const characters = countEntryCharacters(entries);
    this.#characters += characters;
    this.#left -= characters;
    if (this.#left < 0) this.throughSeq = Math.min(this.throughSeq, Math.max(lastSeq, this.#fromSeq + 1));
  }

  /** Decides how long the next page is. */
  endPage(): void {
    const factor = Math.min(2, PAGE_CHARACTERS / Math.max(1, this.#characters));
    this.pageCount = Math.min(MAX_PAGE_SEQS, Math.max(1, Math.floor(this.pageCount * factor)));
    this.#characters = 0;
  }
}
