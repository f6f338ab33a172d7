/** The tiers during one request. Every move goes through this class, so that every change is recorded. */
import {
  type CachedTier,
  isSame,
  readItemKind,
  readItemSeq,
  TIERS,
  type Tier,
  type TierDelta,
  type TierSnapshot,
  type TrackedItem,
} from "../../sections/tier.ts";
import { TIER_THRESHOLDS } from "./tier-rules.ts";

export type MoveReason = "unchanged" | "changed" | "covered" | "underfilled" | "gone" | "purged" | "placed";

export interface TierMove {
  readonly key: string;
  readonly from: Tier | undefined;
  readonly to: Tier | undefined;
  readonly reason: MoveReason;
}

type Exchanges = ReadonlyMap<string, number>;

export interface TableOptions {
  readonly broken?: readonly CachedTier[] | undefined;
  /** The exchange of each message, by key. */
  readonly exchanges?: Exchanges | undefined;
}

export class TierTable {
  readonly moves: TierMove[] = [];
  readonly #tiers: ReadonlyMap<Tier, Map<string, TrackedItem>> = new Map(TIERS.map((tier) => [tier, new Map()]));
  readonly #known = new Map<string, TrackedItem>();
  readonly #broken = new Set<CachedTier>();

  /** Items that changed in this request, as they were before it. */
  readonly #touched = new Map<string, TrackedItem | undefined>();

  readonly #exchanges: Exchanges;

  constructor(snapshot: TierSnapshot, { broken = [], exchanges = new Map() }: TableOptions = {}) {
    this.#exchanges = exchanges;
    this.#break(...broken);
    for (const item of snapshot) this.#put(item);
  }

  /** Groups items that move together: those of one exchange, and every other item alone. */
  unitsOf(items: readonly TrackedItem[]): readonly (readonly TrackedItem[])[] {
    return [...Map.groupBy(items, ({ key }) => this.#exchanges.get(key) ?? key).values()];
  }

  /** Changes since the snapshot; undefined if there are none. */
  get delta(): TierDelta | undefined {
    const set = [...this.#touched].flatMap(([key, before]) => {
      const now = this.#known.get(key);
      return now === undefined || isSame(before, now) ? [] : [now];
    });
    const gone = [...this.#touched].flatMap(([key, before]) =>
      before === undefined || this.#known.has(key) ? [] : [key],
    );
    return set.length === 0 && gone.length === 0 ? undefined : { set, gone };
  }

  /** All items, by tier in prompt order, then in the order in which they entered. */
  get items(): TierSnapshot {
    return TIERS.flatMap((tier) => this.itemsIn(tier));
  }

  /** Tiers whose text changed since the last request. */
  get broken(): readonly CachedTier[] {
    return (["L0", "L1", "L2", "L3"] as const).filter((tier) => this.#broken.has(tier));
  }

  get size(): number {
    return this.#known.size;
  }

  find(key: string): TrackedItem | undefined {
    return this.#known.get(key);
  }

  itemsIn(tier: Tier): readonly TrackedItem[] {
    return [...(this.#tiers.get(tier)?.values() ?? [])];
  }

  tokensIn(tier: Tier): number {
    return sumItemTokens(this.itemsIn(tier));
  }

  isBroken(tier: Tier): boolean {
    return tier !== "active" && this.#broken.has(tier);
  }

  /** Replaces an item without moving it. */
  replace(item: TrackedItem): void {
    this.#touch(item.key);
    this.#put(item);
  }

  /** Replaces the content of an item without moving it. For a file, records a move within its tier. */
  change(item: TrackedItem): void {
    this.replace(item);
    if (readItemKind(item.key) === "file")
      this.moves.push({ key: item.key, from: item.tier, to: item.tier, reason: "changed" });
  }

  move(item: TrackedItem, to: Tier, { reason, keepsSeen = false }: { reason: MoveReason; keepsSeen?: boolean }): void {
    const from = this.#known.get(item.key)?.tier;
    this.#drop(item.key);
    this.replace({ ...item, tier: to, seen: keepsSeen ? item.seen : TIER_THRESHOLDS[to].entry });
    this.#break(from, to);
    // A new active item is not a move, because it is added at the end.
    if (from !== undefined || to !== "active") this.moves.push({ key: item.key, from, to, reason });
  }

  remove(item: TrackedItem, reason: MoveReason): void {
    this.#drop(item.key);
    this.#break(item.tier, undefined);
    this.moves.push({ key: item.key, from: item.tier, to: undefined, reason });
  }

  #put(item: TrackedItem): void {
    this.#tiers.get(item.tier)?.set(item.key, item);
    this.#known.set(item.key, item);
  }

  #touch(key: string): void {
    if (!this.#touched.has(key)) this.#touched.set(key, this.find(key));
  }

  #drop(key: string): void {
    this.#touch(key);
    const tier = this.#known.get(key)?.tier;
    if (tier !== undefined) this.#tiers.get(tier)?.delete(key);
    this.#known.delete(key);
  }

  #break(...tiers: readonly (Tier | undefined)[]): void {
    for (const tier of tiers) if (tier !== undefined && tier !== "active") this.#broken.add(tier);
  }
}

export function sumItemTokens(items: readonly TrackedItem[]): number {
  return items.reduce((sum, { tokens }) => sum + tokens, 0);
}

export function compareAge(left: TrackedItem, right: TrackedItem): number {
  return readItemSeq(left.key) - readItemSeq(right.key);
}

/** Returns a check for messages in L0 to L2. Pruning one would make a provider read everything after it again. */
export function createFrozenCheck(tiers: TierSnapshot): (seq: number) => boolean {
  const groups = tiers
    .filter(({ key }) => readItemKind(key) === "history")
    .map(({ key, tier }) => ({ firstSeq: readItemSeq(key), isFrozen: tier !== "active" && tier !== "L3" }))
    .toSorted((left, right) => left.firstSeq - right.firstSeq);
  return (seq) => groups.findLast(({ firstSeq }) => firstSeq <= seq)?.isFrozen === true;
}
