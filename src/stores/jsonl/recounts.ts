/**
 * Counts that were added beside messages later. They stand in lines of their own, after the messages they count, so
 * whoever reads from a place on needs only the lines of counts after it.
 */
import type { TokenCounts } from "../../core/log/entry.ts";
import type { CounterId } from "../../core/tokens/counter.ts";

export class Recounts {
  readonly #bySeq = new Map<number, Map<CounterId, number>>();
  /** Lines of counts from the first of these numbers up to the second are taken in. */
  fromIndex: number;
  endIndex: number;

  constructor(index: number) {
    this.fromIndex = index;
    this.endIndex = index;
  }

  /** Newer lines win; `isOlder` for one that stands before those that were taken in already. */
  take(
    counterId: CounterId,
    counts: Iterable<readonly [seq: number, tokens: number]>,
    { isOlder = false }: { readonly isOlder?: boolean } = {},
  ): void {
    for (const [seq, tokens] of counts) {
      const known = this.#bySeq.get(seq) ?? new Map<CounterId, number>();
      if (!isOlder || !known.has(counterId)) known.set(counterId, tokens);
      this.#bySeq.set(seq, known);
    }
  }

  find(seq: number): TokenCounts | undefined {
    const known = this.#bySeq.get(seq);
    return known && Object.fromEntries(known);
  }
}
