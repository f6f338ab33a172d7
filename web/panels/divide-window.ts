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
