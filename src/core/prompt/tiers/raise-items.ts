/**
 * Lets items rise, tier by tier from below until nothing moves. A tier that nobody touches is left as it is and blocks
 * everything below it, because writing it anew would cost more than a place nearer to the start is worth. What holds a
 * tier at its size is anchored there and does not age.
 */
import {
  CACHED_TIERS_UPWARDS,
  type CachedTier,
  readItemKind,
  readItemSeq,
  type TrackedItem,
} from "../../sections/tier.ts";
import { LADDER, type TierRules } from "./tier-rules.ts";
import { byAge, sumTokens, type TierTable } from "./tier-table.ts";

/** No real conversation needs more; a mistake must not hang one. */
const MOST_PASSES = 10;

interface Cascade {
  readonly table: TierTable;
  readonly rules: TierRules;
  readonly incoming: Map<CachedTier, readonly TrackedItem[]>;
  readonly processed: Set<CachedTier>;
  /** What has entered a tier in this request stays there until the next one. */
  readonly entered: Set<string>;
}

export function cascade(table: TierTable, graduates: readonly TrackedItem[], rules: TierRules): void {
  const state: Cascade = {
    table,
    rules,
    incoming: new Map([["L3", graduates]]),
    processed: new Set(),
    entered: new Set(),
  };
  for (let pass = 0; pass < MOST_PASSES; pass += 1) {
    const moved = CACHED_TIERS_UPWARDS.map((tier) => processTier(state, tier));
    if (!moved.includes(true)) break;
  }
}

/** True where something has moved. */
function processTier(state: Cascade, tier: CachedTier): boolean {
  const { table, processed } = state;
  const arrivals = state.incoming.get(tier) ?? [];
  const above = tierAbove(tier);
  const isDue = table.isBroken(tier) || (above !== undefined && table.isBroken(above));
  if (arrivals.length === 0 && (processed.has(tier) || !isDue)) return false;
  place(state, tier, arrivals);
  if (processed.has(tier)) return arrivals.length > 0;
  processed.add(tier);
  const rising = above === undefined ? [] : ageVeterans(state, tier, above);
  if (above !== undefined && rising.length > 0) send(state, above, rising);
  return arrivals.length > 0 || rising.length > 0;
}

function place({ table, incoming, entered }: Cascade, tier: CachedTier, arrivals: readonly TrackedItem[]): void {
  incoming.set(tier, []);
  for (const item of arrivals) {
    table.move(item, tier, { reason: "unchanged" });
    entered.add(item.key);
  }
}

function send({ incoming }: Cascade, tier: CachedTier, items: readonly TrackedItem[]): void {
  incoming.set(tier, [...(incoming.get(tier) ?? []), ...items]);
}

/** Ages those that hold nothing up, and says which of them rise. */
function ageVeterans(state: Cascade, tier: CachedTier, above: CachedTier): readonly TrackedItem[] {
  const { table, rules, entered } = state;
  const veterans = table.itemsIn(tier).filter(({ key }) => !entered.has(key));
  const isOpen = table.isBroken(above) || table.itemsIn(above).length === 0;
  const { promotion } = LADDER[tier];
  const aged = freeOf(table.unitsOf(veterans), table.tokensIn(tier), rules).map((item) => {
    const seen = isOpen ? item.seen + 1 : Math.max(item.seen, Math.min(item.seen + 1, promotion));
    const older = { ...item, seen };
    table.replace(older);
    return older;
  });
  return isOpen ? aged.filter((item) => item.seen >= promotion) : [];
}

/** All but the anchored: the youngest, up to the target, where the tier holds more than that. Exchanges stay whole. */
function freeOf(
  veterans: readonly (readonly TrackedItem[])[],
  tierTokens: number,
  rules: TierRules,
): readonly TrackedItem[] {
  if (tierTokens <= rules.targetTokens) return veterans.flat();
  let anchored = 0;
  const free = veterans.toSorted(bySeen).filter((items) => {
    const isAnchored = anchored < rules.targetTokens;
    anchored += sumTokens(items);
    return !isAnchored;
  });
  return free.flat();
}

/** Of exchanges that were seen equally often the newest is held first, so that history rises in its order. */
function bySeen([left]: readonly TrackedItem[], [right]: readonly TrackedItem[]): number {
  if (left === undefined || right === undefined) return 0;
  if (left.seen !== right.seen) return left.seen - right.seen;
  const areMessages = readItemKind(left.key) === "history" && readItemKind(right.key) === "history";
  if (areMessages) return readItemSeq(right.key) - readItemSeq(left.key);
  return left.key < right.key ? -1 : 1;
}

function tierAbove(tier: CachedTier): CachedTier | undefined {
  return CACHED_TIERS_UPWARDS[CACHED_TIERS_UPWARDS.indexOf(tier) + 1];
}

// A tier that holds less than a provider caches is no tier: what is in it moves one down and keeps its age. Tiers that
// were written anew in this request are left alone, as is the lowest, below which nothing is cached.
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

// Which active items enter the lowest cached tier. A file or an outline enters when it was seen unchanged often
// enough, chosen or not. A message never changes, so its age says nothing: it enters when the tier is written anew
// anyway, and when there is much of it.
export function chooseGraduates(table: TierTable, rules: TierRules): readonly TrackedItem[] {
  const active = table.itemsIn("active");
  const settled = active.filter(({ key, seen }) => readItemKind(key) !== "history" && seen >= LADDER.active.promotion);
  const history = active.filter(({ key }) => readItemKind(key) === "history").toSorted(byAge);
  const isRewritten = settled.length > 0 || table.isBroken("L3");
  if (rules.targetTokens === 0) return settled;
  return [...settled, ...(isRewritten ? history : allButNewest(table.unitsOf(history), rules.targetTokens))];
}

/** The oldest exchanges, so that at least so many tokens of the newest are left. */
export function allButNewest(
  exchanges: readonly (readonly TrackedItem[])[],
  keptTokens: number,
): readonly TrackedItem[] {
  let rest = exchanges.reduce((sum, items) => sum + sumTokens(items), 0);
  const chosen: TrackedItem[] = [];
  for (const items of exchanges) {
    rest -= sumTokens(items);
    if (rest < keptTokens) break;
    chosen.push(...items);
  }
  return chosen;
}
