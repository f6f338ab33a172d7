/** A summarizer that answers when it is told to, so that a test can do something else meanwhile. */
import type { Summarizer, SummaryRequest } from "../../src/ports/summarizer.ts";
import { writeAnswer } from "./generate-answers.ts";

export interface PatientSummarizer extends Summarizer {
  /** Everything that it was asked. */
  readonly asked: readonly SummaryRequest[];
  /** How many wait for an answer. */
  readonly waiting: number;
  /** Answers whoever waits. */
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
      return writeAnswer({ type: "told", places: [0, 0.3, 0.6], invented: [] }, request);
    },
  };
}
