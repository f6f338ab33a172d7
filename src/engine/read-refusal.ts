/** What a provider's refusal of a prompt means for the next one: how large that may be at most. */
import { PalimpsestError } from "../core/errors.ts";
import type { PromptId } from "../core/log/entry.ts";
import type { RefusalFacts } from "../core/plan/triggers/trigger-facts.ts";
import { findCeiling } from "./find-ceiling.ts";
import type { PromptRequest } from "./prompt-request.ts";
import type { SessionState } from "./session-state.ts";
import { readStatus } from "./session-status.ts";

/** A prompt that was handed out, and what it was asked for with. */
export interface AskedPrompt {
  readonly promptId: PromptId;
  readonly request: PromptRequest;
  readonly tokens: number;
}

const UNKNOWN_REFUSAL =
  "session.refused was called with an error that no provider known here gives for a prompt that is too long.";

export async function readRefusal(
  state: SessionState,
  error: unknown,
  { asked, promptId }: { readonly asked: AskedPrompt | undefined; readonly promptId?: PromptId | undefined },
): Promise<{ readonly ceilingTokens: number; readonly facts: RefusalFacts }> {
  const said = state.context.recogniseRefusal?.(error);
  if (said === undefined) state.warn(UNKNOWN_REFUSAL);
  const tokens = asked?.tokens ?? (await readStatus(state)).currentTokens;
  if (asked !== undefined && promptId !== undefined && promptId !== asked.promptId) {
    throw new PalimpsestError("message-invalid", `promptId: ${promptId} is not the newest prompt of this session.`);
  }
  return { ceilingTokens: findCeiling(tokens, said), facts: said ?? {} };
}
