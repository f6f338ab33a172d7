/**
 * Once more, where a compaction left the view above its trigger: the summary is folded again while the chain may grow,
 * else the tail is made shorter, once, and never below two messages.
 */

import { readRatio } from "../../core/plan/triggers/check-trigger.ts";
import type { RatioTrigger } from "../../core/plan/triggers/trigger.ts";
import type { SessionState } from "../state/session-state.ts";
import { type CompactionOutcome, type CompactionTask, compactNow, createCompactOptions } from "./compact-now.ts";

const LEAST_TAIL = 2;

/** What a second pass came to; undefined where none is called for. */
export async function runSecondPass(
  state: SessionState,
  action: CompactionTask,
): Promise<CompactionOutcome | undefined> {
  const { settings } = action.snapshot;
  const trigger = settings.triggers.find((candidate): candidate is RatioTrigger => candidate.type === "ratio");
  if (!settings.summary.secondPass || trigger === undefined) return undefined;
  const { facts } = action.need;
  if (readRatio(trigger, facts) < trigger.triggerRatio) return undefined;
  const mayGrow = facts.summaryRecords < trigger.maxSummaryChainDepth;
  const tailMessages = Math.max(LEAST_TAIL, Math.floor((settings.tail.messages ?? LEAST_TAIL) / 2));
  const reason = "still above the trigger after a compaction";
  const options = { ...createCompactOptions(action), need: "soft", reason, triggers: [trigger.type] } as const;
  if (mayGrow) return compactNow(state, action, { ...options, isSecondPass: true });
  return compactNow(state, action, { ...options, tailMessages, atDepthCap: "fold" });
}
