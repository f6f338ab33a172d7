/** Reads a provider's refusal of a prompt as too large, and derives the limit of the next one. */
import { describeValue } from "../../core/check-value.ts";
import { PalimpsestError } from "../../core/errors.ts";
import type { PromptId } from "../../core/log/entry.ts";
import type { RefusalFacts } from "../../core/plan/triggers/trigger-facts.ts";
import { appendMessages, readInput } from "../state/append-messages.ts";
import type { SessionState } from "../state/session-state.ts";
import { readStatus } from "../state/session-status.ts";
import type { RefusedOptions } from "./session-options.ts";

const NOT_TOO_LONG =
  "session.refused: this error does not say that the prompt was too long, so nothing was folded. Handle it as the " +
  "provider's failure. If the prompt was too long, request a smaller one with session.prompt({ ceilingTokens }).";

export async function readRefusal(
  state: SessionState,
  error: unknown,
  { promptId, next }: RefusedOptions,
): Promise<{ readonly ceilingTokens: number; readonly facts: RefusalFacts }> {
  const facts = state.context.recognizeRefusal(error);
  if (facts === undefined) throw new PalimpsestError("not-too-long", NOT_TOO_LONG, { cause: error });
  if (promptId !== undefined) await requireNewest(state, promptId);
  const tokens = state.asked?.tokens ?? (await readStatus(state, undefined)).currentTokens;
  if (next !== undefined) await appendMessages(state, await readInput(state, next), {});
  return { ceilingTokens: findCeiling(tokens, facts), facts };
}

async function requireNewest(state: SessionState, promptId: string): Promise<void> {
  await requirePrompt(state, promptId, "session.refused");
  const { asked } = state;
  if (asked === undefined || asked.promptId === promptId) return;
  const text = `session.refused: promptId: ${promptId} is not the newest prompt of this session, ${asked.promptId} is. Pass the newest id, or omit promptId.`;
  throw new PalimpsestError("message-invalid", text);
}

/** Throws for the id of a prompt that the session never made. Prompts of a parent or an import count. */
export async function requirePrompt(state: SessionState, promptId: PromptId, name: string): Promise<void> {
  if (state.asked?.promptId === promptId) return;
  const entry = await state.context.store.findEntry(state.id, promptId);
  if (entry?.type === "request") return;
  const found = `${name}: promptId: this session returned no prompt with the id ${describeValue(promptId)}.`;
  const text = `${found} Use the id of the prompt that was sent, not of a preview.`;
  throw new PalimpsestError("prompt-not-found", text, { details: { promptId } });
}

/** The next prompt may have at most this share of the refused prompt's tokens. */
const SMALLER = 0.8;

/** Converts the provider's figures to our own count, which may differ. */
export function findCeiling(tokens: number, reported: RefusalFacts | undefined): number {
  const smaller = Math.floor(tokens * SMALLER);
  const { promptTokens, limitTokens } = reported ?? {};
  if (promptTokens === undefined || limitTokens === undefined || promptTokens <= 0) return smaller;
  return Math.max(1, Math.min(smaller, Math.floor((tokens * limitTokens) / promptTokens)));
}
