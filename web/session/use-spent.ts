/** What a conversation has cost so far, and what a provider's cache has served of its newest answer. */
import { useMemo } from "react";
import { type AnswerUse, loadUsage, type SessionUsage } from "../api/usage.ts";
import type { View } from "../api/values.ts";
import { useLoaded } from "../hooks/use-loaded.ts";

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
