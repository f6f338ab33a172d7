/** Sends one built request, once more where the transport failed, and says what came of it in the words of the port. */
import type { ModelOutcome } from "../ports/model.ts";
import type { SummaryOutcome } from "../ports/summarizer.ts";
import type { PooledModel } from "./model-pool.ts";
import { type ReadSummary, type ReadSummaryOptions, readSummary } from "./read-summary.ts";
import type { BuiltRequest, SummaryTask } from "./summary-task.ts";

type Kind = (SummaryOutcome & { readonly type: "failed" })["kind"];

export type Answer =
  | ((ReadSummary & { readonly type: "read" }) & { readonly endedBy: "stop" | "length" })
  | { readonly type: "overflow"; readonly reason: string }
  | {
      readonly type: "failed";
      readonly kind: Kind;
      readonly reason: string;
      readonly rawStart?: string | undefined;
    };

export interface AskModelOptions {
  readonly model: PooledModel;
  readonly built: BuiltRequest;
  readonly form: "transcript" | "own-prompt";
}

export async function askModel(task: SummaryTask, { model, built, form }: AskModelOptions): Promise<Answer> {
  const { pool, signal, tally } = task;
  const { strategy, report } = built.request;
  const { onProgress } = task.request;
  onProgress?.(model.info.id);
  const outcome = await pool.ask(model, {
    request: { ...built.modelRequest, onPiece: () => onProgress?.() },
    signal,
    onAttempt(attempt) {
      tally.addAttempt(attempt, form);
      const { elapsedMs } = attempt;
      const place = { model: model.info.id, strategy, form, attempt: attempt.attempt, chunk: tally.chunks };
      task.tell({ ...place, outcome: attempt.outcome.type, cuts: report.cuts.length, elapsedMs });
    },
  });
  if (signal.aborted) return { type: "failed", kind: "aborted", reason: "The request was aborted." };
  return readOutcome(outcome, { strategy, isStrict: task.isStrict });
}

function readOutcome(outcome: ModelOutcome, options: ReadSummaryOptions): Answer {
  switch (outcome.type) {
    case "overflow":
      return { type: "overflow", reason: outcome.reason };
    case "refused":
      return { type: "failed", kind: "refused", reason: outcome.reason };
    case "failed":
      return { type: "failed", kind: outcome.retryable ? "transport" : "validation", reason: outcome.reason };
    case "text": {
      const read = readSummary(outcome.text, options);
      if (read.type === "read") return { ...read, endedBy: outcome.stopReason === "output-limit" ? "length" : "stop" };
      return { type: "failed", kind: "validation", reason: read.reason, rawStart: read.rawStart };
    }
    default:
      return outcome satisfies never;
  }
}
