/**
 * Folds the oldest part of a log that is too long for memory, such as an import of millions of messages. Code writes
 * the summary, because a model would have to be called for each part. Each fold is stored, so that interrupted work
 * continues where it ended.
 */
import { floorOfError } from "../context/errors.ts";
import type { Conversation } from "../state/conversation.ts";
import { findErasable } from "../state/find-erasable.ts";
import { type CompactOptions, findNeed } from "../state/find-need.ts";
import type { PartCompactor } from "../state/load-view.ts";
import { findLargestLimits, measurePart } from "../state/measure-session.ts";
import type { SessionState } from "../state/session-state.ts";
import { createCompactOptions } from "./plan-compaction.ts";
import { propose } from "./propose.ts";

export function createPartCompactor(state: SessionState): PartCompactor {
  return {
    findLimitTokens: async () => (await findLargestLimits(state)).limits.limitTokens,
    foldPart: (part) => foldPart(state, part),
  };
}

/** Returns false if the part fits into a prompt, or cannot be made smaller. */
async function foldPart(state: SessionState, part: Conversation): Promise<boolean> {
  const { context, id: sessionId } = state;
  const snapshot = await measurePart(state, part);
  const { settings, promptTokens, limits } = snapshot;
  if (!settings.enabled || promptTokens <= limits.limitTokens) return false;
  const task = { snapshot, need: findNeed(snapshot, false), phase: "pre-request" } as const;
  const options: CompactOptions = { ...createCompactOptions(task), writtenBy: "code" };
  const { signal } = new AbortController();
  const proposed = await propose(part.view, options, { context, sessionId, signal }).catch((error: unknown) => {
    if (floorOfError(error) === undefined) throw error;
    return undefined;
  });
  if (proposed === undefined || proposed.outcome.type === "nothing") return false;
  const { changes } = proposed.outcome;
  // If another process wrote first, the view is read again.
  await state.commit(part, await findErasable(state, part, { changes, retention: settings.retention }));
  return true;
}
