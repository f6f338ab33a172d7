/**
 * Before a prompt is assembled: where the history has run away from its trigger, a compaction is waited for or tried
 * once, and where none came the oldest messages leave the view without a summary. The log keeps them, and an undo brings
 * them back. It acts only where the policy asks for it; a prompt that does not fit at all is the staircase's.
 */
import type { View } from "../../core/log/view.ts";
import type { CompactionNeed } from "../../core/plan/compaction-need.ts";
import { dropInEmergency } from "../../core/plan/drop-oldest.ts";
import { weighChange } from "../../core/plan/economic-gate.ts";
import type { EmergencySettings } from "../../core/plan/plan-settings.ts";
import type { Proposal } from "../../core/plan/proposal.ts";
import { nameSteps } from "../../core/plan/propose-compaction.ts";
import { startTentativeView, type TentativeView } from "../../core/plan/tentative-view.ts";
import { isSoftHeld } from "../../core/plan/triggers/trigger-facts.ts";
import { startAssembly } from "../../core/prompt/assemble-prompt.ts";
import { applyCalibration } from "../../core/tokens/calibration.ts";
import { estimatePrompt, type Measure } from "../context/prompt-size.ts";
import type { CallerWait } from "../context/wait-timer.ts";
import { findNeed, type SessionSnapshot } from "../state/find-need.ts";
import { NO_LEASE } from "../state/hold-lease.ts";
import { IS_PREPARING, LAST_TRY_FAILED } from "../state/preparation.ts";
import type { SessionState } from "../state/session-state.ts";
import { countSections, findTriggerTokens } from "../state/session-status.ts";
import { createNeed, writeProposal } from "./compact.ts";
import { lacksDetector } from "./compact-after-reply.ts";
import { BUSY, type CompactionOutcome, type CompactionTask, compactNow, createCompactOptions } from "./compact-now.ts";
import { applyPrepared, findPrepared, waitForPreparation } from "./prepare-compaction.ts";
import { emitStart } from "./propose-aloud.ts";

/** Undefined where nothing has run away, or nothing may go. */
export async function compactInEmergency(
  state: SessionState,
  snapshot: SessionSnapshot,
  waiting: CallerWait,
): Promise<CompactionOutcome | undefined> {
  const excess = findExcess(snapshot);
  if (excess === undefined) return undefined;
  const need = findNeed(snapshot, true);
  // Nobody asked for a compaction, so that none can have failed.
  if (need.need === "none") return undefined;
  const action: CompactionTask = { snapshot, need: { ...need, need: "soft" }, phase: "pre-request", waiting };
  const tried = await tryToCompact(state, action);
  if (tried.type === "written" || tried.type === "again") return tried;
  const failure = tried.type === "held" ? tried.reason : "It was not to be written.";
  return failure === BUSY ? undefined : truncate(state, action, { ...excess, failure });
}

interface Excess {
  readonly historyTokens: number;
  readonly triggerTokens: number;
  readonly emergency: EmergencySettings;
}

/** After an undo it holds like all that can wait: what was brought back is not dropped at once again. */
function findExcess({ settings, conversation, fullLimits, measure }: SessionSnapshot): Excess | undefined {
  const { emergency, enabled } = settings;
  if (emergency === undefined || !enabled || isSoftHeld(conversation.head)) return undefined;
  const triggerTokens = findTriggerTokens(settings, fullLimits);
  const historyTokens = applyCalibration(measure.calibration, countSections(conversation.assembler));
  return historyTokens > emergency.ratio * triggerTokens ? { historyTokens, triggerTokens, emergency } : undefined;
}

/** One that is under way is waited for; one that failed on this history is not asked for again. */
async function tryToCompact(state: SessionState, action: CompactionTask): Promise<CompactionOutcome> {
  if (lacksDetector(state, action)) return { type: "held", reason: "No model is configured that can detect topics." };
  const { preparation } = state;
  const { snapshot } = action;
  const { epoch } = snapshot.conversation.head;
  if (!(await waitForPreparation(state, action.waiting))) {
    return { type: "held", reason: IS_PREPARING };
  }
  const ready = findPrepared(state, epoch);
  if (ready !== undefined) return applyPrepared(state, { ...action, need: { ...action.need, need: "hard" } }, ready);
  if (!preparation.mayTry(epoch, snapshot.promptTokens)) return { type: "held", reason: LAST_TRY_FAILED };
  return compactNow(state, action);
}

async function truncate(
  state: SessionState,
  action: CompactionTask,
  excess: Excess & { readonly failure: string },
): Promise<CompactionOutcome | undefined> {
  const { snapshot } = action;
  const { conversation, measure } = snapshot;
  const reason = describe(excess);
  const options = { ...createCompactOptions(action), reason, asks: "nobody" } as const;
  const need = measureHistory(createNeed(conversation.view, options), { measure, targetTokens: targetOf(excess) });
  const start = startTentativeView(conversation.view, need);
  const end = dropInEmergency(start, need);
  if (end === undefined) return undefined;
  emitStart(state, options, snapshot);
  const written = { options, hold: NO_LEASE, attempts: [], durationMs: 0 };
  const report = await writeProposal(state, conversation, proposalOf({ start, end, need, measure }), written);
  if (report === undefined) return { type: "again" };
  state.warn(`The oldest messages were left out of the prompt without a summary: ${reason}`);
  return { type: "written", report };
}

function targetOf({ emergency, triggerTokens }: Excess): number {
  return emergency.to === "trigger" ? triggerTokens : Math.floor(emergency.ratio * triggerTokens);
}

function describe({ historyTokens, triggerTokens, emergency, failure }: Excess & { readonly failure: string }): string {
  return `a history of ${historyTokens} tokens, above ${emergency.ratio} times the ${triggerTokens} at which it is compacted, and no compaction came. ${failure}`;
}

interface HistoryMeasure {
  readonly measure: Measure;
  readonly targetTokens: number;
}

/** The same figures that the history was found too large by. */
function measureHistory(need: CompactionNeed, { measure, targetTokens }: HistoryMeasure): CompactionNeed {
  const { counts, renderer, calibration } = measure;
  return {
    ...need,
    targetTokens,
    measure: (view: View) => applyCalibration(calibration, countSections(startAssembly(view, counts.count, renderer))),
  };
}

interface Dropped {
  readonly start: TentativeView;
  readonly end: TentativeView;
  readonly need: CompactionNeed;
  readonly measure: Measure;
}

function proposalOf({ start, end, need, measure }: Dropped): Proposal {
  const [tokensBefore, tokensAfter] = [estimatePrompt(start.view, measure), estimatePrompt(end.view, measure)];
  const weight = weighChange({ view: start.view, tokens: tokensBefore }, { view: end.view, tokens: tokensAfter });
  const steps = nameSteps(end.changes, start, need);
  return { type: "proposal", changes: end.changes, steps, tokensBefore, tokensAfter, weight };
}
