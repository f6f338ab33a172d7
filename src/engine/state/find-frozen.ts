/**
 * A workspace stands before the history, so every change of it costs all thinking of a model that binds thinking to
 * what stood before. While such thinking is sent, the workspace stays as a prompt has placed it, and what changes is
 * told in notes behind the newest message. It is placed again after a compaction, when the provider's cache is cold, and
 * where no thinking would be lost or the prompt would be too large.
 */
import { changesView } from "../../core/plan/adapt-settings.ts";
import type { PlanSettings } from "../../core/plan/plan-settings.ts";
import { hasThinking } from "../../core/prompt/walk-thinking.ts";
import { describeChanges } from "../../core/prompt/workspace/describe-changes.ts";
import type { PromptRequest } from "../context/prompt-request.ts";
import type { Limits } from "../context/prompt-size.ts";
import { runInSteps } from "../context/run-in-steps.ts";
import type { FrozenWorkspace, GatheredWorkspace, WorkspaceChange } from "../workspace/workspace-content.ts";
import type { Conversation } from "./conversation.ts";
import type { SessionState } from "./session-state.ts";

interface FreezingFacts {
  readonly limits: Limits;
  readonly settings: PlanSettings;
  readonly request: PromptRequest;
}

/** The workspace as the newest prompt has shown it, where the next one is to show it so too. */
export function findFrozen(
  { workspace, context }: SessionState,
  conversation: Conversation,
  { limits, settings, request }: FreezingFacts,
): FrozenWorkspace | undefined {
  const { frozen, isHistoryNew } = workspace;
  const { head } = conversation;
  const last = head.requests.at(-1);
  if (frozen === undefined || isHistoryNew || changesView(settings)) return;
  // A fork has handed out no prompt yet, and goes on from the newest one of its origin.
  if (last !== undefined && last.promptId !== frozen.promptId) return;
  const isBound = limits.info.bindsThinking && (request.model ?? limits.model) !== undefined;
  const isCold = context.clock.now() - frozen.at > limits.info.cache.ttlMs;
  const isFolded = (last?.viewEpoch ?? 0) < head.compactedEpoch;
  const isTold = conversation.countChangesSince(frozen.sincePromptId) === frozen.noteCount;
  if (!isBound || isCold || isFolded || !isTold) return;
  return conversation.view.messages.some(({ message }) => hasThinking(message)) ? frozen : undefined;
}

export async function findChange(
  { workspace, counts }: SessionState,
  gathered: GatheredWorkspace,
  { told, placed }: FrozenWorkspace,
): Promise<WorkspaceChange> {
  const { memo } = workspace;
  await runInSteps(memo.countInSteps(gathered, counts));
  const { limitTokens } = placed;
  const limited = memo.limit(gathered, { limitTokens, tiers: placed.update?.items });
  // A path that is beyond those that are listed is there all the same.
  const now = { ...limited, tree: gathered.tree };
  return { told: now, text: describeChanges(told, now) };
}
