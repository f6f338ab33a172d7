/** The parts of a context window: sections of the prompt, the reserve and free space. They add up to the window. */
import type { PromptReport } from "../api/values.ts";

export interface WindowPart {
  readonly name: string;
  readonly tokens: number;
}

type WindowFigures = Pick<PromptReport, "windowTokens" | "reserveTokens" | "limitTokens" | "tokens"> & {
  readonly sections: readonly WindowPart[];
};

export function divideWindow(report: WindowFigures): readonly WindowPart[] {
  const { windowTokens, reserveTokens, limitTokens, tokens } = report;
  const sections = report.sections.filter((section) => section.tokens > 0 && section.name !== "reserve");
  const free = Math.max(0, limitTokens - tokens);
  const sum = sections.reduce((total, section) => total + section.tokens, reserveTokens + free);
  // An estimated prompt counts more than its sections if providers have reported more tokens than estimated.
  const margin = Math.max(0, windowTokens - sum);
  return [
    ...sections,
    { name: "reserve", tokens: reserveTokens },
    ...(margin === 0 ? [] : [{ name: "margin", tokens: margin }]),
    { name: "free", tokens: free },
  ];
}

export const PART_LABELS: Readonly<Record<string, { readonly name: string; readonly meaning: string }>> = {
  instructions: { name: "Instructions", meaning: "How the model should behave" },
  tools: { name: "Tools", meaning: "Tools the model can call" },
  L0: { name: "Workspace, stable", meaning: "Files and messages that have stayed unchanged the longest" },
  L1: { name: "Workspace, tier 1", meaning: "Files and messages, unchanged for a long time" },
  L2: { name: "Workspace, tier 2", meaning: "Files and messages, unchanged for a while" },
  L3: { name: "Workspace, tier 3", meaning: "Files and messages, new or changed recently" },
  workspace: { name: "Workspace", meaning: "Files that are changing now" },
  summary: { name: "Summary", meaning: "Replaces old messages" },
  pinned: { name: "Pinned", meaning: "Messages you pinned" },
  history: { name: "Conversation", meaning: "The newest messages" },
  next: { name: "New message", meaning: "The message to answer" },
  notes: { name: "Notes", meaning: "Text added to this prompt" },
  reserve: { name: "Reserve", meaning: "Reserved for the answer" },
  margin: { name: "Margin", meaning: "Safety margin for estimated token counts" },
  free: { name: "Free", meaning: "" },
};
