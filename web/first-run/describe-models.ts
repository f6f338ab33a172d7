/** Whom somebody would talk to here, as far as that is known. */
import type { Model } from "../api/values.ts";

export function sayModels(models: readonly Model[] | undefined): string {
  const [first, ...others] = models?.filter(({ isOffline }) => !isOffline) ?? [];
  if (models === undefined) return "Begin a conversation.";
  if (first === undefined) return "Begin a conversation. No model is set up here: answers only quote what was said.";
  return `Begin a conversation with ${first.id}${others.length === 0 ? "" : " or another model"}.`;
}
