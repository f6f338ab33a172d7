/**
 * Writes a change of the view that the caller asked for: reads the session, decides, and commits. If the session changed
 * meanwhile, reads and decides again, a few times.
 */
import { PalimpsestError } from "../../core/errors.ts";
import type { EntryId } from "../../core/log/entry.ts";
import type { Conversation } from "./conversation.ts";
import type { Commit, SessionState } from "./session-state.ts";

const ATTEMPTS = 5;

export interface ChangeDecision<Refusal> extends Commit {
  /** Set instead of changes: why nothing is written. */
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
  const text = `The session changed ${ATTEMPTS} times while this was written. Try again.`;
  throw new PalimpsestError("store-conflict", text);
}
