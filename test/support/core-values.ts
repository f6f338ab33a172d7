/** Values of core for tests: views, tracked items of tiers, triggers, policies and facts. */
import type { MessageEntry } from "../../src/core/log/entry.ts";
import { foldEntries, foldEpochEntry } from "../../src/core/log/fold-entry.ts";
import type { Head } from "../../src/core/log/head.ts";
import { buildView, type View } from "../../src/core/log/view.ts";
import type { Message } from "../../src/core/message/message.ts";
import type { Change } from "../../src/core/plan/proposal.ts";
import type { RatioTrigger } from "../../src/core/plan/triggers/trigger.ts";
import { TIER_THRESHOLDS } from "../../src/core/prompt/tiers/tier-rules.ts";
import type { PresentItem, TierUpdate } from "../../src/core/prompt/tiers/track-stability.ts";
import type { Tier, TrackedItem } from "../../src/core/sections/tier.ts";
import { extractFactsInSteps } from "../../src/core/summary/facts/extract-facts.ts";
import type { FactSheet } from "../../src/core/summary/record/record.ts";
import { countMessage } from "../../src/core/tokens/count-message.ts";
import { runSteps } from "../../src/core/tokens/count-text.ts";
import { charsOverFour } from "../../src/core/tokens/rough-counters.ts";
import type { PolicyInput, PolicySettings } from "../../src/policies/policy-input.ts";
import { readLayer } from "../../src/policies/policy-layer.ts";
import { chooseSettings, resolveLayers } from "../../src/policies/resolve-layers.ts";

export const countByCharacters = (message: Message): number => countMessage(message, charsOverFour);

/**
 * Builds the view of messages after changes, counted at four characters a token. Messages get the seqs 1, 2, 3, …, and
 * changes the ids `e0`, `e1`, ….
 */
export function viewOf(messages: readonly Message[], ...changes: readonly Change[]): View {
  const entries = messages.map(
    (message, index): MessageEntry => ({
      type: "message",
      id: message.id,
      seq: index + 1,
      at: 0,
      message,
      hash: "",
      tokens: {},
    }),
  );
  const head = changes.reduce<Head>(
    (folded, change) => foldEpochEntry(folded, { ...change, id: `e${folded.epoch}`, at: 0, epoch: folded.epoch + 1 }),
    foldEntries(entries),
  );
  return buildView(head, entries, { count: countByCharacters });
}

export function aFile(name: string, changes: Partial<PresentItem> = {}): PresentItem {
  return { key: `file:${name}`, hash: name, tokens: 400, enters: true, ...changes };
}

export function saidAt(seq: number, tokens = 300): PresentItem {
  return { key: `history:${seq}`, hash: `${seq}`, tokens, enters: true };
}

/** Creates a tracked item with the least age of its tier. */
export function createTrackedItem(key: string, tier: Tier, changes: Partial<TrackedItem> = {}): TrackedItem {
  const hash = key.slice(key.indexOf(":") + 1);
  return { key, tier, seen: TIER_THRESHOLDS[tier].entry, hash, tokens: 400, ...changes };
}

export function toPresentItem({ key, hash, tokens }: TrackedItem): PresentItem {
  return { key, hash, tokens, enters: true };
}

/** Describes items by key, such as "L3 4": the tier, and how often the item was seen unchanged. */
export function placesOf({ items }: Pick<TierUpdate, "items">): Readonly<Record<string, string>> {
  return Object.fromEntries(items.map(({ key, tier, seen }) => [key, `${tier} ${seen}`]));
}

/** The ratio trigger with the defaults of its document. */
export const RATIO: RatioTrigger = {
  type: "ratio",
  of: "window",
  triggerRatio: 0.8,
  resetRatio: 0.7,
  minMessages: 12,
  cooldownMessages: 4,
  maxSummaryChainDepth: 3,
  onDepthCap: "stop",
};

export interface ResolveOptions {
  /** Model of the settings. Default: settings for any model. */
  readonly model?: string | undefined;
}

export function resolvePolicy(input: PolicyInput = "default", { model }: ResolveOptions = {}): PolicySettings {
  return chooseSettings(resolveLayers([readLayer(input)]), model);
}

export function extractFacts(messages: readonly Message[]): FactSheet {
  return runSteps(extractFactsInSteps(messages));
}
