/** Moves only content that a provider has to read again: the first changed tier and everything after it. */
import {
  CACHED_TIERS_UPWARDS,
  type CachedTier,
  makeItemKey,
  readItemKind,
  readItemPath,
  TIERS,
  type Tier,
  type TrackedItem,
} from "../../sections/tier.ts";
import { takeAllButNewest } from "./raise-items.ts";
import { TIER_THRESHOLDS, type TierRules } from "./tier-rules.ts";
import { compareAge, sumItemTokens, type TierTable } from "./tier-table.ts";

const [LOWEST] = CACHED_TIERS_UPWARDS;
/** Messages are placed before unchanged working files that are at most this many times as large. */
const PASSED_RATIO = 2;
/** A file moves if its `seen` times its tokens is at least this many times the history that an edit would rewrite. */
const SETTLED_RATIO = 4;

export interface ChangedContent {
  /** Tokens of working files before the first changed one; undefined if none changed. */
  readonly keptTokens: number | undefined;
  /** Whether the content before the working files changed, so that all of them are read again. */
  readonly hasTailChanged: boolean;
  /** Paths of files shown in full, whose outlines are hidden. */
  readonly chosen: ReadonlySet<string>;
  readonly rules: TierRules;
}

export function moveChanged(table: TierTable, { keptTokens, hasTailChanged, chosen, rules }: ChangedContent): void {
  const [first] = table.broken;
  if (first !== undefined) {
    moveHistory(table, first, rules);
    graduate(table, first, chosen);
  } else if (keptTokens !== undefined) {
    if (hasTailChanged) graduate(table, LOWEST, chosen);
    const saidTokens = sumItemTokens(messagesIn(table, "active"));
    if (saidTokens * PASSED_RATIO >= keptTokens) moveHistory(table, LOWEST, rules);
  }
}

function moveHistory(table: TierTable, to: CachedTier, { targetTokens }: TierRules): void {
  if (targetTokens === 0) return;
  const behind = TIERS.slice(TIERS.indexOf(to) + 1).filter((tier) => tier !== "active");
  const cached = behind.flatMap((tier) => messagesIn(table, tier));
  const settled = takeAllButNewest(table.unitsOf(messagesIn(table, "active")), targetTokens);
  for (const item of [...cached, ...settled].toSorted(compareAge)) table.move(item, to, { reason: "unchanged" });
}

/** Moves stable files and outlines to the lowest tier if that rewrites no more than their own size. */
function graduate(table: TierTable, first: CachedTier, chosen: ReadonlySet<string>): void {
  const saidTokens = sumItemTokens(messagesIn(table, LOWEST));
  const settled = table.itemsIn("active").filter(({ key, seen, tokens }) => {
    const kind = readItemKind(key);
    if (seen < TIER_THRESHOLDS.active.promotion) return false;
    if (kind === "symbol") return !chosen.has(readItemPath(key));
    return kind === "file" && seen * tokens >= SETTLED_RATIO * saidTokens;
  });
  const others = table.itemsIn(LOWEST).filter(({ key }) => readItemKind(key) !== "history");
  const costTokens = first === LOWEST ? sumItemTokens(others) : 0;
  if (costTokens > sumItemTokens(settled)) return;
  for (const item of settled) table.move(item, LOWEST, { reason: "unchanged" });
}

function messagesIn(table: TierTable, tier: Tier): readonly TrackedItem[] {
  return table
    .itemsIn(tier)
    .filter(({ key }) => readItemKind(key) === "history")
    .toSorted(compareAge);
}

type ChosenFile = Pick<TrackedItem, "key" | "hash">;

/** Removes the outline of a shown file from its tier. It is not moved back when the file is removed. */
export function dropCovered(table: TierTable, files: readonly ChosenFile[]): void {
  for (const { key } of files) {
    const outline = table.find(makeItemKey("symbol", readItemPath(key)));
    if (outline !== undefined && outline.tier !== "active") table.move(outline, "active", { reason: "covered" });
  }
}

/** Returns the tokens of working files before the first changed one; undefined if none changed. */
export function findKeptTokens(table: TierTable, files: readonly ChosenFile[]): number | undefined {
  const now = new Map(files.map(({ key, hash }) => [key, hash]));
  const working = table.itemsIn("active").filter(({ key }) => readItemKind(key) === "file");
  const gone = working.filter(({ key, hash }) => now.get(key) !== hash);
  const come = files.filter(({ key }) => table.find(key) === undefined);
  const [first] = [...gone, ...come].map(({ key }) => key).toSorted();
  if (first === undefined) return undefined;
  return working.reduce((sum, { key, tokens }) => (key < first ? sum + tokens : sum), 0);
}
