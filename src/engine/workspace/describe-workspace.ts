/** Describes the workspace of a prompt for its report: tiers, their contents and age, and what has moved. */
import type { PromptId } from "../../core/log/entry.ts";
import type { PlanTier } from "../../core/plan/plan.ts";
import { LADDER } from "../../core/prompt/tiers/tier-rules.ts";
import type { TierMove } from "../../core/prompt/tiers/tier-table.ts";
import { type CachedTier, readItemKind, TIERS, type TierSnapshot } from "../../core/sections/tier.ts";
import type { FrozenWorkspace, GatheredWorkspace, ShedFile, WeighedWorkspace } from "./workspace-content.ts";

export interface WorkspaceReport {
  readonly tokens: number;
  /** Contents of each tier; undefined where nothing is tracked and the order is flat. */
  readonly tiers: readonly PlanTier[] | undefined;
  /** Parts that changed their tier since the last prompt. */
  readonly moves: readonly TierMove[];
  /** Tiers that the provider has to read again. */
  readonly broken: readonly CachedTier[];
  /** Selected files that were left out to make the prompt fit. */
  readonly shed: readonly ShedFile[];
  /** Selected files that no longer exist, or may not be shown. */
  readonly gone: readonly string[];
  /** Number of outlines that are hidden because the repository is large. */
  readonly hiddenOutlines: number;
  /** Set while the files stay as an earlier prompt placed them, because moving them would cost thinking. */
  readonly frozen: FrozenReport | undefined;
}

export interface FrozenReport {
  readonly sincePromptId: PromptId;
  /** Files that changed or disappeared since; a note after the newest message says so. */
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

/** Returns the tiers that are not empty, in prompt order. */
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
