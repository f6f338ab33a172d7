/**
 * How long a piece of the prompt has stayed as it is. What has not changed for long stands first, so that a provider's
 * cache is kept up to the first piece that did. `active` is what changes, or has not shown yet that it does not.
 */

/** In the order in which a prompt shows them. */
export const TIERS = ["L0", "L1", "L2", "L3", "active"] as const;

export type Tier = (typeof TIERS)[number];
export type CachedTier = Exclude<Tier, "active">;

/** From the one that items enter to the one that they do not leave upwards. */
export const CACHED_TIERS_UPWARDS = ["L3", "L2", "L1", "L0"] as const satisfies readonly CachedTier[];

export interface TrackedItem {
  /** `file:` or `symbol:` with a path, `history:` with a seq. */
  readonly key: string;
  readonly tier: Tier;
  /** In how many requests it was seen unchanged; on entering a tier, what that tier asks for. The documents' N. */
  readonly seen: number;
  /** Of its content; empty for what was placed before anybody has read it. */
  readonly hash: string;
  readonly tokens: number;
}

/** All that is tracked: a part of the head, so that tiers survive a restart. */
export type TierSnapshot = readonly TrackedItem[];

/** `tail` is what stands behind the tiers and before the working files: only whether it has changed is followed. */
export type ItemKind = "file" | "symbol" | "history" | "tail";

export function kindOf(key: string): ItemKind {
  if (key.startsWith("history:")) return "history";
  if (key.startsWith("tail:")) return "tail";
  return key.startsWith("symbol:") ? "symbol" : "file";
}

export function keyOf(kind: ItemKind, name: string | number): string {
  return `${kind}:${name}`;
}

/** The seq in the key of a message. */
export function seqOf(key: string): number {
  return Number(key.slice("history:".length));
}

export function pathOf(key: string): string {
  return key.slice(key.indexOf(":") + 1);
}

// What one request has changed of the tiers: small, because most of what is tracked stays as it is.
export interface TierDelta {
  /** New, moved or aged, as they are now. */
  readonly set: readonly TrackedItem[];
  readonly gone: readonly string[];
}

/** Undefined where nothing has changed. */
export function diffTiers(before: TierSnapshot, after: TierSnapshot): TierDelta | undefined {
  const known = new Map(before.map((item) => [item.key, item]));
  const set = after.filter((item) => !isSame(known.get(item.key), item));
  const left = new Set(after.map(({ key }) => key));
  const gone = before.filter(({ key }) => !left.has(key)).map(({ key }) => key);
  return set.length === 0 && gone.length === 0 ? undefined : { set, gone };
}

export function applyTierDelta(before: TierSnapshot, { set, gone }: TierDelta): TierSnapshot {
  const touched = new Set([...gone, ...set.map(({ key }) => key)]);
  // What moved stands behind what did not, in the order in which it did: as the tracker leaves it.
  return [...before.filter(({ key }) => !touched.has(key)), ...set];
}

export function isSame(left: TrackedItem | undefined, right: TrackedItem): boolean {
  if (left === undefined) return false;
  const { tier, seen, hash, tokens } = left;
  return tier === right.tier && seen === right.seen && hash === right.hash && tokens === right.tokens;
}
