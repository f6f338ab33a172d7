/** Collects figures on summaries from the events: success rate and duration. Keeps only sums. */
import type { EventSource } from "./events.ts";

/** How many summaries were written and failed, with their time, calls and cost. */
export interface SummaryFigures {
  readonly written: number;
  readonly failed: number;
  /** From 0 to 1; undefined before the first summary. */
  readonly successRate: number | undefined;
  readonly meanMs: number | undefined;
  readonly longestMs: number;
  readonly calls: number;
  readonly costUsd: number;
}

/**
 * Collects figures on summaries from the events of an engine: successes, failures, duration, calls and cost.
 *
 * @example
 * ```ts
 * const figures = collectSummaryFigures(palimpsest);
 * console.log(figures.read());
 * ```
 */
export function collectSummaryFigures(source: EventSource) {
  const sums = { written: 0, failed: 0, durationMs: 0, longestMs: 0, calls: 0, costUsd: 0 };
  const count = (outcome: "written" | "failed", durationMs: number) => {
    sums[outcome] += 1;
    sums.durationMs += durationMs;
    sums.longestMs = Math.max(sums.longestMs, durationMs);
  };
  const stops = [
    source.on("summary", ({ calls, costUsd }) => {
      sums.calls += calls;
      sums.costUsd += costUsd;
    }),
    source.on("compaction", ({ record, durationMs }) => {
      if (record !== undefined) count("written", durationMs);
    }),
    source.on("compaction-end", ({ outcome, attempts, durationMs }) => {
      if (outcome === "failed" && attempts.length > 0) count("failed", durationMs);
    }),
  ];
  return {
    read(): SummaryFigures {
      const { durationMs, ...rest } = sums;
      const all = sums.written + sums.failed;
      const isEmpty = all === 0;
      return {
        ...rest,
        successRate: isEmpty ? undefined : sums.written / all,
        meanMs: isEmpty ? undefined : durationMs / all,
      };
    },
    stop(): void {
      for (const stop of stops) stop();
    },
  };
}
