/** Tiers group content by how long it has stayed unchanged. `active` is for content that is not known to be stable. */

/** All tiers in prompt order. */
export const TIERS = ["L0", "L1", "L2", "L3", "active"] as const;

export type Tier = (typeof TIERS)[number];
export type CachedTier = Exclude<Tier, "active">;

/** The cached tiers, from the one that items enter first to the most stable one. */
export const CACHED_TIERS_UPWARDS = ["L3", "L2", "L1", "L0"] as const satisfies readonly CachedTier[];

export interface TrackedItem {
  /** `file:` or `symbol:` with a path, `history:` with a seq. */
  readonly key: string;
  readonly tier: Tier;
  /** Number of requests in which it was unchanged. Set to the tier's entry value when the item enters a tier. */
  readonly seen: number;
  /** Hash of its content; empty if it was placed before it was read. */
  readonly hash: string;
  readonly tokens: number;
}

/** All tracked items. Part of the head, so that tiers survive a restart. */
export type TierSnapshot = readonly TrackedItem[];

/** `tail` is the content between the tiers and the working files. */
export type ItemKind = "file" | "symbol" | "history" | "tail";

export function readItemKind(key: string): ItemKind {
  if (key.startsWith("history:")) return "history";
  if (key.startsWith("tail:")) return "tail";
  return key.startsWith("symbol:") ? "symbol" : "file";
}

export function makeItemKey(kind: ItemKind, name: string | number): string {
  return `${kind}:${name}`;
}

export function readItemSeq(key: string): number {
  return Number(key.slice("history:".length));
}

export function readItemPath(key: string): string {
  return key.slice(key.indexOf(":") + 1);
}

/** The changes that one request made to the tiers. */
export interface TierDelta {
  readonly set: readonly TrackedItem[];
  readonly gone: readonly string[];
}

/** Returns undefined if nothing changed. */
export function diffTiers(before: TierSnapshot, after: TierSnapshot): TierDelta | undefined {
  const known = new Map(before.map((item) => [item.key, item]));
  const set = after.filter((item) => !isSame(known.get(item.key), item));
  const left = new Set(after.map(({ key }) => key));
  const gone = before.filter(({ key }) => !left.has(key)).map(({ key }) => key);
  return set.length === 0 && gone.length === 0 ? undefined : { set, gone };
}

export function applyTierDelta(before: TierSnapshot, { set, gone }: TierDelta): TierSnapshot {
  const touched = new Set([...gone, ...set.map(({ key }) => key)]);
  // Moved items come after the others, in the order of their moves, as in the tracker.
  return [...before.filter(({ key }) => !touched.has(key)), ...set];
}

export function isSame(left: TrackedItem | undefined, right: TrackedItem): boolean {
  if (left === undefined) return false;
  const { tier, seen, hash, tokens } = left;
  return tier === right.tier && seen === right.seen && hash === right.hash && tokens === right.tokens;
}
