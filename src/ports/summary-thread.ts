/** Writes summaries by code outside of the event loop. */
import type { CodeSummary, CodeSummaryTask } from "../core/summary/offline/write-by-code.ts";
import type { CounterId } from "../core/tokens/counter.ts";

export interface SummaryThread {
  /** Starts the thread ahead of its next summary, because loading its code takes as long as many summaries. */
  prepare(): void;
  /**
   * Returns the same summary as the calling thread would write. Resolves to undefined if the thread cannot write it, for
   * example because it has no such counter or ran out of memory; the caller then writes the summary itself. Never
   * rejects.
   */
  write(task: CodeSummaryTask, counterId: CounterId): Promise<CodeSummary | undefined>;
}
