/** The cost of a summary so far, failed calls included, and what its requests left out. */
import type { Usage } from "../core/log/entry.ts";
import { priceUsage } from "../core/log/spent.ts";
import type { RequestReport } from "../core/summary/strategies/strategy.ts";
import type { SummaryOrigin } from "../ports/summarizer.ts";
import type { Attempt } from "./model-pool.ts";
import { addUsage } from "./price-usage.ts";

export interface SummaryTally {
  addAttempt(attempt: Attempt, form: "transcript" | "own-prompt"): void;
  /** Records a finished chunk; the report lists what was left out. */
  addChunk(report: RequestReport): void;
  readonly chunks: number;
  origin(strategy: string): SummaryOrigin;
}

export function createSummaryTally(): SummaryTally {
  let usage: Usage | undefined;
  let costUsd: number | undefined;
  let model: string | undefined;
  let request: SummaryOrigin["request"] = "none";
  let calls = 0;
  const reports: RequestReport[] = [];
  return {
    addAttempt({ model: { info }, outcome }, form) {
      const used = outcome.type === "overflow" ? undefined : outcome.usage;
      const cost = priceUsage(used, info);
      calls += 1;
      usage = addUsage(usage, used);
      costUsd = cost === undefined ? costUsd : (costUsd ?? 0) + cost;
      model = info.id;
      request = form;
    },
    addChunk(report) {
      reports.push(report);
    },
    get chunks() {
      return reports.length;
    },
    origin: (strategy) => ({
      strategy,
      ...(model === undefined ? {} : { model }),
      calls,
      ...(usage === undefined ? {} : { usage }),
      ...(costUsd === undefined ? {} : { costUsd }),
      request,
      chunks: reports.length,
      cuts: reports.flatMap(({ cuts }) => cuts),
      noiseIds: reports.flatMap(({ noiseIds }) => noiseIds),
      trimmedIds: reports.flatMap(({ trimmedIds }) => trimmedIds),
    }),
  };
}
