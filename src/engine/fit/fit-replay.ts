/** Replays a history for a policy with triggers, message by message, so that the triggers see every prompt. */
import { PalimpsestError } from "../../core/errors.ts";
import type { EpochEntry } from "../../core/log/entry.ts";
import type { Change, Proposal } from "../../core/plan/proposal.ts";
import { runInSteps } from "../../ports/run-in-steps.ts";
import { createCompactOptions, isFoldWorthwhile } from "../compaction/plan-compaction.ts";
import { propose } from "../compaction/propose.ts";
import { throwIfAborted } from "../context/errors.ts";
import { countAssembled } from "../context/prompt-request.ts";
import { type Conversation, placeMessage } from "../state/conversation.ts";
import { type CompactOptions, findNeed, type SessionSnapshot } from "../state/find-need.ts";
import type { PreservedPrompt } from "../state/preserve-thinking.ts";
import { type FitCompaction, type FitRun, type FitSettings, measureOf, type NewMessage, sizeOf } from "./fit-run.ts";

export async function replayHistory(
  { conversation, items }: FitRun,
  news: readonly NewMessage[],
  fit: FitSettings,
): Promise<readonly FitCompaction[]> {
  const compactions: FitCompaction[] = [];
  // The limit may be smaller than it was when the state was made.
  const again = await compactIfNeeded(conversation, fit, { onlyIfHard: true });
  if (again !== undefined) compactions.push({ atItem: items, ...again });
  for (const { message, atItem, isLast, takesOver } of news) {
    throwIfAborted(fit.waiting?.signal);
    await runInSteps(fit.counts.countInSteps(message));
    conversation.extend([placeMessage(message, conversation.head.foldedThroughSeq + 1)]);
    if (takesOver !== undefined) applyChanges(conversation, takesOver);
    if (takesOver?.length === 0) continue;
    const compaction = await compactIfNeeded(conversation, fit).catch((error: unknown) => {
      // Only the last prompt is sent, so an earlier one may exceed the limit.
      if (isLast || !(error instanceof PalimpsestError) || error.code !== "does-not-fit") throw error;
      return undefined;
    });
    if (compaction !== undefined) compactions.push({ atItem, ...compaction });
    noteRequest(conversation, fit);
  }
  return compactions;
}

/** Compacts once if a session would compact for a prompt now. Returns undefined otherwise. */
async function compactIfNeeded(
  conversation: Conversation,
  fit: FitSettings,
  { onlyIfHard = false }: { readonly onlyIfHard?: boolean } = {},
): Promise<Omit<FitCompaction, "atItem"> | undefined> {
  const { settings } = fit;
  const snapshot = createSnapshot(conversation, fit);
  const need = findNeed(snapshot, settings.phase === "pre-request" && !onlyIfHard);
  if (need.need === "none") return undefined;
  const isAsked = fit.context.summarizerFor !== undefined;
  const writtenBy = !settings.enabled ? "none" : isAsked ? "model" : "code";
  const options = {
    ...createCompactOptions({ snapshot, need, phase: "pre-request" }),
    writtenBy,
    isPriced: isAsked,
  } as const;
  // A soft need does not wait for a model.
  if (need.need === "soft" && (isAsked || !isFoldWorthwhile(snapshot, need, options))) return undefined;
  const proposal = await proposeAt(conversation, options, fit);
  if (proposal === undefined) return undefined;
  const { changes, steps, tokensBefore, tokensAfter } = proposal;
  applyChanges(conversation, changes);
  return { steps, tokensBefore, tokensAfter, isRecorded: true };
}

/** Proposes by code how to make this one prompt fit; undefined if nothing can be left out. Changes nothing. */
export async function proposeForCall(conversation: Conversation, fit: FitSettings): Promise<Proposal | undefined> {
  const snapshot = createSnapshot(conversation, fit);
  const options = createCompactOptions({ snapshot, need: findNeed(snapshot, false), phase: "pre-request" });
  return proposeAt(conversation, { ...options, writtenBy: fit.settings.enabled ? "code" : "none" }, fit);
}

async function proposeAt(
  { view }: Conversation,
  options: CompactOptions,
  { context, waiting }: FitSettings,
): Promise<Proposal | undefined> {
  throwIfAborted(waiting?.signal);
  const signal = waiting?.signal ?? new AbortController().signal;
  const { outcome } = await propose(view, options, { context, sessionId: "fit", signal, waiting });
  return outcome.type === "nothing" ? undefined : outcome;
}

export function applyChanges(conversation: Conversation, changes: readonly Change[]): void {
  for (const change of changes) {
    const { epoch, foldedThroughSeq: seq } = conversation.head;
    const id = change.type === "summary" ? change.record.id : `${change.type}-${epoch + 1}`;
    conversation.extend([{ ...change, id, seq, at: 0, epoch: epoch + 1 } as EpochEntry]);
  }
}

function createSnapshot(conversation: Conversation, fit: FitSettings): SessionSnapshot {
  const { limits, settings } = fit;
  const promptTokens = sizeOf(conversation.assembler, fit);
  const sizes = { limits, fullLimits: limits, measure: measureOf(fit), promptTokens, recalledTokens: 0 };
  return { conversation, preserved: withAllThinking(conversation), settings, now: 0, ...sizes };
}

/** Keeps all thinking: the prompts that these messages answer are unknown here. */
function withAllThinking({ assembler }: Conversation): PreservedPrompt {
  return { assembled: assembler, placed: undefined, walk: undefined };
}

/** Records the prompt as a session would, for the triggers at the next message. */
function noteRequest(conversation: Conversation, fit: FitSettings): void {
  const { head, counts } = conversation;
  const { armed } = findNeed(createSnapshot(conversation, fit), false);
  const id = `request-${head.requestCount + 1}`;
  conversation.noteRequest({
    type: "request",
    id,
    promptId: id,
    at: 0,
    viewEpoch: head.epoch,
    counterId: counts.id,
    provider: "fit",
    countedTokens: countAssembled(conversation.assembler, fit.surroundings),
    factor: 1,
    armed,
    sections: [],
    changes: [],
  });
}
