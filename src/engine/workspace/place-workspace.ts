/** Places a workspace in a prompt: moves its parts through the cache tiers by one step, and lays out messages. */

import type { Head } from "../../core/log/head.ts";
import type { View } from "../../core/log/view.ts";
import { hashMessage } from "../../core/message/hash-message.ts";
import type { Message } from "../../core/message/message.ts";
import type { PlanSettings } from "../../core/plan/plan-settings.ts";
import type { Assembler } from "../../core/prompt/assemble-prompt.ts";
import { seedTiers } from "../../core/prompt/tiers/seed-tiers.ts";
import {
  computeTierTarget,
  DOCUMENT_TIER_RULES,
  TIER_RULES,
  type TierRules,
} from "../../core/prompt/tiers/tier-rules.ts";
import {
  type PresentItem,
  purgeHistory,
  type TierUpdate,
  trackStability,
} from "../../core/prompt/tiers/track-stability.ts";
import { layOutHistory, type WorkspaceTexts } from "../../core/prompt/workspace/lay-out-workspace.ts";
import { groupHistory, type HistoryGroup, orderPrompt } from "../../core/prompt/workspace/order-history.ts";
import { diffTiers, makeItemKey, readItemKind, TIERS, type TierSnapshot } from "../../core/sections/tier.ts";
import { runInSteps } from "../../ports/run-in-steps.ts";
import type { WorkspaceOutline } from "../../ports/workspace.ts";
import type { MessageCounts } from "../context/message-counts.ts";
import type { Limits } from "../context/prompt-request.ts";
import type {
  FrozenWorkspace,
  GatheredWorkspace,
  PlacedWorkspace,
  PlaceName,
  PromptPlace,
  WeighedWorkspace,
  WorkspaceChange,
} from "./workspace-content.ts";
import type { WorkspaceContext } from "./workspace-context.ts";
import type { WorkspaceMemo } from "./workspace-memo.ts";

interface PlaceOptions extends WorkspaceFacts {
  readonly workspace: WorkspaceContext;
  /** Undefined for a flat order. */
  readonly rules: TierRules | undefined;
}

function placeWorkspace(shown: GatheredWorkspace, options: PlaceOptions): PlacedWorkspace {
  const { rules, workspace } = options;
  const groups = groupViewHistory(options);
  const update = rules && track(shown, { ...options, groups, rules });
  const texts = workspace.memo.layOut(shown, update?.items);
  const system = texts.system === undefined ? undefined : workspace.memo.reuse(systemMessage(texts.system));
  const { L0, L1, L2, L3 } = texts.tiers;
  const messages = [...L0, ...L1, ...L2, ...L3, ...texts.uncached];
  const places = layOutPlaces(texts, groups, update?.items);
  return { update, texts, system, places, shown: system === undefined ? messages : [system, ...messages] };
}

type ShownView = Pick<WorkspaceFacts, "view" | "assembler">;

/** Places the same workspace around another view. Its parts do not move, so their tokens stay the same. */
export function placeAround<Placed extends PlacedWorkspace>(placed: Placed, shown: ShownView): Placed {
  return { ...placed, places: layOutPlaces(placed.texts, groupViewHistory(shown), placed.update?.items) };
}

/** Places the workspace without moves around newer messages; undefined if history would be out of order. */
export function placeUnmoved<Placed extends PlacedWorkspace>(placed: Placed, shown: ShownView): Placed | undefined {
  const items = placed.update?.items;
  if (items !== undefined && !isInOrder(items, groupViewHistory(shown))) return undefined;
  const update = items && { items, moves: [], broken: [], delta: undefined };
  return placeAround({ ...placed, update }, shown);
}

function groupViewHistory({ view, assembler }: ShownView): readonly HistoryGroup[] {
  const seqs = new Map([...view.kept, ...view.messages].map(({ shown, seq }) => [shown, seq]));
  return groupHistory(assembler.items, (message) => seqs.get(message));
}

const TAIL_KEY = makeItemKey("tail", "");

interface TrackOptions extends PlaceOptions {
  readonly groups: readonly HistoryGroup[];
  readonly rules: TierRules;
}

function track(shown: GatheredWorkspace, { head, groups, rules, workspace }: TrackOptions): TierUpdate {
  const { movesOnlyRewritten } = rules;
  const { memo, inherited, isHistoryNew } = workspace;
  const present = [
    ...presentFiles(shown, memo, movesOnlyRewritten),
    ...(movesOnlyRewritten ? [{ key: TAIL_KEY, hash: shortenHash(memo.tailOf(shown)), tokens: 0, enters: true }] : []),
    ...presentHistory(groups),
  ];
  if (head.tiers === undefined) {
    const update = trackStability(inherited ?? seedTiers(shown.outlines, rules), present, rules);
    return { ...update, delta: diffTiers([], update.items) };
  }
  const last = head.requests.at(-1);
  // A fold or an undo takes all history out of the tiers; what is left starts over.
  const isFolded = last !== undefined && last.viewEpoch < head.compactedEpoch;
  if (!isFolded && !isHistoryNew && isInOrder(head.tiers, groups)) return trackStability(head.tiers, present, rules);
  const purged = purgeHistory(head.tiers);
  const update = trackStability(purged.items, present, rules, purged.broken);
  const all = new Set([...purged.broken, ...update.broken]);
  const broken = (["L0", "L1", "L2", "L3"] as const).filter((tier) => all.has(tier));
  const delta = diffTiers(head.tiers, update.items);
  return { ...update, moves: [...purged.moves, ...update.moves], broken, delta };
}

/** Whether history is in order, tier by tier, with no exchange in two of them. */
function isInOrder(tiers: TierSnapshot, groups: readonly HistoryGroup[]): boolean {
  const history = tiers.filter(({ key }) => readItemKind(key) === "history");
  const tierOf = new Map(history.map(({ key, tier }) => [key, TIERS.indexOf(tier)]));
  const places = groups.map(({ seq, exchange }) => {
    return { exchange, place: tierOf.get(makeItemKey("history", seq)) ?? TIERS.length - 1 };
  });
  return places.every(({ exchange, place }, index) => {
    const before = places[index - 1] ?? { exchange: undefined, place: 0 };
    return exchange === before.exchange ? place === before.place : place >= before.place;
  });
}

function presentFiles(
  { files, outlines }: GatheredWorkspace,
  { tokensOf }: WorkspaceMemo,
  everyOutline: boolean,
): readonly PresentItem[] {
  const chosen = new Set(files.map(({ path }) => path));
  const shown = files.map((file) => {
    return { key: makeItemKey("file", file.path), hash: shortenHash(file.hash), tokens: tokensOf(file), enters: true };
  });
  // The document tracks the outlines of selected files, and those that it has placed itself.
  const tracked = outlines.map((outline) =>
    presentOutline(outline, tokensOf(outline), everyOutline || chosen.has(outline.path)),
  );
  return [...shown, ...tracked];
}

const presentOutlines = new WeakMap<WorkspaceOutline, PresentItem>();

/** Cached, because there are thousands of outlines and they seldom change. */
function presentOutline(outline: WorkspaceOutline, tokens: number, enters: boolean): PresentItem {
  const known = presentOutlines.get(outline);
  if (known?.tokens === tokens && known.enters === enters) return known;
  const present = { key: makeItemKey("symbol", outline.path), hash: shortenHash(outline.hash), tokens, enters };
  presentOutlines.set(outline, present);
  return present;
}

/** Shortens a hash, because each session keeps thousands; it still distinguishes texts. */
function shortenHash(hash: string): string {
  return hash.slice(0, 16);
}

/** Leaves out the newest exchange and open ones, which are not history yet. */
function presentHistory(groups: readonly HistoryGroup[]): readonly PresentItem[] {
  const newest = groups.at(-1)?.exchange;
  const open = new Set(groups.flatMap(({ isClosed, exchange }) => (isClosed ? [] : [exchange])));
  return groups
    .filter(({ exchange }) => exchange !== newest && !open.has(exchange))
    .map(({ seq, messages, tokens, exchange }) => ({
      key: makeItemKey("history", seq),
      exchange,
      hash: messages.map((message) => shortenHash(hashMessageOnce(message))).join(" "),
      tokens,
      enters: true,
    }));
}

const hashes = new WeakMap<Message, string>();

/** Hashes a message once. The message must not change afterwards. */
export function hashMessageOnce(message: Message): string {
  const known = hashes.get(message) ?? hashMessage(message);
  hashes.set(message, known);
  return known;
}

function systemMessage(text: string): Message {
  return { id: "workspace-system", role: "system", parts: [{ type: "text", text }] };
}

function layOutPlaces(
  texts: WorkspaceTexts,
  groups: readonly HistoryGroup[],
  tiers: TierSnapshot | undefined,
): readonly PromptPlace[] {
  const places = new Map<PlaceName, Message[]>();
  for (const { tier, kind, message } of orderPrompt(layOutHistory(texts, tiers), groups)) {
    const name = tier === "active" ? kind : tier;
    const place = places.get(name) ?? [];
    places.set(name, place);
    place.push(message);
  }
  return [...places].map(([name, messages]) => ({ name, messages }));
}

export interface WorkspaceFacts {
  readonly head: Head;
  readonly view: View;
  readonly assembler: Assembler;
  readonly counts: MessageCounts;
  readonly settings: PlanSettings;
  readonly limits: Limits;
}

/** Reads what a workspace shows in the next prompt: limited, placed and counted in steps. */
export async function readWorkspace(
  workspace: WorkspaceContext,
  gathered: GatheredWorkspace,
  facts: WorkspaceFacts,
): Promise<WeighedWorkspace> {
  const { head, counts, settings, limits } = facts;
  const { limitTokens } = limits;
  const { memo, inherited } = workspace;
  await runInSteps(memo.countInSteps(gathered, counts));
  const shown = memo.limit(gathered, { limitTokens, tiers: head.tiers ?? inherited });
  const rules = gathered.isFollowed ? chooseTierRules(settings, limits) : undefined;
  const placed = placeWorkspace(shown, { ...facts, workspace, rules });
  const current = { ...shown, tree: gathered.tree };
  return { ...placed, gathered: shown, current, tokens: await countShown(placed, counts), limitTokens };
}

export async function readFrozenWorkspace(
  frozen: FrozenWorkspace,
  { current, text }: WorkspaceChange,
  { view, assembler, counts }: Pick<WorkspaceFacts, "view" | "assembler" | "counts">,
): Promise<WeighedWorkspace | undefined> {
  const placed = placeUnmoved(frozen.placed, { view, assembler });
  if (placed === undefined) return undefined;
  return { ...placed, gathered: current, current, tokens: await countShown(placed, counts), frozen, change: text };
}

async function countShown({ shown }: PlacedWorkspace, counts: MessageCounts): Promise<number> {
  for (const message of shown) await runInSteps(counts.countInSteps(message));
  return shown.reduce((sum, message) => sum + counts.count(message), 0);
}

function chooseTierRules({ cacheTiers, cacheTargetTokens }: PlanSettings, { info }: Limits): TierRules | undefined {
  if (cacheTiers === "off") return undefined;
  if (cacheTiers === "document") {
    return { ...DOCUMENT_TIER_RULES, targetTokens: cacheTargetTokens ?? DOCUMENT_TIER_RULES.targetTokens };
  }
  if (cacheTargetTokens === 0) return { ...TIER_RULES, targetTokens: 0 };
  const configured = cacheTargetTokens ?? MIN_TOKENS;
  return { ...TIER_RULES, targetTokens: computeTierTarget({ configured, model: info.cache.minimumTokens }) };
}

const MIN_TOKENS = 1_024;
