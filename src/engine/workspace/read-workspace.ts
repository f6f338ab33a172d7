/** Reads what a workspace shows in the next prompt: limited, placed and counted in steps. */
import type { Head } from "../../core/log/head.ts";
import type { View } from "../../core/log/view.ts";
import type { PlanSettings } from "../../core/plan/plan-settings.ts";
import type { Assembler } from "../../core/prompt/assemble-prompt.ts";
import {
  computeTierTarget,
  DOCUMENT_TIER_RULES,
  TIER_RULES,
  type TierRules,
} from "../../core/prompt/tiers/tier-rules.ts";
import { runInSteps } from "../../ports/run-in-steps.ts";
import type { MessageCounts } from "../context/message-counts.ts";
import type { Limits } from "../context/prompt-size.ts";
import { placeUnmoved, placeWorkspace } from "./place-workspace.ts";
import type {
  FrozenWorkspace,
  GatheredWorkspace,
  PlacedWorkspace,
  WeighedWorkspace,
  WorkspaceChange,
} from "./workspace-content.ts";
import type { WorkspaceContext } from "./workspace-context.ts";

export interface WorkspaceFacts {
  readonly head: Head;
  readonly view: View;
  readonly assembler: Assembler;
  readonly counts: MessageCounts;
  readonly settings: PlanSettings;
  readonly limits: Limits;
}

export async function readWorkspace(
  workspace: WorkspaceContext,
  gathered: GatheredWorkspace,
  { head, view, assembler, counts, settings, limits }: WorkspaceFacts,
): Promise<WeighedWorkspace> {
  const { memo, inherited, isHistoryNew } = workspace;
  await runInSteps(memo.countInSteps(gathered, counts));
  const shown = memo.limit(gathered, { limitTokens: limits.limitTokens, tiers: head.tiers ?? inherited });
  const rules = gathered.isFollowed ? chooseTierRules(settings, limits) : undefined;
  const { tokensOf, tailOf, reuse, layOut } = memo;
  const known = { inherited, isHistoryNew, tokensOf, tailOf, reuse, layOut };
  const placed = placeWorkspace(shown, { head, view, assembler, rules, ...known });
  const { limitTokens } = limits;
  const told = { ...shown, tree: gathered.tree };
  return { ...placed, gathered: shown, told, tokens: await countShown(placed, counts), limitTokens };
}

export async function readFrozenWorkspace(
  frozen: FrozenWorkspace,
  { told, text }: WorkspaceChange,
  { view, assembler, counts }: Pick<WorkspaceFacts, "view" | "assembler" | "counts">,
): Promise<WeighedWorkspace | undefined> {
  const placed = placeUnmoved(frozen.placed, { view, assembler });
  if (placed === undefined) return undefined;
  return { ...placed, gathered: told, told, tokens: await countShown(placed, counts), frozen, change: text };
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
  const targetTokens = computeTierTarget({
    configured: cacheTargetTokens ?? LEAST_TOKENS,
    model: info.cache.minimumTokens,
  });
  return { ...TIER_RULES, targetTokens };
}

/** The smallest prefix that a provider caches. */
const LEAST_TOKENS = 1_024;
