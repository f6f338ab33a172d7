/** Where the window goes: every part of the prompt, what is held back, and what is free. Together they are the window. */
import type { View } from "../api/values.ts";

export interface WindowPart {
  readonly name: string;
  readonly tokens: number;
}

type Divided = Pick<View, "sections" | "windowTokens" | "reserveTokens" | "limitTokens" | "tokens">;

export function divideWindow(view: Divided): readonly WindowPart[] {
  const { windowTokens, reserveTokens, limitTokens, tokens } = view;
  const shown = view.sections.filter((section) => section.tokens > 0 && section.name !== "reserve");
  const free = Math.max(0, limitTokens - tokens);
  const told = shown.reduce((sum, section) => sum + section.tokens, reserveTokens + free);
  // A prompt is reckoned larger than its parts where they are estimated and providers have counted more.
  const margin = Math.max(0, windowTokens - told);
  return [
    ...shown,
    { name: "reserve", tokens: reserveTokens },
    ...(margin === 0 ? [] : [{ name: "margin", tokens: margin }]),
    { name: "free", tokens: free },
  ];
}

/** The parts of a prompt in words. */
export const SECTION_WORDS: Readonly<Record<string, { readonly name: string; readonly meaning: string }>> = {
  instructions: { name: "Instructions", meaning: "How the model should behave" },
  tools: { name: "Tools", meaning: "What it may call" },
  L0: { name: "Workspace, long unchanged", meaning: "Files and history that have not changed for longest" },
  L1: { name: "Workspace, tier 1", meaning: "Files and history that rarely change" },
  L2: { name: "Workspace, tier 2", meaning: "Files and history that change now and then" },
  L3: { name: "Workspace, tier 3", meaning: "Files and history that changed lately" },
  workspace: { name: "Workspace", meaning: "Files that are being worked on" },
  summary: { name: "Summary", meaning: "Stands for what was said long ago" },
  pinned: { name: "Pinned", meaning: "What somebody asked to keep" },
  history: { name: "Conversation", meaning: "The newest messages, word for word" },
  next: { name: "New message", meaning: "What is being asked" },
  notes: { name: "Notes", meaning: "Text given with this prompt" },
  reserve: { name: "Reserve", meaning: "Held back for the reply" },
  margin: { name: "Margin", meaning: "On top of the parts, because they are estimated" },
  free: { name: "Free", meaning: "" },
};
