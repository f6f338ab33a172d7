/**
 * Lets only that move which a provider has to read anew in any case. From the first tier on whose text is another one
 * everything is written again: what was said is put there, because it never changes, and what changes is left behind it.
 * Where only working files have changed, what was said since is put before them once that is worth it. Nothing rises
 * into a tier that could stay as it is, and nothing sinks out of one.
 */
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
import { allButNewest } from "./raise-items.ts";
import { LADDER, type TierRules } from "./tier-rules.ts";
import { byAge, sumTokens, type TierTable } from "./tier-table.ts";

const [LOWEST] = CACHED_TIERS_UPWARDS;
/** What was said is put before working files that are unchanged and at most so many times as large. */
const PASSED_RATIO = 2;
/** A file that was left alone for so long is not likely to be edited before its place has paid for itself. */
const SETTLED_RATIO = 4;

export interface Rewritten {
  /** Of the working files before the first one that is another now; undefined where none is. */
  readonly keptTokens: number | undefined;
  /** Whether what stands before the working files is another text, so that all of them are read anew. */
  readonly isTailOther: boolean;
  /** Paths of files that are shown as their text, so that their outlines are not. */
  readonly chosen: ReadonlySet<string>;
  readonly rules: TierRules;
}

export function moveRewritten(table: TierTable, { keptTokens, isTailOther, chosen, rules }: Rewritten): void {
  const [first] = table.broken;
  if (first !== undefined) {
    moveHistory(table, first, rules);
    graduate(table, first, chosen);
  } else if (keptTokens !== undefined) {
    if (isTailOther) graduate(table, LOWEST, chosen);
    const saidTokens = sumTokens(messagesIn(table, "active"));
    if (saidTokens * PASSED_RATIO >= keptTokens) moveHistory(table, LOWEST, rules);
  }
}

function moveHistory(table: TierTable, to: CachedTier, { targetTokens }: TierRules): void {
  if (targetTokens === 0) return;
  const behind = TIERS.slice(TIERS.indexOf(to) + 1).filter((tier) => tier !== "active");
  const cached = behind.flatMap((tier) => messagesIn(table, tier));
  const settled = allButNewest(table.unitsOf(messagesIn(table, "active")), targetTokens);
  for (const item of [...cached, ...settled].toSorted(byAge)) table.move(item, to, { reason: "unchanged" });
}

/** Files and outlines that have settled leave for the lowest tier where that writes no more than they are. */
function graduate(table: TierTable, first: CachedTier, chosen: ReadonlySet<string>): void {
  const saidTokens = sumTokens(messagesIn(table, LOWEST));
  const settled = table.itemsIn("active").filter(({ key, seen, tokens }) => {
    const kind = readItemKind(key);
    if (seen < LADDER.active.promotion) return false;
    if (kind === "symbol") return !chosen.has(readItemPath(key));
    return kind === "file" && seen * tokens >= SETTLED_RATIO * saidTokens;
  });
  const others = table.itemsIn(LOWEST).filter(({ key }) => readItemKind(key) !== "history");
  const costTokens = first === LOWEST ? sumTokens(others) : 0;
  if (costTokens > sumTokens(settled)) return;
  for (const item of settled) table.move(item, LOWEST, { reason: "unchanged" });
}

function messagesIn(table: TierTable, tier: Tier): readonly TrackedItem[] {
  return table
    .itemsIn(tier)
    .filter(({ key }) => readItemKind(key) === "history")
    .toSorted(byAge);
}

// What a chosen file changes in the order that a provider knows. Its outline is not shown while it is itself, so the
// tier that holds the outline has another text; and working files are one text, which is another one from the first
// file on that is.
/** A file that is chosen now, and what it holds. */
type ChosenFile = Pick<TrackedItem, "key" | "hash">;

/** The outline of a file that is shown leaves its tier, and is not put back there when the file goes. */
export function dropCovered(table: TierTable, files: readonly ChosenFile[]): void {
  for (const { key } of files) {
    const outline = table.find(makeItemKey("symbol", readItemPath(key)));
    if (outline !== undefined && outline.tier !== "active") table.move(outline, "active", { reason: "covered" });
  }
}

/** Tokens of the working files before the first one that is another now; undefined where all are as they were. */
export function findKeptTokens(table: TierTable, files: readonly ChosenFile[]): number | undefined {
  const now = new Map(files.map(({ key, hash }) => [key, hash]));
  const working = table.itemsIn("active").filter(({ key }) => readItemKind(key) === "file");
  const gone = working.filter(({ key, hash }) => now.get(key) !== hash);
  const come = files.filter(({ key }) => table.find(key) === undefined);
  const [first] = [...gone, ...come].map(({ key }) => key).toSorted();
  if (first === undefined) return undefined;
  return working.reduce((sum, { key, tokens }) => (key < first ? sum + tokens : sum), 0);
}
