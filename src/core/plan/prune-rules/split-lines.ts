/** The lines of a tool's output, with their places in its text. In JSON a line ends where a string in it has a line end. */
import type { ToolOutput } from "../../message/message.ts";
import { outputText } from "../../message/output-text.ts";

export interface Line {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

export function splitLines(output: ToolOutput): readonly Line[] {
  const text = outputText(output);
  const lines: Line[] = [];
  let start = 0;
  for (const { index, 0: ending } of text.matchAll(output.type === "json" ? /(?:\\r)?\\n/g : /\r?\n/g)) {
    lines.push({ start, end: index, text: text.slice(start, index) });
    start = index + ending.length;
  }
  if (start < text.length) lines.push({ start, end: text.length, text: text.slice(start) });
  return lines;
}
