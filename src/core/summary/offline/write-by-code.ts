/**
 * Writes a summary by code and checks it, from plain values: the part of a fold that may run in another thread. The
 * result depends on its input alone, wherever it runs.
 */
import type { Message } from "../../message/message.ts";
import type { Counter } from "../../tokens/counter.ts";
import type { HeadingLanguage } from "../record/headings.ts";
import type { SummaryRecord } from "../record/record.ts";
import { type CheckedSummary, checkSummaryInSteps } from "../verify/complete-record.ts";
import { type OfflineSummary, summarizeOfflineInSteps } from "./summarize-offline.ts";

export interface CodeSummaryTask {
  readonly stretch: readonly Message[];
  readonly previous: SummaryRecord | undefined;
  readonly capTokens: number;
  /** Size of the source, if it is known. */
  readonly sourceTokens: number | undefined;
  readonly instructions: string | undefined;
  readonly headings: HeadingLanguage | undefined;
  readonly protectedShare: number;
}

export interface CodeSummary {
  readonly written: OfflineSummary;
  readonly checked: CheckedSummary;
}

export function* writeByCodeInSteps(task: CodeSummaryTask, counter: Counter): Generator<undefined, CodeSummary> {
  const { stretch, previous, capTokens, protectedShare } = task;
  const written = yield* writeOfflineInSteps(task, counter);
  const checked = yield* checkSummaryInSteps(written, { stretch, previous, capTokens, protectedShare, counter });
  return { written, checked };
}

/** Leaves room free instead of filling it with tool output. */
export function writeOfflineInSteps(task: CodeSummaryTask, counter: Counter): Generator<undefined, OfflineSummary> {
  const { stretch, previous, capTokens, sourceTokens, instructions, headings } = task;
  const room = { budgetTokens: capTokens, checkedTokens: capTokens, sourceTokens, sparing: true };
  return summarizeOfflineInSteps(stretch, { ...room, previous, counter, instructions, headings });
}
