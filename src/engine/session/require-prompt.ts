/** Refuses the id of a prompt that the session never handed out, here or in another process. */

import { describeValue } from "../../core/check-value.ts";
import { PalimpsestError } from "../../core/errors.ts";
import type { PromptId } from "../../core/log/entry.ts";
import type { SessionState } from "../state/session-state.ts";

/** `name` is the method as the caller writes it. Prompts that a fork inherits, or an import brought, count. */
export async function requirePrompt(state: SessionState, promptId: PromptId, name: string): Promise<void> {
  if (state.asked?.promptId === promptId) return;
  const entry = await state.context.store.findEntry(state.id, promptId);
  if (entry?.type === "request") return;
  const found = `${name}: promptId: this session handed out no prompt with the id ${describeValue(promptId)}.`;
  const text = `${found} Use the id of the prompt that was sent; a preview leaves no request.`;
  throw new PalimpsestError("prompt-not-found", text, { details: { promptId } });
}
