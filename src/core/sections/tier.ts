/** Tiers by how long content has stayed unchanged. `active` holds what changes, or is not known to be stable. */

/** In the order in which a prompt shows them. */
export const TIERS = ["L0", "L1", "L2", "L3", "active"] as const;

export type Tier = (typeof TIERS)[number];
export type CachedTier = Exclude<Tier, "active">;

/** From the tier that items enter first to the most stable one. */
export const CACHED_TIERS_UPWARDS = ["L3", "L2", "L1", "L0"] as const satisfies readonly CachedTier[];

export interface TrackedItem {
  /** `file:` or `symbol:` with a path, `history:` with a seq. */
  readonly key: string;
  readonly tier: Tier;
  /** Number of requests that saw it unchanged; on entering a tier, that tier's entry value. */
  readonly seen: number;
  /** Hash of its content; empty if it was placed before it was read. */
  readonly hash: string;
  readonly tokens: number;
}

/** Everything that is tracked. It is part of the head, so that tiers survive a restart. */
export type TierSnapshot = readonly TrackedItem[];

/** `tail` is what comes after the tiers and before the working files; only whether it changed is tracked. */
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

/** The changes of one request in the tiers. */
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
  // Moved items come after the others, in the order of moving, as the tracker leaves them.
  return [...before.filter(({ key }) => !touched.has(key)), ...set];
}

export function isSame(left: TrackedItem | undefined, right: TrackedItem): boolean {
  if (left === undefined) return false;
  const { tier, seen, hash, tokens } = left;
  return tier === right.tier && seen === right.seen && hash === right.hash && tokens === right.tokens;
}
