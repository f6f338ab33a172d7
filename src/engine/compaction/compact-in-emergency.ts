/** For policies with `emergency`: compacts a history far above its trigger, else truncates its oldest messages. */
import type { View } from "../../core/log/view.ts";
import type { CompactionNeed } from "../../core/plan/compaction-need.ts";
import { dropInEmergency } from "../../core/plan/drop-oldest.ts";
import { weighChange } from "../../core/plan/economic-gate.ts";
import type { EmergencySettings } from "../../core/plan/plan-settings.ts";
import type { Proposal } from "../../core/plan/proposal.ts";
import { nameSteps } from "../../core/plan/propose-compaction.ts";
import { startTentativeView, type TentativeView } from "../../core/plan/tentative-view.ts";
import { areSoftTriggersHeld } from "../../core/plan/triggers/trigger-facts.ts";
import { startAssembly } from "../../core/prompt/assemble-prompt.ts";
import { applyCalibration } from "../../core/tokens/calibration.ts";
import { estimatePrompt, type Measure } from "../context/prompt-request.ts";
import type { CallerWait } from "../context/wait-timer.ts";
import { type CompactOptions, findNeed, type SessionSnapshot } from "../state/find-need.ts";
import { LAST_TRY_REASON, PREPARING_REASON } from "../state/preparation.ts";
import type { SessionState } from "../state/session-state.ts";
import { countSections, findTriggerTokens } from "../state/session-status.ts";
import { applyPrepared, findPrepared, waitForPreparation } from "./compact-for-prompt.ts";
import { BUSY, type CompactionOutcome, compactNow, writeProposal } from "./compact-now.ts";
import { type CompactionTask, createCompactOptions, createNeed } from "./plan-compaction.ts";
import { emitStart } from "./propose.ts";
import { lacksTopicDetector } from "./run-job.ts";

/** Returns undefined if the history is not far above its trigger, or nothing may be truncated. */
export async function compactInEmergency(
  state: SessionState,
  snapshot: SessionSnapshot,
  waiting: CallerWait,
): Promise<CompactionOutcome | undefined> {
  const excess = findExcess(snapshot);
  if (excess === undefined) return undefined;
  const need = findNeed(snapshot, true);
  // If no trigger fired, no compaction was due, so none failed.
  if (need.need === "none") return undefined;
  const task: CompactionTask = { snapshot, need: { ...need, need: "soft" }, phase: "pre-request", waiting };
  const tried = await tryToCompact(state, task);
  if (tried.type === "written" || tried.type === "again") return tried;
  const failure = tried.type === "held" ? tried.reason : "The compaction was not written.";
  return failure === BUSY ? undefined : truncate(state, task, { ...excess, failure });
}

interface Excess {
  readonly historyTokens: number;
  readonly triggerTokens: number;
  readonly emergency: EmergencySettings;
}

/** Returns undefined after an undo too, so that restored messages are not truncated at once. */
function findExcess({ settings, conversation, fullLimits, measure }: SessionSnapshot): Excess | undefined {
  const { emergency, enabled } = settings;
  if (emergency === undefined || !enabled || areSoftTriggersHeld(conversation.head)) return undefined;
  const triggerTokens = findTriggerTokens(settings, fullLimits);
  const historyTokens = applyCalibration(measure.calibration, countSections(conversation.assembler));
  return historyTokens > emergency.ratio * triggerTokens ? { historyTokens, triggerTokens, emergency } : undefined;
}

/** Waits for a running compaction. One that failed on this history is not tried again. */
async function tryToCompact(state: SessionState, task: CompactionTask): Promise<CompactionOutcome> {
  if (lacksTopicDetector(state, task))
    return { type: "held", reason: "No model is configured that can detect topics." };
  const { preparation } = state;
  const { snapshot } = task;
  const { epoch } = snapshot.conversation.head;
  if (!(await waitForPreparation(state, task.waiting))) return { type: "held", reason: PREPARING_REASON };
  const prepared = findPrepared(state, epoch);
  if (prepared !== undefined) return applyPrepared(state, { ...task, need: { ...task.need, need: "hard" } }, prepared);
  if (!preparation.mayTry(epoch, snapshot.promptTokens)) return { type: "held", reason: LAST_TRY_REASON };
  return compactNow(state, task);
}

async function truncate(
  state: SessionState,
  task: CompactionTask,
  excess: Excess & { readonly failure: string },
): Promise<CompactionOutcome | undefined> {
  const { snapshot } = task;
  const { conversation, measure } = snapshot;
  const reason = describeExcess(excess);
  const options: CompactOptions = { ...createCompactOptions(task), reason, writtenBy: "none" };
  const need = measureHistory(createNeed(conversation.view, options), measure, findTarget(excess));
  const start = startTentativeView(conversation.view, need);
  const end = dropInEmergency(start, need);
  if (end === undefined) return undefined;
  emitStart(state, options, snapshot);
  const proposal = { ...createProposal(start, end, measure), steps: nameSteps(end.changes, start, need) };
  const report = await writeProposal(state, conversation, { proposal, options, attempts: [], durationMs: 0 });
  if (report === undefined) return { type: "again" };
  state.warn(`The oldest messages were left out of the prompt without a summary: ${reason}`);
  return { type: "written", report };
}

function findTarget({ emergency, triggerTokens }: Excess): number {
  return emergency.to === "trigger" ? triggerTokens : Math.floor(emergency.ratio * triggerTokens);
}

function describeExcess(excess: Excess & { readonly failure: string }): string {
  const { historyTokens, triggerTokens, emergency, failure } = excess;
  return `a history of ${historyTokens} tokens, above ${emergency.ratio} times the ${triggerTokens} at which it is compacted, and no compaction succeeded. ${failure}`;
}

/** Measures the history alone, like the check that found it too large. */
function measureHistory(need: CompactionNeed, measure: Measure, targetTokens: number): CompactionNeed {
  const { counts, renderer, calibration } = measure;
  return {
    ...need,
    targetTokens,
    measure: (view: View) => applyCalibration(calibration, countSections(startAssembly(view, counts.count, renderer))),
  };
}

function createProposal(start: TentativeView, end: TentativeView, measure: Measure): Omit<Proposal, "steps"> {
  const [tokensBefore, tokensAfter] = [estimatePrompt(start.view, measure), estimatePrompt(end.view, measure)];
  const weight = weighChange({ view: start.view, tokens: tokensBefore }, { view: end.view, tokens: tokensAfter });
  return { type: "proposal", changes: end.changes, tokensBefore, tokensAfter, weight };
}
