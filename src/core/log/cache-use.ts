/**
 * The cache figures that providers reported: the first and the last answer of each epoch of the view. The last answer
 * before a change of the past and the first after it show what the change did to the cache. Answers and changes may
 * arrive in any order. Estimates are never recorded.
 */
import type { PromptId, Usage } from "./entry.ts";

export interface TokenFigures {
  /** Tokens of whole prompts, cached or not. */
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
}

export interface CacheFigures extends Omit<TokenFigures, "outputTokens"> {
  readonly promptId: PromptId;
}

export interface EpochCacheUse {
  readonly viewEpoch: number;
  readonly first: CacheFigures;
  readonly last: CacheFigures;
}

/** Number of epochs kept, so that a head stays bounded. */
export const CACHE_EPOCHS = 16;

interface AnsweredPrompt {
  readonly promptId: PromptId;
  readonly viewEpoch: number;
  readonly usage: Usage | undefined;
}

/** Returns the same list if the provider did not report both its input and a cache figure. */
export function noteCacheUse(
  known: readonly EpochCacheUse[] | undefined,
  { promptId, viewEpoch, usage }: AnsweredPrompt,
): readonly EpochCacheUse[] | undefined {
  const inputTokens = readInputTokens(usage);
  if (usage === undefined || inputTokens === undefined || !hasCacheFigures(usage)) return known;
  const { cacheReadTokens = 0, cacheWriteTokens = 0 } = usage;
  const last: CacheFigures = { promptId, inputTokens, cacheReadTokens, cacheWriteTokens };
  const first = known?.find((use) => use.viewEpoch === viewEpoch)?.first ?? last;
  const others = known?.filter((use) => use.viewEpoch !== viewEpoch) ?? [];
  return [...others, { viewEpoch, first, last }]
    .toSorted((left, right) => left.viewEpoch - right.viewEpoch)
    .slice(-CACHE_EPOCHS);
}

function hasCacheFigures({ cacheReadTokens, cacheWriteTokens }: Usage): boolean {
  return cacheReadTokens !== undefined || cacheWriteTokens !== undefined;
}

/** Adds the cached tokens if they exceed the reported input, because the provider then left them out. */
export function readInputTokens(usage: Usage | undefined): number | undefined {
  const { inputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage ?? {};
  if (inputTokens === undefined) return undefined;
  const cached = cacheReadTokens + cacheWriteTokens;
  return inputTokens < cached ? inputTokens + cached : inputTokens;
}

export interface CacheComparison {
  /** Figures of the last answer to a prompt without the change. */
  readonly before: CacheFigures | undefined;
  /** Figures of the first answer to a prompt with the change; absent until there is one. */
  readonly after: CacheFigures | undefined;
}

/** Returns the figures before and after the entry that moved the session to this epoch. */
export function compareCacheUse(uses: readonly EpochCacheUse[] | undefined, epoch: number): CacheComparison {
  return {
    before: uses?.findLast(({ viewEpoch }) => viewEpoch < epoch)?.last,
    after: uses?.find(({ viewEpoch }) => viewEpoch >= epoch)?.first,
  };
}
