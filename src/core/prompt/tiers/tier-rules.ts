/**
 * When items rise, and how much a tier must hold to be worth a marker. Two sets of rules: those of the document whose
 * preset is `workspace`, and ours, which keep what was learned from them since.
 */
import type { Tier } from "../../sections/tier.ts";

export interface TierRules {
  /** Nothing moves but what a provider has to read anew in any case; otherwise items climb as they age. */
  readonly movesOnlyRewritten: boolean;
  /** What a cached tier should hold at least. Nothing of the history is ever cached where it is 0. */
  readonly targetTokens: number;
  /** So many tokens are taken for an entry that is placed before it was read. */
  readonly seededTokens: number;
  /** Whether what is referred to most is placed at the top before the first request. */
  readonly seedsTop: boolean;
}

/** As the document has them: 1,024 tokens, which is the least that a provider caches, and half as many again. */
export const DOCUMENT_TIER_RULES: TierRules = {
  movesOnlyRewritten: false,
  targetTokens: 1_536,
  seededTokens: 400,
  seedsTop: false,
};

export const TIER_RULES: TierRules = {
  movesOnlyRewritten: true,
  targetTokens: 1_126,
  seededTokens: 400,
  seedsTop: true,
};

/** A tenth above the least that both the configuration and the model's provider ask for. */
export function targetTokensFor(least: { readonly configured: number; readonly model: number }): number {
  return Math.floor(Math.max(least.configured, least.model) * 1.1);
}

interface Ladder {
  /** What `seen` becomes on entering. */
  readonly entry: number;
  /** From where on an item may rise. */
  readonly promotion: number;
}

export const LADDER: Readonly<Record<Tier, Ladder>> = {
  active: { entry: 0, promotion: 3 },
  L3: { entry: 3, promotion: 6 },
  L2: { entry: 6, promotion: 9 },
  L1: { entry: 9, promotion: 12 },
  L0: { entry: 12, promotion: Number.POSITIVE_INFINITY },
};
