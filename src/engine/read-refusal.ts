/**
 * What a provider's refusal of a prompt means for the next one: how large that may be at most. What the failed attempt
 * had gathered meanwhile is appended first, so that the next prompt has it.
 */
import { PalimpsestError } from "../core/errors.ts";
import type { RefusalFacts } from "../core/plan/triggers/trigger-facts.ts";
import { appendMessages, readInput } from "./append-messages.ts";
import { findCeiling } from "./find-ceiling.ts";
import type { AskedPrompt } from "./prompt-request.ts";
import type { RefusedOptions } from "./session-options.ts";
import type { SessionState } from "./session-state.ts";
import { readStatus } from "./session-status.ts";

const UNKNOWN_REFUSAL =
  "session.refused was called with an error that no provider known here gives for a prompt that is too long.";

export interface RefusalOptions extends RefusedOptions {
  readonly asked: AskedPrompt | undefined;
}

export async function readRefusal(
  state: SessionState,
  error: unknown,
  { asked, promptId, next }: RefusalOptions,
): Promise<{ readonly ceilingTokens: number; readonly facts: RefusalFacts }> {
  const said = state.context.recogniseRefusal?.(error);
  if (said === undefined) state.warn(UNKNOWN_REFUSAL);
  const tokens = asked?.tokens ?? (await readStatus(state, undefined)).currentTokens;
  if (asked !== undefined && promptId !== undefined && promptId !== asked.promptId) {
    throw new PalimpsestError("message-invalid", `promptId: ${promptId} is not the newest prompt of this session.`);
  }
  if (next !== undefined) await appendMessages(state, await readInput(state, next), {});
  return { ceilingTokens: findCeiling(tokens, said), facts: said ?? {} };
}
