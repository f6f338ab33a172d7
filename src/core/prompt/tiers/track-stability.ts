/** Tracks by hash which content stays unchanged from request to request, so that it comes first in a prompt. */
import type { TrackedItem } from "../../sections/tier.ts";
import {
  type CachedTier,
  readItemKind,
  readItemPath,
  TIERS,
  type TierDelta,
  type TierSnapshot,
} from "../../sections/tier.ts";
import { dropCovered, findKeptTokens, moveChanged } from "./move-changed.ts";
import { chooseGraduates, raiseItems, sinkUnderfilled } from "./raise-items.ts";
import { TIER_THRESHOLDS, type TierRules } from "./tier-rules.ts";
import { type TierMove, TierTable } from "./tier-table.ts";

/** An item that could be shown now, and its content's hash. */
export interface PresentItem extends Pick<TrackedItem, "key" | "hash" | "tokens"> {
  /** False if the item must not be added to the tracked ones, such as the outline of a file that was not chosen. */
  readonly enters: boolean;
  /** Messages of one exchange share this number and a tier. */
  readonly exchange?: number | undefined;
}

export interface TierUpdate {
  readonly items: TierSnapshot;
  readonly moves: readonly TierMove[];
  /** Tiers that a provider has to read again, in prompt order. */
  readonly broken: readonly CachedTier[];
  /** Changes since the last request; undefined if there are none. */
  readonly delta: TierDelta | undefined;
}

/** `purged` lists the tiers from which all history was just removed. */
export function trackStability(
  snapshot: TierSnapshot,
  present: readonly PresentItem[],
  rules: TierRules,
  purged?: readonly CachedTier[],
): TierUpdate {
  const exchanges = new Map(
    present.flatMap(({ key, exchange }) => (exchange === undefined ? [] : [[key, exchange] as const])),
  );
  const table = new TierTable(snapshot, { broken: rules.movesOnlyRewritten ? purged : undefined, exchanges });
  const files = present.filter(({ key }) => readItemKind(key) === "file");
  const chosen = new Set(files.map(({ key }) => readItemPath(key)));
  const seen = compareItems(table, present, chosen);
  const kept = findKeptTokens(table, files);
  if (rules.movesOnlyRewritten) dropCovered(table, files);
  const isOutlineGone = removeGone(table, present, seen.knownCount);
  demoteHistory(table, seen.firstChangedTier);
  for (const item of seen.changedOrActive) ageItem(table, item);
  const hasTailChanged = seen.hasTailChanged || isOutlineGone;
  const keptTokens = hasTailChanged ? 0 : kept;
  if (rules.movesOnlyRewritten) moveChanged(table, { keptTokens, hasTailChanged, chosen, rules });
  else moveByPreset(table, rules, { holdsHistory: purged !== undefined });
  return { items: table.items, moves: table.moves, broken: table.broken, delta: table.delta };
}

/** Follows the preset: items that are old enough rise, and items of small tiers move down. */
function moveByPreset(table: TierTable, rules: TierRules, { holdsHistory }: { readonly holdsHistory: boolean }): void {
  raiseItems(table, chooseGraduates(table, holdsHistory ? { ...rules, targetTokens: 0 } : rules), rules);
  sinkUnderfilled(table, rules);
}

/** Removes items that are gone. Returns whether one of them was an active outline. */
function removeGone(table: TierTable, present: readonly PresentItem[], knownCount: number): boolean {
  if (knownCount === table.size) return false;
  const keys = new Set(present.map(({ key }) => key));
  const gone = table.items.filter(({ key }) => !keys.has(key));
  for (const item of gone) table.remove(item, "gone");
  return gone.some(({ key, tier }) => tier === "active" && readItemKind(key) === "symbol");
}

interface ItemComparison {
  readonly knownCount: number;
  /** Items that are new, changed or active. */
  readonly changedOrActive: readonly PresentItem[];
  /** Index of the first tier with a message that is shown differently now. */
  readonly firstChangedTier: number;
  /** Whether the content between the tiers and the working files changed. */
  readonly hasTailChanged: boolean;
}

function compareItems(table: TierTable, present: readonly PresentItem[], chosen: ReadonlySet<string>): ItemComparison {
  const isFirst = table.size === 0;
  const changedOrActive: PresentItem[] = [];
  let knownCount = 0;
  let firstChangedTier: number = TIERS.length;
  let hasTailChanged = false;
  for (const item of present) {
    const { key, hash } = item;
    const known = table.find(key);
    if (known !== undefined) knownCount += 1;
    if (known?.hash === hash && known.tier !== "active") continue;
    changedOrActive.push(item);
    if (known?.hash === hash) continue;
    const kind = readItemKind(key);
    if (known === undefined) hasTailChanged ||= kind === "symbol" && !isFirst && !chosen.has(readItemPath(key));
    else if (known.tier === "active")
      hasTailChanged ||= kind === "tail" || (kind === "symbol" && !chosen.has(readItemPath(key)));
    else if (kind === "history") firstChangedTier = Math.min(firstChangedTier, TIERS.indexOf(known.tier));
  }
  return { knownCount, changedOrActive, firstChangedTier, hasTailChanged };
}

/** Moves history out of the tier of the first changed message and all later tiers, because it must stay in order. */
function demoteHistory(table: TierTable, firstChangedTier: number): void {
  for (const tier of TIERS.slice(firstChangedTier)) {
    if (tier === "active") return;
    for (const item of table.itemsIn(tier)) {
      if (readItemKind(item.key) === "history") table.move(item, "active", { reason: "changed" });
    }
  }
}

function ageItem(table: TierTable, { key, hash, tokens, enters }: PresentItem): void {
  const known = table.find(key);
  if (known === undefined) {
    if (enters) table.move({ key, tier: "active", seen: 0, hash, tokens }, "active", { reason: "placed" });
    return;
  }
  // The first content of a seeded outline is not a change.
  if (known.hash === "" && hash !== "" && readItemKind(key) === "symbol") {
    table.replace({ ...known, hash, tokens });
    return;
  }
  if (known.hash !== hash) {
    if (known.tier === "active") table.change({ ...known, hash, tokens, seen: 0 });
    else table.move({ ...known, hash, tokens }, "active", { reason: "changed" });
    return;
  }
  if (known.tier !== "active") return;
  const kind = readItemKind(key);
  // There can be thousands of outlines, so those that are old enough do not age further.
  const hasWaited = kind === "symbol" && known.seen >= TIER_THRESHOLDS.active.promotion;
  if (kind === "history" || kind === "tail" || hasWaited) return;
  table.replace({ ...known, tokens, seen: known.seen + 1 });
}

/** Removes all history from the tiers after a summary, a truncation or a clear. Files and outlines stay. */
export function purgeHistory(snapshot: TierSnapshot): TierUpdate {
  const table = new TierTable(snapshot);
  for (const item of table.items) if (readItemKind(item.key) === "history") table.remove(item, "purged");
  return { items: table.items, moves: table.moves, broken: table.broken, delta: table.delta };
}
