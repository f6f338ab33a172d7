/** Where the window goes: every part of the prompt, what is held back, and what is free. Together they are the window. */
import type { View } from "../api/values.ts";

export interface WindowPart {
  readonly name: string;
  readonly tokens: number;
}

export function divideWindow({
  sections,
  windowTokens,
  reserveTokens,
  limitTokens,
  tokens,
}: View): readonly WindowPart[] {
  const shown = sections.filter((section) => section.tokens > 0 && section.name !== "reserve");
  const margin = Math.max(0, windowTokens - reserveTokens - limitTokens);
  return [
    ...shown,
    { name: "reserve", tokens: reserveTokens },
    ...(margin === 0 ? [] : [{ name: "margin", tokens: margin }]),
    { name: "free", tokens: Math.max(0, limitTokens - tokens) },
  ];
}
