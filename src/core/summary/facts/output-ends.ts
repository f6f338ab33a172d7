/** What matters of an output stands at its start or its end; the middle is bulk. */
import type { ToolOutput } from "../../message/message.ts";
import { outputText } from "../../message/output-text.ts";

const END_CHARACTERS = 8_000;

export function outputEnds(output: ToolOutput): string {
  return textEnds(outputText(output));
}

/** The first and the last so many characters, on lines of their own, each cut between words where there is a space. */
export function textEnds(text: string, characters = END_CHARACTERS): string {
  if (text.length <= characters * 2) return text;
  const head = text.slice(0, characters);
  const tail = text.slice(-characters);
  const headEnd = Math.max(head.lastIndexOf(" "), head.lastIndexOf("\n"));
  const tailStart = tail.search(/\s/);
  return `${headEnd > 0 ? head.slice(0, headEnd) : head}\n${tailStart > 0 ? tail.slice(tailStart) : tail}`;
}
