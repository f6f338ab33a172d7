/** Summarizes messages for hosts that keep their conversations themselves. Stores nothing. */
import { PalimpsestError } from "../../core/errors.ts";
import { type AnyMessage, readMessages } from "../../core/message/formats/read-messages.ts";
import type { PlanSettings } from "../../core/plan/plan-settings.ts";
import type { SummaryRecord, VerificationReport } from "../../core/summary/record/record.ts";
import { verifySummaryInSteps } from "../../core/summary/verify/verify-summary.ts";
import { runInSteps } from "../../ports/run-in-steps.ts";
import type { EngineContext } from "../context/engine-context.ts";
import type { SummaryAttempt } from "../context/events.ts";
import { loadCounts } from "../context/prompt-request.ts";
import { writeSummary } from "./write-summary.ts";

/**
 * The size and style of a summary of given messages.
 *
 * @example
 * ```ts
 * await palimpsest.summarize(history, { budgetTokens: 500 });
 * ```
 */
export interface SummarizeOptions {
  /** The summary of earlier messages, to be folded in. */
  readonly previous?: string | undefined;
  readonly budgetTokens: number;
  /** `brief`: two or three sentences, as in the preset `rolling-chat`. Default: the policy's strategy. */
  readonly strategy?: "brief" | undefined;
  readonly instructions?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A summary of given messages, its check, and the calls that it cost. */
export interface SummarizeResult {
  readonly record: SummaryRecord;
  readonly verification: VerificationReport;
  /** Calls of the summarizer; empty if code wrote the summary. */
  readonly attempts: readonly SummaryAttempt[];
}

export async function summarizeMessages(
  context: EngineContext,
  input: readonly AnyMessage[],
  options: SummarizeOptions,
): Promise<SummarizeResult> {
  const { messages: stretch } = readMessages(input);
  if (stretch.length === 0 && options.previous === undefined) {
    throw new PalimpsestError("message-invalid", "messages: expected at least one message, or `previous`.");
  }
  const { counter } = await loadCounts(context, {});
  const settings = adaptSettings(context.settingsFor(context.defaults.model), options);
  const previous = options.previous === undefined ? undefined : createRecordOf(options.previous);
  const attempts: SummaryAttempt[] = [];
  const task = {
    stretch,
    previous,
    coverage: { firstSeq: 1, lastSeq: stretch.length, count: stretch.length },
    omitted: undefined,
    capTokens: options.budgetTokens,
    replacedTokens: undefined,
    tokensBefore: 0,
    keepsDepth: false,
    reason: "requested by the caller",
  };
  const { instructions, signal = new AbortController().signal } = options;
  const summarizer = context.summarizerFor?.(settings);
  const answer = await writeSummary(task, { context, attempts, signal, settings, counter, summarizer, instructions });
  if (answer.type === "written") {
    const { record } = answer;
    return { record, verification: await runInSteps(verifySummaryInSteps(record, stretch, { previous })), attempts };
  }
  throw new PalimpsestError("summarizer-failed", `No summary was written: ${answer.reason}`, { details: { attempts } });
}

/** Falls back to code under every policy, because the caller waits for a summary. */
function adaptSettings(settings: PlanSettings, { strategy }: SummarizeOptions): PlanSettings {
  const summary = {
    ...settings.summary,
    onFailure: "offline" as const,
    ...(strategy === undefined ? {} : { strategy }),
  };
  return { ...settings, summary };
}

function createRecordOf(text: string): SummaryRecord {
  const none: readonly never[] = [];
  return {
    id: "previous",
    at: 0,
    depth: 0,
    coverage: { firstSeq: 0, lastSeq: 0, count: 0, chainHash: "" },
    messageIds: none,
    text,
    keyPoints: none,
    facets: {
      constraints: none,
      decisions: none,
      actionItems: none,
      unresolved: none,
      entities: none,
      participants: none,
      done: none,
    },
    // The caller vouches for its text, so its claims may be repeated.
    verification: { score: 1, claims: 0, derivedClaims: 0, removedClaims: 0, restored: none, evicted: none },
    strategy: "given",
    reason: "given",
    tokensBefore: 0,
    tokensAfter: 0,
  };
}
