/** What a conversation has cost so far, as far as it is known here, and what a provider's cache has served of it. */
import { useMemo } from "react";
import type { LogItem, Summary, Usage } from "../api/values.ts";
import { writeCost, writeShare, writeWhole } from "../write-figures.ts";

export interface Spent {
  /** Of all summaries that were ever written here. */
  readonly costUsd: number;
  /** Of the newest answer that a provider reported figures for. */
  readonly usage: Usage | undefined;
  /** What of that answer's prompt came from the provider's cache. */
  readonly cachedShare: number | undefined;
}

export function useSpent(items: readonly LogItem[], summaries: readonly Summary[]): Spent {
  return useMemo(() => {
    const newest = items.findLast((item) => item.type === "message" && item.message.usage !== undefined);
    const usage = newest?.type === "message" ? newest.message.usage : undefined;
    const costUsd = summaries.reduce((sum, summary) => sum + (summary.costUsd ?? 0), 0);
    const cachedShare = usage === undefined || usage.inputTokens === 0 ? undefined : share(usage);
    return { costUsd, usage, cachedShare };
  }, [items, summaries]);
}

function share({ cacheReadTokens, inputTokens }: Usage): number {
  return Math.min(1, cacheReadTokens / inputTokens);
}

export function saySpent({ costUsd, usage, cachedShare }: Spent): string {
  const summaries = `Summaries have cost ${writeCost(costUsd)} so far.`;
  if (usage === undefined) return `${summaries} No provider has reported figures of an answer yet.`;
  const { inputTokens, outputTokens } = usage;
  const cached = cachedShare === undefined ? "" : `, ${writeShare(cachedShare)} of it from its cache`;
  return `${summaries} The newest answer read ${writeWhole(inputTokens)} tokens${cached}, and wrote ${writeWhole(outputTokens)}, as the provider counts.`;
}
