/** Turns a need into the options of one compaction, and these into what the planner is given to measure by. */
import type { View } from "../../core/log/view.ts";
import type { Message } from "../../core/message/message.ts";
import { adaptSettingsToView, computeTargetTokens } from "../../core/plan/adapt-settings.ts";
import type { CompactionNeed } from "../../core/plan/compaction-need.ts";
import { estimateFold, type FoldEstimate } from "../../core/plan/fold-oldest.ts";
import { findDepthCap } from "../../core/plan/triggers/check-trigger.ts";
import { findFrozen } from "../../core/prompt/tiers/tier-table.ts";
import type { CompactionPhase } from "../context/events.ts";
import { describeFloor, estimateInSteps, estimatePrompt } from "../context/prompt-size.ts";
import type { CallerWait } from "../context/wait-timer.ts";
import { isCacheWarm, type SessionNeed, type SessionSnapshot } from "../state/find-need.ts";
import type { CompactOptions } from "../state/preparation.ts";

/** A compaction that the policy or the caller asks for, with the snapshot that it is planned on. */
export interface CompactionTask {
  readonly snapshot: SessionSnapshot;
  readonly need: SessionNeed;
  readonly phase: CompactionPhase;
  readonly instructions?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The caller that waits for it; undefined for work in the background. */
  readonly waiting?: CallerWait | undefined;
}

export function createCompactOptions({ snapshot, need, phase, instructions }: CompactionTask): CompactOptions {
  const { limits, measure, settings } = snapshot;
  const pressing = need.fired.filter((firing) => firing.need === need.need);
  const urgency = need.need === "hard" ? "hard" : "soft";
  const ownCap = pressing.find(({ atDepthCap }) => atDepthCap !== undefined)?.atDepthCap;
  return {
    limits,
    measure,
    settings,
    urgency,
    phase,
    triggers: need.fired.map(({ type }) => type),
    reason: pressing.map(({ reason }) => reason).join("; "),
    atDepthCap: ownCap ?? findDepthCap(settings.triggers, { facts: need.facts, need: urgency }),
    writtenBy: settings.enabled ? "model" : "none",
    mayShed: phase === "pre-request" && (snapshot.workspace?.gathered.files.length ?? 0) > 0,
    isFrozen: findFrozenMessages(snapshot),
    instructions,
    ownPrompt: snapshot.ownPrompt,
  };
}

/** While the provider's cache is warm, messages of the first tiers are not pruned. */
function findFrozenMessages({ conversation, limits, now }: SessionSnapshot): CompactOptions["isFrozen"] {
  const { head } = conversation;
  if (head.tiers === undefined || !isCacheWarm({ head, limits, now })) return undefined;
  return findFrozen(head.tiers);
}

export function createNeed(view: View, options: CompactOptions): CompactionNeed {
  const settings = adaptSettingsToView(options.settings, view);
  const { limits, measure, urgency, reason, atDepthCap, tailMessages, isSecondPass, writtenBy } = options;
  const known = new WeakMap<View, number>();
  return {
    urgency,
    limitTokens: limits.limitTokens,
    targetTokens: computeTargetTokens(settings, limits.limitTokens),
    settings,
    reason,
    atDepthCap,
    tailMessages,
    isSecondPass,
    mayAsk: writtenBy !== "none",
    mayShed: options.mayShed,
    isFrozen: options.isFrozen,
    isPriced: options.isPriced,
    measure: (candidate: View) => known.get(candidate) ?? estimatePrompt(candidate, measure),
    *measureAhead(candidate: View) {
      known.set(candidate, yield* estimateInSteps(candidate, measure));
    },
    uncalibrate: (tokens: number) => Math.floor(tokens / measure.calibration.factor),
    count: measure.counts.count,
    countPart: measure.counts.countPart,
    countAhead: (message: Message) => measure.counts.countInSteps(message),
    describeFloor: (candidate: View) => describeFloor(candidate, measure),
  };
}

/** Estimates a fold before any summary is written; undefined where nothing can be folded. */
export function estimateProposal(view: View, promptTokens: number, options: CompactOptions): FoldEstimate | undefined {
  return estimateFold(view, promptTokens, createNeed(view, options));
}
