/**
 * Raises items tier by tier, from the lowest, until nothing moves. No item rises into an unchanged tier, unless it is
 * empty. The youngest items that fill a tier to its minimum size are anchored: they stay there and do not age.
 */
import {
  CACHED_TIERS_UPWARDS,
  type CachedTier,
  readItemKind,
  readItemSeq,
  type TrackedItem,
} from "../../sections/tier.ts";
import { TIER_THRESHOLDS, type TierRules } from "./tier-rules.ts";
import { compareAge, sumItemTokens, type TierTable } from "./tier-table.ts";

/** Bounds the loop in case of a bug. Real conversations need fewer passes. */
const MAX_PASSES = 10;

interface RaiseState {
  readonly table: TierTable;
  readonly rules: TierRules;
  readonly incoming: Map<CachedTier, readonly TrackedItem[]>;
  readonly processed: Set<CachedTier>;
  /** Items that entered a tier in this request; they stay there until the next one. */
  readonly entered: Set<string>;
}

export function raiseItems(table: TierTable, graduates: readonly TrackedItem[], rules: TierRules): void {
  const state: RaiseState = {
    table,
    rules,
    incoming: new Map([["L3", graduates]]),
    processed: new Set(),
    entered: new Set(),
  };
  for (let pass = 0; pass < MAX_PASSES; pass += 1) {
    const moved = CACHED_TIERS_UPWARDS.map((tier) => processTier(state, tier));
    if (!moved.includes(true)) break;
  }
}

function processTier(state: RaiseState, tier: CachedTier): boolean {
  const { table, processed } = state;
  const arrivals = state.incoming.get(tier) ?? [];
  const above = CACHED_TIERS_UPWARDS[CACHED_TIERS_UPWARDS.indexOf(tier) + 1];
  const isDue = table.isBroken(tier) || (above !== undefined && table.isBroken(above));
  if (arrivals.length === 0 && (processed.has(tier) || !isDue)) return false;
  place(state, tier, arrivals);
  if (processed.has(tier)) return arrivals.length > 0;
  processed.add(tier);
  const rising = above === undefined ? [] : ageItems(state, tier, above);
  if (above !== undefined && rising.length > 0) moveItems(state, above, rising);
  return arrivals.length > 0 || rising.length > 0;
}

function place({ table, incoming, entered }: RaiseState, tier: CachedTier, arrivals: readonly TrackedItem[]): void {
  incoming.set(tier, []);
  for (const item of arrivals) {
    table.move(item, tier, { reason: "unchanged" });
    entered.add(item.key);
  }
}

function moveItems({ incoming }: RaiseState, tier: CachedTier, items: readonly TrackedItem[]): void {
  incoming.set(tier, [...(incoming.get(tier) ?? []), ...items]);
}

function ageItems(state: RaiseState, tier: CachedTier, above: CachedTier): readonly TrackedItem[] {
  const { table, rules, entered } = state;
  const older = table.itemsIn(tier).filter(({ key }) => !entered.has(key));
  const isOpen = table.isBroken(above) || table.itemsIn(above).length === 0;
  const { promotion } = TIER_THRESHOLDS[tier];
  const aged = findUnanchored(table.unitsOf(older), table.tokensIn(tier), rules).map((item) => {
    const seen = isOpen ? item.seen + 1 : Math.max(item.seen, Math.min(item.seen + 1, promotion));
    const older = { ...item, seen };
    table.replace(older);
    return older;
  });
  return isOpen ? aged.filter((item) => item.seen >= promotion) : [];
}

/** Returns all items that are not anchored. An exchange is anchored as a whole. */
function findUnanchored(
  older: readonly (readonly TrackedItem[])[],
  tierTokens: number,
  rules: TierRules,
): readonly TrackedItem[] {
  if (tierTokens <= rules.targetTokens) return older.flat();
  let anchored = 0;
  const free = older.toSorted(compareSeen).filter((items) => {
    const isAnchored = anchored < rules.targetTokens;
    anchored += sumItemTokens(items);
    return !isAnchored;
  });
  return free.flat();
}

/** Anchors the newest of equally old exchanges first, so that history rises in order. */
function compareSeen([left]: readonly TrackedItem[], [right]: readonly TrackedItem[]): number {
  if (left === undefined || right === undefined) return 0;
  if (left.seen !== right.seen) return left.seen - right.seen;
  const areMessages = readItemKind(left.key) === "history" && readItemKind(right.key) === "history";
  if (areMessages) return readItemSeq(right.key) - readItemSeq(left.key);
  return left.key < right.key ? -1 : 1;
}

// A tier below the provider's minimum is not cached, so its items move one tier down and keep their age. Tiers that
// were rewritten in this request stay, and so does the lowest.
const DOWNWARDS: readonly (readonly [from: CachedTier, to: CachedTier])[] = [
  ["L2", "L3"],
  ["L1", "L2"],
  ["L0", "L1"],
];

export function sinkUnderfilled(table: TierTable, rules: TierRules): void {
  const underfilled = DOWNWARDS.filter(([from]) => {
    const tokens = table.tokensIn(from);
    return tokens > 0 && tokens < rules.targetTokens && !table.isBroken(from);
  });
  for (const [from, to] of underfilled) {
    for (const item of table.itemsIn(from)) table.move(item, to, { reason: "underfilled", keepsSeen: true });
  }
}

/** Returns active items for the lowest cached tier. Messages enter if it is rewritten, or if they exceed the target. */
export function chooseGraduates(table: TierTable, rules: TierRules): readonly TrackedItem[] {
  const active = table.itemsIn("active");
  const settled = active.filter(
    ({ key, seen }) => readItemKind(key) !== "history" && seen >= TIER_THRESHOLDS.active.promotion,
  );
  const history = active.filter(({ key }) => readItemKind(key) === "history").toSorted(compareAge);
  const isRewritten = settled.length > 0 || table.isBroken("L3");
  if (rules.targetTokens === 0) return settled;
  return [...settled, ...(isRewritten ? history : takeAllButNewest(table.unitsOf(history), rules.targetTokens))];
}

/** Returns the oldest exchanges, and leaves at least `keptTokens` of the newest. */
export function takeAllButNewest(
  exchanges: readonly (readonly TrackedItem[])[],
  keptTokens: number,
): readonly TrackedItem[] {
  let rest = exchanges.reduce((sum, items) => sum + sumItemTokens(items), 0);
  const chosen: TrackedItem[] = [];
  for (const items of exchanges) {
    rest -= sumItemTokens(items);
    if (rest < keptTokens) break;
    chosen.push(...items);
  }
  return chosen;
}
