/** Writes the summary of a fold that was planned by count, and reads it back as a later call would. */
import type { Head, Truncation } from "../../core/log/head.ts";
import type { ViewMessage } from "../../core/log/view.ts";
import type { Message } from "../../core/message/message.ts";
import { capReplacement } from "../../core/plan/fold-oldest.ts";
import type { SummaryAnswer, SummaryTask } from "../../core/plan/staircase.ts";
import { coverMessages } from "../../core/prompt/cover-message.ts";
import { readCover, takeOverCover } from "../../core/prompt/read-cover.ts";
import type { SummaryRecord } from "../../core/summary/record/record.ts";
import { countText } from "../../core/tokens/count-text.ts";
import { createWriter } from "../compaction/propose.ts";
import { writeSummary } from "../compaction/write-summary.ts";
import { throwIfAborted } from "../context/errors.ts";
import type { FitSettings } from "./fit-run.ts";

export interface FoldTask {
  readonly counted: Pick<SummaryRecord, "coverage" | "reason" | "tokensAfter">;
  readonly previous: SummaryRecord | undefined;
  readonly stretch: readonly Message[];
  readonly omitted: SummaryTask["omitted"];
}

export async function writeFold(fold: FoldTask, fit: FitSettings): Promise<SummaryAnswer> {
  const { settings, context, counts, waiting } = fit;
  throwIfAborted(waiting?.signal);
  const signal = waiting?.signal ?? new AbortController().signal;
  const wish = { settings, counter: counts.counter, summarizer: context.summarizerFor?.(settings), attempts: [] };
  const writer = createWriter(wish, { context, sessionId: "fit", signal, waiting });
  const answer = await writeSummary(createTask(fold, fit), writer);
  throwIfAborted(waiting?.signal);
  return answer;
}

function createTask({ counted, previous, stretch, omitted }: FoldTask, { counts, settings }: FitSettings): SummaryTask {
  const tokens = stretch.reduce((sum, message) => sum + counts.count(message), 0);
  const mustShrink = settings.shrinksBy === "tokens";
  const before = previous?.tokensAfter ?? 0;
  const replaced = tokens + before;
  const { coverage, reason, tokensAfter } = counted;
  return {
    stretch,
    previous,
    coverage,
    omitted,
    capTokens: mustShrink ? Math.min(tokensAfter, capReplacement(replaced, before)) : tokensAfter,
    replacedTokens: mustShrink ? replaced : undefined,
    tokensBefore: tokens + (previous?.tokensBefore ?? 0),
    keepsDepth: false,
    reason,
  };
}

export function readBackSummary(head: Head, { settings, counts }: FitSettings): SummaryRecord | undefined {
  const { renderer } = settings.summary;
  const { summary } = head;
  if (summary === undefined) return undefined;
  const messages = coverMessages(head, renderer);
  const cover = readCover(messages, { renderer, joinsTurns: false });
  if (cover?.summary === undefined) return summary;
  const count = (text: string) => countText(text, counts.counter);
  const placed = messages.map((message) => ({ seq: summary.coverage.lastSeq, message }));
  const [change] = takeOverCover(cover, { messages: placed, id: summary.id, at: 0, count });
  return change?.type === "summary" ? { ...change.record, coverage: summary.coverage } : summary;
}

/** Returns the messages that earlier calls left out and no summary describes. */
export function findOmitted({ summary, truncation }: Head): SummaryTask["omitted"] {
  const count = (summary?.omitted?.count ?? 0) + (truncation?.coverage.count ?? 0);
  if (count === 0) return undefined;
  return { count, tokens: (summary?.omitted?.tokens ?? 0) + (truncation?.coveredTokens ?? 0) };
}

/** Returns the truncation for a stretch that no summary could be written of, joined with those around it. */
export function truncateStretch(
  stretch: readonly ViewMessage[],
  { counted, around, fit }: { counted: SummaryRecord; around: readonly Head[]; fit: FitSettings },
): Truncation {
  const { lastSeq } = counted.coverage;
  const coveredTokens = stretch.reduce((sum, { message }) => sum + fit.counts.count(message), 0);
  const coverage = { firstSeq: stretch[0]?.seq ?? lastSeq, lastSeq, count: stretch.length };
  const own: Truncation = { id: "truncate-fit", coverage, coveredTokens, reason: counted.reason };
  const all = [own, ...around.flatMap(({ truncation }) => truncation ?? [])];
  return {
    ...own,
    coverage: {
      firstSeq: Math.min(...all.map((each) => each.coverage.firstSeq)),
      lastSeq: Math.max(...all.map((each) => each.coverage.lastSeq)),
      count: all.reduce((sum, each) => sum + each.coverage.count, 0),
    },
    coveredTokens: all.reduce((sum, each) => sum + each.coveredTokens, 0),
  };
}
