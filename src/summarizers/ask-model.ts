/** Sends one request, retries it if the transport failed, and reads the summary from the answer. */

import { stripScratchpad } from "../core/summary/answers/clean-answer.ts";
import {
  excerptOf,
  parseStructuredSummary,
  type StructuredActionItem,
  type StructuredContext,
} from "../core/summary/answers/parse-structured-summary.ts";
import type { StrategyName } from "../core/summary/strategies/strategy.ts";
import { ACTION_ITEMS_LIMIT, CONTEXT_LIMITS, type ContextList } from "../core/summary/strategies/structured.ts";
import type { ModelOutcome } from "../ports/model.ts";
import type { ProposedFacets, SummaryOrigin, SummaryOutcome } from "../ports/summarizer.ts";
import type { PooledModel } from "./model-pool.ts";
import type { BuiltRequest, SummarizerTask } from "./summary-task.ts";

export type RequestAnswer =
  | ((SummaryReading & { readonly type: "read" }) & { readonly endedBy: "stop" | "length" })
  | { readonly type: "overflow"; readonly reason: string }
  | Omit<SummaryOutcome & { readonly type: "failed" }, "origin">;

export interface AskModelOptions {
  readonly model: PooledModel;
  readonly built: BuiltRequest;
  readonly form: "transcript" | "own-prompt";
}

export async function askModel(task: SummarizerTask, { model, built, form }: AskModelOptions): Promise<RequestAnswer> {
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

function readOutcome(outcome: ModelOutcome, options: ReadSummaryOptions): RequestAnswer {
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

export type SummaryReading =
  | {
      readonly type: "read";
      readonly text: string;
      readonly keyPoints?: readonly string[] | undefined;
      readonly context?: StructuredContext | undefined;
      readonly answeredWith?: SummaryOrigin["answeredWith"];
    }
  | { readonly type: "useless"; readonly reason: string; readonly rawStart: string };

export interface ReadSummaryOptions {
  readonly strategy: StrategyName;
  /** True to reject an answer in prose if a schema was requested. */
  readonly isStrict: boolean;
}

/**
 * Reads a summary from a model's answer: the text, and the lists of a structured answer. Lists of several chunks are
 * merged by code. If the answer is prose instead of JSON, it becomes the text, and code writes the lists. The caller
 * decides whether to accept it.
 */
export function readSummary(answer: string, { strategy, isStrict }: ReadSummaryOptions): SummaryReading {
  if (strategy !== "structured") return readPlain(answer);
  const parsed = parseStructuredSummary(answer);
  if (parsed.type === "ok") {
    const { summary, keyPoints, context } = parsed.value;
    return { type: "read", text: summary, keyPoints, context };
  }
  const { narrative, isProse, reason, excerpt } = parsed;
  const answeredWith = isProse === true ? "prose" : "invalid-lists";
  if (narrative !== undefined && !isStrict) return { type: "read", text: narrative, answeredWith };
  return { type: "useless", reason, rawStart: excerpt };
}

function readPlain(answer: string): SummaryReading {
  if (stripScratchpad(answer).text !== "") return { type: "read", text: answer };
  return { type: "useless", reason: "the answer contains no summary", rawStart: excerptOf(answer) };
}

/** Merges the lists of two chunks. If there are more items than allowed, the oldest are dropped. */
export function joinContexts(before: StructuredContext | undefined, next: StructuredContext): StructuredContext {
  if (before === undefined) return next;
  const join = (name: ContextList): readonly string[] =>
    [...new Set([...before[name], ...next[name]])].slice(-CONTEXT_LIMITS[name].maxItems);
  return {
    participants: join("participants"),
    decisions: join("decisions"),
    actionItems: joinEqualItems([...before.actionItems, ...next.actionItems]),
    unresolved: join("unresolved"),
    domainEntities: join("domainEntities"),
  };
}

/** A task that occurs twice is kept once, in its newest form. */
function joinEqualItems(items: readonly StructuredActionItem[]): readonly StructuredActionItem[] {
  const byTask = new Map(items.map((item) => [item.task, item]));
  return [...byTask.values()].slice(-ACTION_ITEMS_LIMIT.maxItems);
}

export function proposeFacets(context: StructuredContext): ProposedFacets {
  const { participants, decisions, actionItems, unresolved, domainEntities } = context;
  return { participants, decisions, actionItems, unresolved, entities: domainEntities };
}

export function textSoFar(text: string, keyPoints: readonly string[] = []): string {
  return [text, ...keyPoints.map((point) => `- ${point}`)].join("\n");
}
