/**
 * Under a policy that allows compactions by the provider: when one has arrived, folds everything before it into a
 * summary of our own. The log keeps both, so the conversation can move to another provider.
 */
import { hasProviderCompaction } from "../../core/message/provider-compaction.ts";
import { findStretch } from "../../core/plan/drop-oldest.ts";
import type { CallerWait } from "../context/wait-timer.ts";
import { type CompactOptions, findNeed, type SessionSnapshot } from "../state/find-need.ts";
import type { SessionState } from "../state/session-state.ts";
import { type CompactionOutcome, compactNow } from "./compact-now.ts";
import { type CompactionTask, countOpenThinking, createCompactOptions } from "./plan-compaction.ts";

/** Returns undefined if no compaction by a provider waits for a summary. */
export async function coverProviderCompaction(
  state: SessionState,
  snapshot: SessionSnapshot,
  waiting: CallerWait,
): Promise<CompactionOutcome | undefined> {
  const index = findUncovered(snapshot);
  if (index === undefined) return undefined;
  const task: CompactionTask = { snapshot, need: findNeed(snapshot, false), phase: "pre-request", waiting };
  return compactNow(state, task, createCoverOptions(task, snapshot.conversation.view.messages.length - index));
}

/**
 * Returns the place of the newest compaction that has foldable messages before it. It waits while an open turn has
 * thinking that a fold would lose.
 */
export function findUncovered(snapshot: SessionSnapshot): number | undefined {
  const { settings, conversation } = snapshot;
  if (settings.providerCompaction !== "allow" || !settings.enabled) return undefined;
  const { view } = conversation;
  const index = view.messages.findLastIndex(({ message }) => hasProviderCompaction(message));
  const isDue = index > 0 && findStretch(view, index).length > 0 && countOpenThinking(snapshot) === 0;
  return isDue ? index : undefined;
}

function createCoverOptions(task: CompactionTask, tailMessages: number): CompactOptions {
  const options = createCompactOptions(task);
  const { topics, ...others } = options.settings;
  const fold = { span: "before-tail", targetRatio: 1, pruneFirst: false, tail: {} } as const;
  const settings = { ...others, ...fold, topics: { ...topics, mode: "off" as const } };
  const reason = "a compaction by the provider covers the messages before it";
  return { ...options, settings, urgency: "soft", reason, triggers: [], tailMessages };
}
