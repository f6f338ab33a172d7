/**
 * Writes one deliberate change of the past: reads the session, decides on what it finds, and commits. When somebody
 * else was faster it reads and decides again, a bounded number of times.
 */
import { PalimpsestError } from "../../core/errors.ts";
import type { EntryId } from "../../core/log/entry.ts";
import type { Conversation } from "./conversation.ts";
import type { Commit, SessionState } from "./session-state.ts";

const ATTEMPTS = 5;

export interface ChangeDecision<Refusal> extends Commit {
  /** Instead of changes: why there is nothing to write. */
  readonly refusal?: Refusal | undefined;
}

export type ChangeOutcome<Refusal> =
  | { readonly type: "changed"; readonly entryIds: readonly EntryId[] }
  | { readonly type: "refused"; readonly refusal: Refusal };

export async function changePast<Refusal = never>(
  state: SessionState,
  decide: (conversation: Conversation) => ChangeDecision<Refusal> | Promise<ChangeDecision<Refusal>>,
): Promise<ChangeOutcome<Refusal>> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const conversation = await state.current();
    const decision = await decide(conversation);
    if (decision.refusal !== undefined) return { type: "refused", refusal: decision.refusal };
    const outcome = await state.commit(conversation, decision);
    if (outcome.type === "committed") return { type: "changed", entryIds: outcome.entryIds };
  }
  const text = `The session was changed by others ${ATTEMPTS} times while this was written; try again.`;
  throw new PalimpsestError("store-conflict", text);
}
