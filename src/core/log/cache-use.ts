/**
 * What providers reported of their caches, by the epoch of the view that they were sent: the first answer and the last.
 * A change of the past stands between two epochs, so the last answer before it and the first after it say what the
 * change did to the cache. Only answers are noted, never changes, so that the two may come in any order; and only what
 * a provider said, never an estimate.
 */
import type { PromptId, Usage } from "./entry.ts";

export interface CacheFigures {
  readonly promptId: PromptId;
  /** All of the prompt, cached or not. */
  readonly inputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
}

export interface EpochCacheUse {
  readonly viewEpoch: number;
  readonly first: CacheFigures;
  readonly last: CacheFigures;
}

/** How many epochs are remembered, so that a head stays bounded. */
export const CACHE_EPOCHS = 16;

interface Answered {
  readonly promptId: PromptId;
  readonly viewEpoch: number;
  readonly usage: Usage | undefined;
}

/** The same list where nothing was said of a cache. */
export function noteCacheUse(
  known: readonly EpochCacheUse[] | undefined,
  { promptId, viewEpoch, usage }: Answered,
): readonly EpochCacheUse[] | undefined {
  const inputTokens = readInputTokens(usage);
  if (usage === undefined || inputTokens === undefined || !tellsOfCache(usage)) return known;
  const { cacheReadTokens = 0, cacheWriteTokens = 0 } = usage;
  const last: CacheFigures = { promptId, inputTokens, cacheReadTokens, cacheWriteTokens };
  const first = known?.find((use) => use.viewEpoch === viewEpoch)?.first ?? last;
  const others = known?.filter((use) => use.viewEpoch !== viewEpoch) ?? [];
  return [...others, { viewEpoch, first, last }]
    .toSorted((left, right) => left.viewEpoch - right.viewEpoch)
    .slice(-CACHE_EPOCHS);
}

function tellsOfCache({ cacheReadTokens, cacheWriteTokens }: Usage): boolean {
  return cacheReadTokens !== undefined || cacheWriteTokens !== undefined;
}

/** Where less is reported as input than was read from or written to the cache, the cached tokens come on top. */
export function readInputTokens(usage: Usage | undefined): number | undefined {
  const { inputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage ?? {};
  if (inputTokens === undefined) return undefined;
  const cached = cacheReadTokens + cacheWriteTokens;
  return inputTokens < cached ? inputTokens + cached : inputTokens;
}

export interface CacheComparison {
  /** Of the last answer to a prompt that did not show the change. */
  readonly before: CacheFigures | undefined;
  /** Of the first answer to one that did; absent until there is one. */
  readonly after: CacheFigures | undefined;
}

/** Around the entry that moved a session to this epoch. */
export function compareCacheUse(uses: readonly EpochCacheUse[] | undefined, epoch: number): CacheComparison {
  return {
    before: uses?.findLast(({ viewEpoch }) => viewEpoch < epoch)?.last,
    after: uses?.find(({ viewEpoch }) => viewEpoch >= epoch)?.first,
  };
}
