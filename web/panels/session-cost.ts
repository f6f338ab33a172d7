/** The cost of a session as text. Every figure shows whether the provider reported it or it is an estimate. */
import { useMemo } from "react";
import type { AnswerUsage, PromptReport, SessionUsage } from "../api/values.ts";
import { loadUsage } from "../api/view.ts";
import { useLoaded } from "../hooks/use-loaded.ts";
import { formatCost, formatCount, formatPercent } from "../ui/format.ts";

export interface SessionCost {
  readonly usage: SessionUsage | undefined;
  /** The newest answer of a model. */
  readonly newest: AnswerUsage | undefined;
  readonly cached: CacheShare | undefined;
}

/** Share of the newest answer's input that came from the provider's cache. */
export interface CacheShare {
  readonly share: number;
  /** Whether the provider reported it; otherwise it is the unchanged start of the prompt. */
  readonly isExact: boolean;
}

/** Number of newest answers that are read: the very newest may have no input tokens. */
const NEWEST_ANSWERS = 8;

interface SessionCostOptions {
  readonly version: number;
  readonly report: PromptReport | undefined;
}

export function useSessionCost(sessionId: string, { version, report }: SessionCostOptions): SessionCost {
  const { value: usage } = useLoaded(`${sessionId} ${version}`, (signal) =>
    loadUsage(sessionId, NEWEST_ANSWERS, signal),
  );
  return useMemo((): SessionCost => {
    const newest = usage?.newest.findLast(({ inputTokens }) => inputTokens > 0);
    return { usage, newest, cached: newest && findCacheShare(newest, report) };
  }, [usage, report]);
}

function findCacheShare(answer: AnswerUsage, report: PromptReport | undefined): CacheShare | undefined {
  const { isEstimate, cacheReadTokens, inputTokens } = answer;
  if (!isEstimate) return { share: Math.min(1, cacheReadTokens / inputTokens), isExact: true };
  return report === undefined ? undefined : { share: estimateShare(report), isExact: false };
}

/** Returns the share of the sections before the first changed one: a provider can have these in its cache. */
function estimateShare({ sections, changes, tokens }: PromptReport): number {
  const changed = new Set(changes.map(({ section }) => section));
  const first = sections.findIndex(({ name }) => changed.has(name) || name === "next" || name === "notes");
  const same = first === -1 ? sections : sections.slice(0, first);
  return Math.min(1, same.reduce((sum, section) => sum + section.tokens, 0) / Math.max(1, tokens));
}

/** A smaller share would be shown as 0%. */
const MIN_SHARE = 0.005;

/** The total cost. An unknown price is mentioned and not counted as zero. */
export function describeCost({ costUsd, isExact, unpriced, models }: SessionUsage): string {
  if (unpriced > 0 && costUsd === 0) return "price unknown";
  if (unpriced > 0) return `at least ${formatCost(costUsd)}; price of ${formatCount(unpriced, "answer")} unknown`;
  if (countAnswers(models) === 0) return formatCost(costUsd);
  return isExact ? `${formatCost(costUsd)}, exact` : `about ${formatCost(costUsd)}, estimated`;
}

export function countAnswers(models: SessionUsage["models"]): number {
  return models.reduce((sum, each) => sum + each.answers, 0);
}

/** The cost as one figure, for narrow places. */
export function formatShortCost({ costUsd, isExact }: SessionUsage): string {
  if (costUsd === 0) return "";
  return `${isExact ? "" : "about "}${formatCost(costUsd)}`;
}

/** A reported share of zero is shown; an estimated one is not. */
export function describeCacheShare({ cached }: SessionCost): string {
  if (cached === undefined || (!cached.isExact && cached.share < MIN_SHARE)) return "";
  return `${cached.isExact ? "" : "about "}${formatPercent(cached.share)} cached`;
}

/** The total with its parts, and the newest answer. */
export function describeSpending({ usage, newest, cached }: SessionCost): readonly string[] {
  if (usage === undefined) return [];
  const { summaries, costUsd, models } = usage;
  const answers = `${formatCount(countAnswers(models), "answer")} ${formatCost(costUsd - summaries.costUsd)}`;
  const written = `${formatCount(summaries.count, "summary", "summaries")} ${formatCost(summaries.costUsd)}`;
  const since = usage.inherited === undefined ? "so far" : "since the branch";
  return [
    `Cost ${since}: ${describeCost(usage)} (${answers}, ${written}).`,
    newest === undefined ? "No usage reported yet." : describeNewest(newest, cached),
  ];
}

/** What compactions have saved, at the lowest price: that of cached input. Undefined if they have saved nothing. */
export function describeSaved({ saved }: SessionUsage): string | undefined {
  if (saved === undefined || saved.tokens === 0) return undefined;
  const price = saved.costUsd === undefined ? "" : `, at least ${formatCost(saved.costUsd)}`;
  return `Compactions saved about ${formatCount(saved.tokens, "input token")} in ${formatCount(saved.requests, "request")}${price}.`;
}

function describeNewest({ inputTokens, outputTokens, isEstimate }: AnswerUsage, cached: SessionCost["cached"]): string {
  const share = cached === undefined ? "" : ` (${formatPercent(cached.share)} cached)`;
  const figures = `${formatCount(inputTokens, "input token")}${share}, ${formatCount(outputTokens, "output token")}`;
  return isEstimate
    ? `Newest answer: about ${figures}. Estimated, because the provider reported no usage.`
    : `Newest answer: ${figures}, as reported by the provider.`;
}
