/** Creates counters and histograms. Session ids are not attributes, because every value adds a series. */
import type { Attributes, Counter, Histogram, Meter } from "@opentelemetry/api";
import { ATTRIBUTES, METRICS } from "./names.ts";
import type { ObservedAttempt, ObservedCacheUse, ObservedDrift, ObservedRecall } from "./observed-engine.ts";

export interface FinishedCompaction {
  readonly policy: string;
  readonly phase: string;
  readonly outcome: string;
  readonly savedTokens: number;
  readonly durationMs: number;
}

export interface Instruments {
  countCompaction(finished: FinishedCompaction): void;
  countAttempt(attempt: Omit<ObservedAttempt, "usage" | "cutResults">): void;
  countCacheUse(use: Pick<ObservedCacheUse, "before" | "after">): void;
  countDrift(drift: Pick<ObservedDrift, "tool">): void;
  countRecall(recall: ObservedRecall): void;
}

export function createInstruments(meter: Meter): Instruments {
  const count = (name: string, unit: string, description: string) => meter.createCounter(name, { description, unit });
  const compactions = count(METRICS.compactions, "{compaction}", "Compactions by outcome.");
  const saved = count(METRICS.tokensSaved, "{token}", "Tokens that compactions removed from the prompt.");
  const calls = count(
    METRICS.calls,
    "{call}",
    "Calls that reached a model for a summary or a topic boundary, retries included.",
  );
  const cost = count(METRICS.cost, "{USD}", "Cost of calls to summarizers and topic detectors.");
  const read = count(
    METRICS.cacheRead,
    "{token}",
    "Tokens read from the cache by the last answer before the past changed and the first answer after it.",
  );
  const written = count(
    METRICS.cacheWritten,
    "{token}",
    "Tokens written to the cache by the last answer before the past changed and the first answer after it.",
  );
  const drifts = count(
    METRICS.argumentDrifts,
    "{drift}",
    "Tool arguments whose format could no longer be read, once for each tool and session.",
  );
  const recalls = {
    searches: count(METRICS.recalls, "{search}", "Searches for earlier messages, by source and outcome."),
    passages: count(METRICS.recalledPassages, "{passage}", "Earlier messages that were quoted."),
    tokens: count(METRICS.recalledTokens, "{token}", "Tokens of the quoted messages."),
    duration: createDuration(meter, METRICS.recallDuration, "Duration of a search for earlier messages."),
  };
  const durations = {
    compaction: createDuration(meter, METRICS.compactionDuration, "Duration of a compaction."),
    attempt: createDuration(meter, METRICS.attemptDuration, "Duration of a call to a summarizer or detector."),
  };
  return {
    countCompaction({ policy, phase, outcome, savedTokens, durationMs }) {
      const attributes = { [ATTRIBUTES.policy]: policy, [ATTRIBUTES.phase]: phase, [ATTRIBUTES.outcome]: outcome };
      compactions.add(1, attributes);
      addPositive(saved, savedTokens, { [ATTRIBUTES.policy]: policy });
      durations.compaction.record(durationMs / 1_000, attributes);
    },
    countAttempt({ strategy, model, outcome, calls: made, costUsd, durationMs }) {
      const attributes: Attributes = { [ATTRIBUTES.strategy]: strategy, [ATTRIBUTES.outcome]: outcome };
      if (model !== undefined) attributes[ATTRIBUTES.model] = model;
      addPositive(calls, made, attributes);
      addPositive(cost, costUsd, attributes);
      durations.attempt.record(durationMs / 1_000, attributes);
    },
    countCacheUse({ before, after }) {
      for (const [side, figures] of Object.entries({ before, after })) {
        addPositive(read, figures.cacheReadTokens, { [ATTRIBUTES.side]: side });
        addPositive(written, figures.cacheWriteTokens, { [ATTRIBUTES.side]: side });
      }
    },
    countRecall({ source, outcome, passages, tokens, durationMs }) {
      const from = { [ATTRIBUTES.source]: source };
      const attributes = { ...from, [ATTRIBUTES.outcome]: outcome };
      recalls.searches.add(1, attributes);
      addPositive(recalls.passages, passages, from);
      addPositive(recalls.tokens, tokens, from);
      recalls.duration.record(durationMs / 1_000, attributes);
    },
    countDrift: ({ tool }) => drifts.add(1, { [ATTRIBUTES.tool]: tool }),
  };
}

function createDuration(meter: Meter, name: string, description: string): Histogram {
  return meter.createHistogram(name, { description, unit: "s", advice: { explicitBucketBoundaries: SECONDS } });
}

/** Code takes milliseconds, a model takes seconds, and the timeout is a minute. */
const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 60, 120];

/** Counters only accept growth. */
function addPositive(counter: Counter, value: number, attributes: Attributes): void {
  if (value > 0) counter.add(value, attributes);
}
