/**
 * A host's own summarizer held to its promises: one that throws, answers with something else or never answers has
 * failed, and whoever asked goes on without it.
 */
import type { Summarizer, SummaryOutcome, SummaryRequest } from "../ports/summarizer.ts";
import { emptyOrigin, readOutcome, useless } from "./read-outcome.ts";

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
  if (signal.aborted) return givenUp(name);
  const stop = new AbortController();
  const ended = Promise.withResolvers<SummaryOutcome>();
  const giveUp = (outcome: SummaryOutcome): void => {
    ended.resolve(outcome);
    stop.abort();
  };
  const abort = () => giveUp(givenUp(name));
  // It keeps the process alive: somebody waits, and whoever is asked may hold nothing that does.
  const timer = setTimeout(
    () => giveUp(useless(`No answer came within ${timeoutMs} ms.`, emptyOrigin(name))),
    timeoutMs,
  );
  signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([ended.promise, ask(summarizer, request, stop.signal)]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
  }
}

function givenUp(name: string): SummaryOutcome {
  return { type: "failed", kind: "aborted", reason: "The request was aborted.", origin: emptyOrigin(name) };
}

async function ask(summarizer: Summarizer, request: SummaryRequest, signal: AbortSignal): Promise<SummaryOutcome> {
  const { name } = summarizer;
  try {
    const answer: unknown = await summarizer.summarize(request, signal);
    return readOutcome(answer, name);
  } catch (error) {
    return useless(error instanceof Error ? error.message : `It threw ${String(error)}.`, emptyOrigin(name));
  }
}
