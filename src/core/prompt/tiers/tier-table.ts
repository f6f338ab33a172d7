/**
 * The tiers while one request is tracked: who stands where, which tiers are written anew, and what has moved. Every
 * move goes through here, so that no tier changes without being named.
 */
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
import { LADDER } from "./tier-rules.ts";

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
  /** Which exchange a message belongs to, by its key. */
  readonly exchanges?: Exchanges | undefined;
}

export class TierTable {
  readonly moves: TierMove[] = [];
  readonly #tiers: ReadonlyMap<Tier, Map<string, TrackedItem>> = new Map(TIERS.map((tier) => [tier, new Map()]));
  readonly #known = new Map<string, TrackedItem>();
  readonly #broken = new Set<CachedTier>();

  /** As they were before this request, those that are not as they were. */
  readonly #touched = new Map<string, TrackedItem | undefined>();

  readonly #exchanges: Exchanges;

  constructor(snapshot: TierSnapshot, { broken = [], exchanges = new Map() }: TableOptions = {}) {
    this.#exchanges = exchanges;
    this.#break(...broken);
    for (const item of snapshot) this.#put(item);
  }

  /** Items that move together: those of one exchange, and every other by itself, in the order of the first of each. */
  unitsOf(items: readonly TrackedItem[]): readonly (readonly TrackedItem[])[] {
    return [...Map.groupBy(items, ({ key }) => this.#exchanges.get(key) ?? key).values()];
  }

  /** What is other than in the snapshot; undefined where nothing is. */
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

  /** Tier by tier as a prompt shows them, in each in the order of entering. */
  get items(): TierSnapshot {
    return TIERS.flatMap((tier) => this.itemsIn(tier));
  }

  /** Tiers whose text is another one than in the request before. */
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
    return sumTokens(this.itemsIn(tier));
  }

  isBroken(tier: Tier): boolean {
    return tier !== "active" && this.#broken.has(tier);
  }

  /** Keeps its place. */
  replace(item: TrackedItem): void {
    this.#touch(item.key);
    this.#put(item);
  }

  /** Keeps its place and says something else; that a working file does is worth telling. */
  change(item: TrackedItem): void {
    this.replace(item);
    if (readItemKind(item.key) === "file")
      this.moves.push({ key: item.key, from: item.tier, to: item.tier, reason: "changed" });
  }

  move(item: TrackedItem, to: Tier, { reason, keepsSeen = false }: { reason: MoveReason; keepsSeen?: boolean }): void {
    const from = this.#known.get(item.key)?.tier;
    this.#drop(item.key);
    this.replace({ ...item, tier: to, seen: keepsSeen ? item.seen : LADDER[to].entry });
    this.#break(from, to);
    // What is new and active has not moved anything: it stands at the end, where new things stand.
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

export function sumTokens(items: readonly TrackedItem[]): number {
  return items.reduce((sum, { tokens }) => sum + tokens, 0);
}

export function byAge(left: TrackedItem, right: TrackedItem): number {
  return readItemSeq(left.key) - readItemSeq(right.key);
}

// What must not be pruned while a provider still has it in its cache: history that stands in one of the first three
// tiers. Whoever shortened it would have all that stands behind it read anew.
/** Whether a message of the log stands there. A group is known by its first message and goes on to the next group's. */
export function findFrozen(tiers: TierSnapshot): (seq: number) => boolean {
  const groups = tiers
    .filter(({ key }) => readItemKind(key) === "history")
    .map(({ key, tier }) => ({ firstSeq: readItemSeq(key), isFrozen: tier !== "active" && tier !== "L3" }))
    .toSorted((left, right) => left.firstSeq - right.firstSeq);
  return (seq) => groups.findLast(({ firstSeq }) => firstSeq <= seq)?.isFrozen === true;
}
