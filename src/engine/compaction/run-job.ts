/**
 * What a job does with a session: it looks at the log and does what is due, wherever it runs. What this process planned
 * itself is made as it was planned; otherwise the policy is asked anew, without knowing what the host puts around the
 * conversation. Failures are thrown, so that the job is tried again.
 */

import type { PromptRequest } from "../context/prompt-request.ts";
import { endsGeneration } from "../state/append-messages.ts";
import type { CompactOptions } from "../state/compact-options.ts";
import type { SessionState } from "../state/session-state.ts";
import { weighAhead } from "./act-softly.ts";
import { beginAfterReply, finishAfterReply, isDueAfterReply, readAction } from "./compact-after-reply.ts";
import { type CompactionTask, compactNow, createCompactOptions } from "./compact-now.ts";

export interface JobRun {
  /** What the last prompt was asked with; undefined where none was asked for here. */
  readonly asked: PromptRequest | undefined;
  readonly inTurn: <Result>(work: () => Promise<Result>) => Promise<Result>;
  readonly signal: AbortSignal;
}

export async function runJob(state: SessionState, { asked, inTurn, signal }: JobRun): Promise<void> {
  const planned = state.preparation.startPlanned();
  if (planned !== undefined) return planned;
  const request = asked ?? (await inTurn(() => recallRequest(state)));
  if (phaseOf(state, request) === "pre-request") return inTurn(() => compactAhead(state, { request, asked, signal }));
  try {
    const { done } = await inTurn(() => beginAfterReply(state, request, signal));
    await (done ?? state.preparation.wait());
    await inTurn(() => finishAfterReply(state, request));
  } finally {
    await state.preparation.releaseLease();
  }
}

/** Whether a job would find something to do. Costs what the view costs. */
export async function isDue(state: SessionState): Promise<boolean> {
  const request = await recallRequest(state);
  const action = await readAction(state, request);
  if (phaseOf(state, request) === "pre-request") return findWorth(state, action) !== undefined;
  const { messages } = action.snapshot.conversation.view;
  return endsGeneration(messages.slice(-1).map(({ message }) => message)) && isDueAfterReply(state, action);
}

function phaseOf({ context }: SessionState, { model }: PromptRequest): "pre-request" | "post-response" {
  return context.settingsFor(model ?? context.defaults.model).phase;
}

/** As the last prompt was asked for, as far as the log tells. */
async function recallRequest(state: SessionState): Promise<PromptRequest> {
  if (state.context.defaults.model !== undefined) return {};
  const { head } = await state.current();
  return { model: head.requests.at(-1)?.model };
}

/** A policy that works before requests does so ahead of them only where it pays, or will soon have to be done. */
async function compactAhead(
  state: SessionState,
  { request, asked, signal }: Omit<JobRun, "inTurn"> & { readonly request: PromptRequest },
): Promise<void> {
  const action = await readAction(state, request);
  const options = findWorth(state, action);
  if (options === undefined) return;
  const { ownPrompt } = options;
  await compactNow(state, { ...action, signal }, { ...options, ownPrompt: asked && ownPrompt });
}

function findWorth(state: SessionState, action: CompactionTask): CompactOptions | undefined {
  const { settings } = action.snapshot;
  if (action.need.need === "none" || !settings.enabled || !settings.gate) return undefined;
  const options = { ...createCompactOptions(action), phase: "background" } as const;
  const { gate, isWorthIt } = weighAhead(state, action, options);
  return isWorthIt ? { ...options, gate } : undefined;
}
