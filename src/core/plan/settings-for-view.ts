/**
 * The settings as they are for what a view shows. Agents at work need many names of a small prompt's past, so that its
 * summary may be larger than its share; people who talk are better served by more of what was said last.
 */
import type { View } from "../log/view.ts";
import { type ConversationKind, seeKind } from "../summary/offline/conversation-kind.ts";
import type { PlanSettings } from "./plan-settings.ts";

export function settingsForView(settings: PlanSettings, { head, messages }: View): PlanSettings {
  if (settings.summary.smallTokens === 0) return settings;
  const said = messages.map(({ message }) => message);
  return settingsForKind(settings, seeKind(said, head.summary));
}

export function settingsForKind(settings: PlanSettings, kind: ConversationKind): PlanSettings {
  if (kind === "work" || settings.summary.smallTokens === 0) return settings;
  return { ...settings, summary: { ...settings.summary, smallTokens: 0 } };
}
