/** The start and the end of an output, and of the bulk between them the lines that say what went wrong. */
import { chooseFailureLines, findFailureLines } from "../../message/failure-lines.ts";
import type { ToolOutput } from "../../message/message.ts";
import { outputText } from "../../message/message-text.ts";

const END_CHARACTERS = 8_000;
/** What the lines about failures may take. */
const FAILURE_CHARACTERS = 2_000;

/** Several readers want the ends of the same output. */
const endsByOutput = new WeakMap<ToolOutput, string>();

export function outputEnds(output: ToolOutput): string {
  const known = endsByOutput.get(output);
  if (known !== undefined) return known;
  const ends = endsWithFailures(outputText(output));
  endsByOutput.set(output, ends);
  return ends;
}

/** The ends of a text, and between them the lines of its middle that say what went wrong. */
export function endsWithFailures(text: string): string {
  const [head, tail] = splitEnds(text, END_CHARACTERS);
  if (tail === undefined) return text;
  const lines = findFailureLines(text).filter(
    ({ start, end }) => end > END_CHARACTERS && start < text.length - END_CHARACTERS,
  );
  const failures = chooseFailureLines(text, lines, FAILURE_CHARACTERS).map(([start, end]) => text.slice(start, end));
  return [head, ...failures, tail].join("\n");
}

/** The first and the last so many characters, on lines of their own, each cut between words where there is a space. */
export function textEnds(text: string, characters: number): string {
  return splitEnds(text, characters).join("\n");
}

function splitEnds(text: string, characters: number): readonly [head: string, tail?: string] {
  if (text.length <= characters * 2) return [text];
  const head = text.slice(0, characters);
  const tail = text.slice(-characters);
  const headEnd = Math.max(head.lastIndexOf(" "), head.lastIndexOf("\n"));
  const tailStart = tail.search(/\s/);
  return [headEnd > 0 ? head.slice(0, headEnd) : head, tailStart > 0 ? tail.slice(tailStart) : tail];
}
