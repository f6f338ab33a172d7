/**
 * Follows what stays as it is from request to request, so that a prompt can show the oldest first. One request is one
 * step: what is gone leaves, what changed falls back, what stayed the same ages, and what has aged enough rises.
 *
 * It knows keys, hashes and sizes only; what the items say, and how a prompt shows them, is not its concern.
 */

import {
  type CachedTier,
  readItemKind,
  readItemPath,
  TIERS,
  type TierDelta,
  type TierSnapshot,
} from "../../sections/tier.ts";
import { dropCovered, findKeptTokens, moveRewritten } from "./move-changed.ts";
import { cascade, chooseGraduates, sinkUnderfilled } from "./raise-items.ts";
import { LADDER, type TierRules } from "./tier-rules.ts";
import { type TierMove, TierTable } from "./tier-table.ts";

/** Something that could be shown now, and what it holds. */
export interface PresentItem {
  readonly key: string;
  readonly hash: string;
  readonly tokens: number;
  /** False for what is followed only where it is followed already, such as the outline of a file that nobody chose. */
  readonly enters: boolean;
  /** Of a message: what belongs to the same exchange has the same, and stands in the same tier. */
  readonly exchange?: number | undefined;
}

export interface TierUpdate {
  readonly items: TierSnapshot;
  readonly moves: readonly TierMove[];
  /** Tiers that a provider has to read anew, in the order of the prompt. */
  readonly broken: readonly CachedTier[];
  /** What is other than before; undefined where nothing is. */
  readonly delta: TierDelta | undefined;
}

/** `purged`: all history has left its tiers and is registered again, in none of them. */
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
  const seen = lookOver(table, present, chosen);
  const kept = findKeptTokens(table, files);
  if (rules.movesOnlyRewritten) dropCovered(table, files);
  const isOutlineGone = removeGone(table, present, seen.knownCount);
  demoteHistory(table, seen.firstTouched);
  for (const item of seen.restless) age(table, item);
  const isTailOther = seen.isTailOther || isOutlineGone;
  const keptTokens = isTailOther ? 0 : kept;
  if (rules.movesOnlyRewritten) moveRewritten(table, { keptTokens, isTailOther, chosen, rules });
  else climb(table, rules, { holdsHistory: purged !== undefined });
  return { items: table.items, moves: table.moves, broken: table.broken, delta: table.delta };
}

/** As the document has it: what has aged enough rises, and what is too little for a tier sinks. */
function climb(table: TierTable, rules: TierRules, { holdsHistory }: { readonly holdsHistory: boolean }): void {
  cascade(table, chooseGraduates(table, holdsHistory ? { ...rules, targetTokens: 0 } : rules), rules);
  sinkUnderfilled(table, rules);
}

/** True where an outline is gone that stood behind the tiers. */
function removeGone(table: TierTable, present: readonly PresentItem[], knownCount: number): boolean {
  if (knownCount === table.size) return false;
  const keys = new Set(present.map(({ key }) => key));
  const gone = table.items.filter(({ key }) => !keys.has(key));
  for (const item of gone) table.remove(item, "gone");
  return gone.some(({ key, tier }) => tier === "active" && readItemKind(key) === "symbol");
}

interface Seen {
  readonly knownCount: number;
  /** Those that are new, say something else or are getting older: few of thousands. */
  readonly restless: readonly PresentItem[];
  /** The place among the tiers of the first one that holds a message which is shown otherwise than before. */
  readonly firstTouched: number;
  /** Whether what stands between the tiers and the working files is another text. */
  readonly isTailOther: boolean;
}

function lookOver(table: TierTable, present: readonly PresentItem[], chosen: ReadonlySet<string>): Seen {
  const isFirst = table.size === 0;
  const restless: PresentItem[] = [];
  let knownCount = 0;
  let firstTouched: number = TIERS.length;
  let isTailOther = false;
  for (const item of present) {
    const { key, hash } = item;
    const known = table.find(key);
    if (known !== undefined) knownCount += 1;
    if (known?.hash === hash && known.tier !== "active") continue;
    restless.push(item);
    if (known?.hash === hash) continue;
    const kind = readItemKind(key);
    if (known === undefined) isTailOther ||= kind === "symbol" && !isFirst && !chosen.has(readItemPath(key));
    else if (known.tier === "active")
      isTailOther ||= kind === "tail" || (kind === "symbol" && !chosen.has(readItemPath(key)));
    else if (kind === "history") firstTouched = Math.min(firstTouched, TIERS.indexOf(known.tier));
  }
  return { knownCount, restless, firstTouched, isTailOther };
}

/**
 * A message that is shown otherwise than before, such as a pruned one, leaves its tier with all history from there on,
 * so that history stays in its order. Where the tier is written anew for that, it comes back at once.
 */
function demoteHistory(table: TierTable, firstTouched: number): void {
  for (const tier of TIERS.slice(firstTouched)) {
    if (tier === "active") return;
    for (const item of table.itemsIn(tier)) {
      if (readItemKind(item.key) === "history") table.move(item, "active", { reason: "changed" });
    }
  }
}

function age(table: TierTable, { key, hash, tokens, enters }: PresentItem): void {
  const known = table.find(key);
  if (known === undefined) {
    if (enters) table.move({ key, tier: "active", seen: 0, hash, tokens }, "active", { reason: "placed" });
    return;
  }
  // What was placed before it was read takes its first content without falling.
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
  // There are thousands of outlines: those that have waited long enough do not go on counting.
  const hasWaited = kind === "symbol" && known.seen >= LADDER.active.promotion;
  if (kind === "history" || kind === "tail" || hasWaited) return;
  table.replace({ ...known, tokens, seen: known.seen + 1 });
}

// What happens to the tiers when the past of the view changes: a summary, a truncation or a clearing takes all history
// out, and what is left of it begins anew. Files and outlines stay where they are.
export function purgeHistory(snapshot: TierSnapshot): TierUpdate {
  const table = new TierTable(snapshot);
  for (const item of table.items) if (readItemKind(item.key) === "history") table.remove(item, "purged");
  return { items: table.items, moves: table.moves, broken: table.broken, delta: table.delta };
}
