/** A summarizer that answers only when the test calls `answer`, so that the test can act in the meantime. */
import type { Summarizer, SummaryRequest } from "../../src/ports/summarizer.ts";
import { writeAnswer } from "./generate-answers.ts";

export interface PatientSummarizer extends Summarizer {
  /** All requests. */
  readonly asked: readonly SummaryRequest[];
  /** Number of pending requests. */
  readonly waiting: number;
  /** Answers all pending requests. */
  answer(): void;
}

export function patientSummarizer(): PatientSummarizer {
  const asked: SummaryRequest[] = [];
  const waiting = new Set<() => void>();
  return {
    name: "patient",
    asked,
    get waiting() {
      return waiting.size;
    },
    answer() {
      for (const resolve of waiting) resolve();
      waiting.clear();
    },
    estimateCost: () => 0.01,
    async summarize(request) {
      asked.push(request);
      await new Promise<void>((resolve) => waiting.add(resolve));
      return writeAnswer({ type: "partly-true", places: [0, 0.3, 0.6], invented: [] }, request);
    },
  };
}
