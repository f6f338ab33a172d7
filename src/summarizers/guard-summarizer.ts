/**
 * A host's own summarizer held to its promises: one that throws, answers with something else or never answers has
 * failed, and whoever asked goes on without it.
 */
import type { Summarizer, SummaryOrigin, SummaryOutcome, SummaryRequest } from "../ports/summarizer.ts";

export function guardSummarizer(summarizer: Summarizer, timeoutMs: number): Summarizer {
  const { name } = summarizer;
  return {
    name,
    estimateCost(request) {
      try {
        const cost = summarizer.estimateCost(request);
        return Number.isFinite(cost) && cost > 0 ? cost : 0;
      } catch {
        // What cannot be told beforehand is weighed as nothing.
        return 0;
      }
    },
    summarize: (request, signal) => askInTime({ summarizer, request, signal, timeoutMs }),
  };
}

interface Asking {
  readonly summarizer: Summarizer;
  readonly request: SummaryRequest;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

async function askInTime({ summarizer, request, signal, timeoutMs }: Asking): Promise<SummaryOutcome> {
  const { name } = summarizer;
  const late = AbortSignal.timeout(timeoutMs);
  const stop = AbortSignal.any([signal, late]);
  const ended = new Promise<SummaryOutcome>((resolve) => {
    const giveUp = () =>
      resolve(failed(name, signal.aborted ? "It was given up." : `No answer came within ${timeoutMs} ms.`));
    if (stop.aborted) giveUp();
    else stop.addEventListener("abort", giveUp, { once: true });
  });
  try {
    const outcome: unknown = await Promise.race([ended, summarizer.summarize(request, stop)]);
    return isOutcome(outcome) ? outcome : failed(name, "The answer is no outcome of a summarizer.");
  } catch (error) {
    return failed(name, error instanceof Error ? error.message : String(error));
  }
}

function failed(strategy: string, reason: string): SummaryOutcome {
  return { type: "failed", kind: "validation", reason, origin: { ...NO_ORIGIN, strategy } };
}

const NO_ORIGIN: SummaryOrigin = {
  strategy: "unknown",
  calls: 1,
  request: "none",
  chunks: 1,
  cuts: [],
  noiseIds: [],
  trimmedIds: [],
};

function isOutcome(value: unknown): value is SummaryOutcome {
  if (typeof value !== "object" || value === null || !("type" in value) || !("origin" in value)) return false;
  const hasOrigin = typeof value.origin === "object" && value.origin !== null && "cuts" in value.origin;
  if (value.type === "summary") return hasOrigin && "text" in value && typeof value.text === "string";
  return hasOrigin && value.type === "failed" && "reason" in value && typeof value.reason === "string";
}
