/**
 * Freezes a workspace for models that bind thinking, because a change before the history would invalidate it. Notes
 * after the newest message describe changes until the workspace is placed again.
 */
import { changesView } from "../../core/plan/adapt-settings.ts";
import type { PlanSettings } from "../../core/plan/plan-settings.ts";
import { hasThinking } from "../../core/prompt/walk-thinking.ts";
import { describeChanges } from "../../core/prompt/workspace/describe-changes.ts";
import { runInSteps } from "../../ports/run-in-steps.ts";
import type { PromptRequest } from "../context/prompt-request.ts";
import type { Limits } from "../context/prompt-size.ts";
import type { FrozenWorkspace, GatheredWorkspace, WorkspaceChange } from "../workspace/workspace-content.ts";
import type { Conversation } from "./conversation.ts";
import type { SessionState } from "./session-state.ts";

interface FreezeFacts {
  readonly limits: Limits;
  readonly settings: PlanSettings;
  readonly request: PromptRequest;
}

/** Returns the workspace of the newest prompt if the next one has to show it unchanged. */
export function findFrozenWorkspace(
  { workspace, context }: SessionState,
  conversation: Conversation,
  { limits, settings, request }: FreezeFacts,
): FrozenWorkspace | undefined {
  const { frozen, isHistoryNew } = workspace;
  const { head } = conversation;
  const last = head.requests.at(-1);
  if (frozen === undefined || isHistoryNew || changesView(settings)) return;
  // A fork without prompts continues from its parent's newest one.
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
  // The whole tree, because a path beyond the listed ones still exists.
  const now = { ...limited, tree: gathered.tree };
  return { told: now, text: describeChanges(told, now) };
}
