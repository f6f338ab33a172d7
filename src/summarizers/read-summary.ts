/**
 * Reads what a model answered as a summary: the text, and for structured answers the lists beside it. Lists of several
 * pieces are joined by code, so that the last piece need not repeat the first. It judges only whether there is anything
 * to read; whether it may stand is for the caller.
 */
import {
  excerptOf,
  parseStructuredSummary,
  type StructuredActionItem,
  type StructuredContext,
} from "../core/summary/answers/parse-structured-summary.ts";
import { stripScratchpad } from "../core/summary/answers/strip-scratchpad.ts";
import type { StrategyName } from "../core/summary/strategies/strategy.ts";
import { ACTION_ITEMS_LIMIT, CONTEXT_LIMITS, type ContextList } from "../core/summary/strategies/structured.ts";
import type { ProposedFacets } from "../ports/summarizer.ts";

export type ReadSummary =
  | {
      readonly type: "read";
      readonly text: string;
      readonly keyPoints?: readonly string[] | undefined;
      readonly context?: StructuredContext | undefined;
    }
  | { readonly type: "useless"; readonly reason: string; readonly rawStart: string };

export interface ReadSummaryOptions {
  readonly strategy: StrategyName;
  /** Whether an answer that does not follow the schema is useless although it tells something. */
  readonly isStrict: boolean;
}

/** Prose in place of JSON is the narrative; the lists beside it are then made by code. */
export function readSummary(answer: string, { strategy, isStrict }: ReadSummaryOptions): ReadSummary {
  if (strategy !== "structured") return readPlain(answer);
  const parsed = parseStructuredSummary(answer);
  if (parsed.type === "ok") {
    const { summary, keyPoints, context } = parsed.value;
    return { type: "read", text: summary, keyPoints, context };
  }
  const { narrative, reason, excerpt } = parsed;
  if (narrative !== undefined && !isStrict) return { type: "read", text: narrative };
  return { type: "useless", reason, rawStart: excerpt };
}

function readPlain(answer: string): ReadSummary {
  if (stripScratchpad(answer).text !== "") return { type: "read", text: answer };
  return { type: "useless", reason: "the answer holds no summary", rawStart: excerptOf(answer) };
}

/** The lists of an earlier piece and of the one after it. Where they are more than allowed, the oldest go. */
export function joinContexts(before: StructuredContext | undefined, next: StructuredContext): StructuredContext {
  if (before === undefined) return next;
  const join = (name: ContextList): readonly string[] =>
    [...new Set([...before[name], ...next[name]])].slice(-CONTEXT_LIMITS[name].maxItems);
  return {
    participants: join("participants"),
    decisions: join("decisions"),
    actionItems: joinItems([...before.actionItems, ...next.actionItems]),
    unresolved: join("unresolved"),
    domainEntities: join("domainEntities"),
  };
}

/** A task that is named twice is one task, as it was named last. */
function joinItems(items: readonly StructuredActionItem[]): readonly StructuredActionItem[] {
  const byTask = new Map(items.map((item) => [item.task, item]));
  return [...byTask.values()].slice(-ACTION_ITEMS_LIMIT.maxItems);
}

export function proposeFacets(context: StructuredContext): ProposedFacets {
  const { participants, decisions, actionItems, unresolved, domainEntities } = context;
  return { participants, decisions, actionItems, unresolved, entities: domainEntities };
}

/** What the next piece is given as the summary so far. */
export function textSoFar(text: string, keyPoints: readonly string[] = []): string {
  return [text, ...keyPoints.map((point) => `- ${point}`)].join("\n");
}
