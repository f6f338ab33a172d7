/** The counters and histograms. Sessions are not among their attributes: a metric has as many series as these have values. */
import type { Attributes, Counter, Histogram, Meter } from "@opentelemetry/api";
import { ATTRIBUTES, METRICS } from "./names.ts";
import type { ObservedAttempt, ObservedCacheUse, ObservedDrift } from "./observed-engine.ts";

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
}

export function createInstruments(meter: Meter): Instruments {
  const compactions = meter.createCounter(METRICS.compactions, {
    description: "Compactions that were begun, by how they ended.",
    unit: "{compaction}",
  });
  const saved = meter.createCounter(METRICS.tokensSaved, {
    description: "Tokens by which compactions made the prompt smaller.",
    unit: "{token}",
  });
  const calls = meter.createCounter(METRICS.calls, {
    description: "Calls that reached a model for a summary or a topic boundary, retries included.",
    unit: "{call}",
  });
  const cost = meter.createCounter(METRICS.cost, { description: "What those calls cost.", unit: "{USD}" });
  const read = meter.createCounter(METRICS.cacheRead, {
    description: "Tokens that the last answer before a change of the past, and the first after it, read from a cache.",
    unit: "{token}",
  });
  const written = meter.createCounter(METRICS.cacheWritten, {
    description: "Tokens that the same answers wrote to it.",
    unit: "{token}",
  });
  const drifts = meter.createCounter(METRICS.argumentDrifts, {
    description: "Kinds of tool arguments that could no longer be read, once for each session.",
    unit: "{drift}",
  });
  const durations = {
    compaction: createDuration(meter, METRICS.compactionDuration, "How long the work on a compaction took."),
    attempt: createDuration(meter, METRICS.attemptDuration, "How long somebody took who was asked."),
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
    countDrift: ({ tool }) => drifts.add(1, { [ATTRIBUTES.tool]: tool }),
  };
}

function createDuration(meter: Meter, name: string, description: string): Histogram {
  return meter.createHistogram(name, { description, unit: "s", advice: { explicitBucketBoundaries: SECONDS } });
}

/** Code is done in milliseconds, a model in seconds, and after a minute it is given up. */
const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40, 60, 120];

/** A counter only grows, and nothing is no news. */
function addPositive(counter: Counter, value: number, attributes: Attributes): void {
  if (value > 0) counter.add(value, attributes);
}
