/**
 * What a policy does after a reply: looks whether a compaction is due and begins it, and writes it when it is there.
 * What is asked of the session meanwhile does not wait for it. Failures are thrown, for a job to be tried again.
 */

import type { PromptRequest } from "../context/prompt-request.ts";
import { findNeed } from "../state/find-need.ts";
import { measureSession, resolveRequest } from "../state/look-at.ts";
import type { SessionState } from "../state/session-state.ts";
import type { CompactionTask } from "./compact-now.ts";
import { beginInBackground, finishInBackground } from "./prepare-compaction.ts";

/** What was begun, for whoever waits for it outside of the session's turn. */
export interface Begun {
  readonly done: Promise<void> | undefined;
}

export async function beginAfterReply(
  state: SessionState,
  request: PromptRequest,
  signal: AbortSignal,
): Promise<Begun> {
  const action = { ...(await readAction(state, request)), signal };
  return { done: isDueAfterReply(state, action) ? beginInBackground(state, action) : undefined };
}

export function isDueAfterReply(state: SessionState, action: CompactionTask): boolean {
  const { settings } = action.snapshot;
  if (action.need.need === "none" || !settings.enabled || settings.phase !== "post-response") return false;
  return !lacksDetector(state, action);
}

export async function finishAfterReply(state: SessionState, request: PromptRequest): Promise<void> {
  await finishInBackground(state, await readAction(state, request));
}

/** A policy that first asks a model for a boundary does nothing after a reply where there is no model to ask. */
export function lacksDetector({ context }: SessionState, { snapshot }: CompactionTask): boolean {
  const { mode, detector } = snapshot.settings.topics;
  if (mode !== "first" || detector !== "model") return false;
  return context.topicDetector === undefined && context.summarizerFor === undefined;
}

/** What does not fit is dealt with when a prompt is asked for: then it is known what else has to be in it. */
export async function readAction(state: SessionState, request: PromptRequest): Promise<CompactionTask> {
  const ready = await resolveRequest(state, request);
  const snapshot = await measureSession(state, { ...ready, refusal: undefined });
  if (snapshot.fullLimits.warning !== undefined) state.warn(snapshot.fullLimits.warning);
  const need = findNeed(snapshot, true);
  return { snapshot, need: need.need === "hard" ? { ...need, need: "soft" } : need, phase: "post-response" };
}
