/** A workspace's part of a prompt for whoever looks at one: what stands where and how old it is, and what has moved. */
import type { PromptId } from "../../core/log/entry.ts";
import type { PlanTier } from "../../core/plan/plan.ts";
import { LADDER } from "../../core/prompt/tiers/tier-rules.ts";
import type { TierMove } from "../../core/prompt/tiers/tier-table.ts";
import { type CachedTier, readItemKind, TIERS, type TierSnapshot } from "../../core/sections/tier.ts";
import type { FrozenWorkspace, GatheredWorkspace, ShedFile, WeighedWorkspace } from "./workspace-content.ts";

export interface WorkspaceReport {
  readonly tokens: number;
  /** What stands where; undefined where nothing is followed and the order is flat. */
  readonly tiers: readonly PlanTier[] | undefined;
  /** What has changed its tier since the prompt before. */
  readonly moves: readonly TierMove[];
  /** Tiers that the provider has to read anew. */
  readonly broken: readonly CachedTier[];
  /** Chosen files that were left out, because the prompt would have been too large. */
  readonly shed: readonly ShedFile[];
  /** Chosen files that are there no more, or may not be shown. */
  readonly gone: readonly string[];
  /** Outlines that are not shown, because the repository is large. */
  readonly hiddenOutlines: number;
  /** Set while thinking is sent that a change of the files would cost: they stay as an earlier prompt placed them. */
  readonly frozen: FrozenReport | undefined;
}

export interface FrozenReport {
  /** The prompt that placed the files. */
  readonly sincePromptId: PromptId;
  /** Files that have changed since or are no longer shown; a note behind the newest message says so. */
  readonly outdated: readonly string[];
}

export function describeWorkspace({ update, gathered, tokens, frozen }: WeighedWorkspace): WorkspaceReport {
  return {
    tokens,
    get tiers() {
      return update === undefined ? undefined : describeTiers(update.items);
    },
    moves: update?.moves ?? [],
    broken: update?.broken ?? [],
    shed: gathered.shed,
    gone: gathered.gone,
    hiddenOutlines: gathered.hiddenOutlines,
    frozen: frozen && describeFrozen(frozen, gathered),
  };
}

function describeFrozen({ sincePromptId, placed }: FrozenWorkspace, now: GatheredWorkspace): FrozenReport {
  const hashes = new Map(now.files.map(({ path, hash }) => [path, hash]));
  const outdated = placed.gathered.files.filter(({ path, hash }) => hashes.get(path) !== hash);
  return { sincePromptId, outdated: outdated.map(({ path }) => path) };
}

/** Those that hold something, in the order of the prompt. */
export function describeTiers(items: TierSnapshot): readonly PlanTier[] {
  return TIERS.map((tier) => {
    const held = items.filter((item) => item.tier === tier && readItemKind(item.key) !== "tail");
    return {
      tier,
      tokens: held.reduce((sum, item) => sum + item.tokens, 0),
      items: held.map(({ key, seen, tokens }) => ({
        key,
        seen,
        risesAt: tier === "L0" ? undefined : LADDER[tier].promotion,
        tokens,
      })),
    };
  }).filter(({ items: held }) => held.length > 0);
}
