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
