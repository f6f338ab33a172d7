/** When items rise, and how large a tier must be for a breakpoint: the `workspace` preset's rules and the defaults. */
import type { Tier } from "../../sections/tier.ts";

export interface TierRules {
  /** Whether only content that a provider has to read again moves. Otherwise items rise as they age. */
  readonly movesOnlyRewritten: boolean;
  /** The minimum tokens of a cached tier. At 0, no history is cached. */
  readonly targetTokens: number;
  /** Assumed tokens of an item that is placed before it is read. */
  readonly seededTokens: number;
  /** Whether the most referenced files are placed at the top before the first request. */
  readonly seedsTop: boolean;
}

/** The target is 1.5 times 1,024, the fewest tokens that a provider caches. */
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

/** Returns the larger of the two minimums plus a tenth. */
export function computeTierTarget(least: { readonly configured: number; readonly model: number }): number {
  return Math.floor(Math.max(least.configured, least.model) * 1.1);
}

interface TierThresholds {
  /** Value of `seen` when an item enters the tier. */
  readonly entry: number;
  /** Value of `seen` at which an item may rise. */
  readonly promotion: number;
}

export const TIER_THRESHOLDS: Readonly<Record<Tier, TierThresholds>> = {
  active: { entry: 0, promotion: 3 },
  L3: { entry: 3, promotion: 6 },
  L2: { entry: 6, promotion: 9 },
  L1: { entry: 9, promotion: 12 },
  L0: { entry: 12, promotion: Number.POSITIVE_INFINITY },
};
