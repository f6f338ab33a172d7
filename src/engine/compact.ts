/**
 * Makes a conversation smaller: asks the planner for a proposal and writes it as one batch, or applies it to a view of
 * this one request. A batch that somebody else was faster than is thrown away and planned again on what they left.
 */
import { PalimpsestError } from "../core/errors.ts";
import { reviseView, type View } from "../core/log/view.ts";
import type { PlanSettings } from "../core/plan/plan-settings.ts";
import { type DoesNotFit, foldChanges, type Proposal } from "../core/plan/proposal.ts";
import { proposeCompaction } from "../core/plan/propose-compaction.ts";
import { breathe } from "./breathe.ts";
import type { Conversation } from "./conversation.ts";
import { describeFloor, estimatePrompt, type Limits, type Measure } from "./prompt-size.ts";
import type { SessionState } from "./session-state.ts";

export interface CompactionReport {
  readonly reason: string;
  readonly steps: Proposal["steps"];
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  /** False when it was made for one request and the log says nothing of it. */
  readonly isRecorded: boolean;
}

export interface CompactOptions {
  readonly limits: Limits;
  readonly measure: Measure;
  readonly reason: string;
  readonly settings: PlanSettings;
}

export async function propose(view: View, options: CompactOptions): Promise<Proposal> {
  const { limits, measure, reason, settings } = options;
  const outcome = await breathe(
    proposeCompaction(view, {
      limitTokens: limits.limitTokens,
      targetTokens: Math.floor(limits.limitTokens * settings.targetRatio),
      settings,
      reason,
      measure: (candidate) => estimatePrompt(candidate, measure),
      count: measure.counts.count,
      countPart: measure.counts.countPart,
      countAhead: (message) => measure.counts.countInSteps(message),
      describeFloor: (candidate) => describeFloor(candidate, measure),
    }),
  );
  if (outcome.type === "proposal") return outcome;
  throw floorError(outcome);
}

/** Writes a proposal; `undefined` when the conversation has changed meanwhile. */
export async function compact(
  state: SessionState,
  conversation: Conversation,
  options: CompactOptions,
): Promise<CompactionReport | undefined> {
  const proposal = await propose(conversation.view, options);
  const outcome = await state.commit(conversation, { changes: proposal.changes });
  if (outcome.type === "stale") return undefined;
  const { reason } = options;
  const { steps, tokensBefore, tokensAfter } = proposal;
  const ratio = tokensBefore / options.limits.limitTokens;
  const { entryIds } = outcome;
  state.context.emitter.emit("compaction", {
    sessionId: state.id,
    reason,
    steps,
    tokensBefore,
    tokensAfter,
    ratio,
    entryIds,
  });
  return { reason, steps, tokensBefore, tokensAfter, isRecorded: true };
}

/** The same for one request: a smaller view, and nothing written. */
export async function shrinkForRequest(
  view: View,
  options: CompactOptions,
): Promise<{ readonly view: View; readonly report: CompactionReport }> {
  const { changes, steps, tokensBefore, tokensAfter } = await propose(view, options);
  const head = foldChanges(view.head, changes);
  const report = { reason: options.reason, steps, tokensBefore, tokensAfter, isRecorded: false };
  return { view: reviseView(view, head, options.measure.counts), report };
}

function floorError({ floor }: DoesNotFit): PalimpsestError {
  const parts = floor.parts.map((part) => `${part.name} ${part.tokens}`).join(", ");
  const text =
    `The prompt cannot be made smaller than ${floor.floorTokens} tokens, and ${floor.limitTokens} are allowed. ` +
    `It is made of: ${parts}. Make one of these smaller, or use a model with a larger window.`;
  return new PalimpsestError("does-not-fit", text, { details: { floor } });
}
