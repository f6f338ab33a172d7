/** Describes the models of the server for the Chat button. */
import type { Model } from "../api/values.ts";

export function describeModels(models: readonly Model[] | undefined): string {
  const [first, ...others] = models?.filter(({ isOffline }) => !isOffline) ?? [];
  if (models === undefined) return "Start a conversation.";
  if (first === undefined) return "Start a conversation. No model is configured: answers quote your messages.";
  return `Start a conversation with ${first.id}${others.length === 0 ? "" : " or another model"}.`;
}
