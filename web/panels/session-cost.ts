/** What a conversation has cost so far, and what a provider's cache has served of its newest answer. */
import { useMemo } from "react";
import { type AnswerUse, loadUsage, type SessionUsage } from "../api/usage.ts";
import type { View } from "../api/values.ts";
import { useLoaded } from "../hooks/use-loaded.ts";
import { writeCost, writeCount, writeShare, writeWhole } from "../ui/format.ts";

export interface Spent {
  readonly usage: SessionUsage | undefined;
  /** The newest answer of a model. */
  readonly newest: AnswerUse | undefined;
  readonly cached: Cached | undefined;
}

export interface Cached {
  readonly share: number;
  /** The provider's own figure, or what did not move since the last prompt. */
  readonly isExact: boolean;
}

/** Tools and their results may stand behind the newest answer that a provider reported. */
const LOOKED_AT = 8;

interface SpentOptions {
  readonly version: number;
  readonly view: View | undefined;
}

export function useSpent(sessionId: string, { version, view }: SpentOptions): Spent {
  const { value: usage } = useLoaded(`${sessionId} ${version}`, (signal) => loadUsage(sessionId, LOOKED_AT, signal));
  return useMemo((): Spent => {
    const newest = usage?.newest.findLast(({ inputTokens }) => inputTokens > 0);
    return { usage, newest, cached: newest && readCached(newest, view) };
  }, [usage, view]);
}

function readCached({ isEstimate, cacheReadTokens, inputTokens }: AnswerUse, view?: View): Cached | undefined {
  if (!isEstimate) return { share: Math.min(1, cacheReadTokens / inputTokens), isExact: true };
  return view === undefined ? undefined : { share: estimateShare(view), isExact: false };
}

/** Sections before the first that moved are what a provider may have in its cache; nothing is known of the provider. */
function estimateShare({ sections, changes, tokens }: View): number {
  const moved = new Set(changes.map(({ section }) => section));
  const first = sections.findIndex(({ name }) => moved.has(name) || name === "next" || name === "notes");
  const same = first === -1 ? sections : sections.slice(0, first);
  return Math.min(1, same.reduce((sum, section) => sum + section.tokens, 0) / Math.max(1, tokens));
}

/** Less is written as 0 %. */
const LEAST_SHARE = 0.005;

/** "exact" and "estimate" are of the sum; what has no known price is never taken for nothing. */
export function sayCost({ costUsd, isExact, unpriced, models }: SessionUsage): string {
  const answers = models.reduce((sum, each) => sum + each.answers, 0);
  if (unpriced > 0 && costUsd === 0) return "price not known";
  if (unpriced > 0) return `at least ${writeCost(costUsd)}; price not known of ${writeCount(unpriced, "answer")}`;
  if (answers === 0) return writeCost(costUsd);
  return isExact ? `${writeCost(costUsd)}, exact` : `about ${writeCost(costUsd)}, an estimate`;
}

/** Where a line has no room for more than a figure. */
export function sayShortCost({ costUsd, isExact }: SessionUsage): string {
  if (costUsd === 0) return "";
  return `${isExact ? "" : "about "}${writeCost(costUsd)}`;
}

/** That a provider's cache served nothing is worth knowing; a guess at nothing is not. */
export function sayCached({ cached }: Spent): string {
  if (cached === undefined || (!cached.isExact && cached.share < LEAST_SHARE)) return "";
  return `${cached.isExact ? "" : "about "}${writeShare(cached.share)} cached`;
}

/** What the cost is made of, and the newest answer by itself. */
export function saySpent({ usage, newest, cached }: Spent): readonly string[] {
  if (usage === undefined) return [];
  const { summaries, costUsd, models } = usage;
  const answers = models.reduce((sum, each) => sum + each.answers, 0);
  const answersUsd = costUsd - summaries.costUsd;
  const parts = `${writeCount(answers, "answer")} ${writeCost(answersUsd)}, ${writeCount(summaries.count, "summary", "summaries")} ${writeCost(summaries.costUsd)}`;
  const [since, unheard] =
    usage.inheritedFrom === undefined
      ? ["so far", "No provider has reported figures of an answer yet."]
      : ["since the ways parted", "No provider has reported figures of an answer since."];
  return [`Cost ${since}: ${sayCost(usage)} (${parts}).`, newest === undefined ? unheard : sayNewest(newest, cached)];
}

function sayNewest(newest: NonNullable<Spent["newest"]>, cached: Spent["cached"]): string {
  const { inputTokens, outputTokens, isEstimate } = newest;
  if (isEstimate) {
    const share = cached === undefined ? "" : `, of which ${writeShare(cached.share)} may come from its cache`;
    return `The newest answer read about ${writeCount(inputTokens, "token")}${share}, and wrote about ${writeWhole(outputTokens)}: an estimate, the provider reported nothing.`;
  }
  const share = cached === undefined ? "" : `, ${writeShare(cached.share)} of it from its cache`;
  return `The newest answer read ${writeCount(inputTokens, "token")}${share}, and wrote ${writeWhole(outputTokens)}: exact, as the provider counts.`;
}
