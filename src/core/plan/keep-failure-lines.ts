/**
 * Chooses the lines of a cut text that say what went wrong, wherever in it they stand. They take room from the ends that
 * stay, and never more than half of it.
 */
import type { MiddleReplacement } from "../log/prune.ts";
import { type CutMarks, withoutCutMarker } from "../message/cut-marker.ts";
import { chooseFailureLines, type FailureLine, findFailureLines, GAP } from "../message/failure-lines.ts";
import type { Part, TextPart, ToolCallPart, ToolResultPart } from "../message/message.ts";
import { outputText } from "../message/output-text.ts";
import { findFileAccess } from "./prune-rules/file-access.ts";

export interface KeepLinesOptions {
  readonly marks: Pick<CutMarks, "beforeLines">;
  /** The call that a result answers. */
  readonly call: ToolCallPart | undefined;
}

const LINES_SHARE = 0.5;

/** Returns undefined where no such line would be cut. */
export function keepFailureLines(
  part: Part,
  middle: MiddleReplacement,
  { marks, call }: KeepLinesOptions,
): MiddleReplacement | undefined {
  if ((part.type !== "text" && part.type !== "tool-result") || isSource(call)) return undefined;
  const { text, lines } = readLines(part);
  const added = Math.max(0, marks.beforeLines.length - middle.marker.length);
  const room = Math.floor(middle.keepCharacters * LINES_SHARE) - added;
  // Whatever the lines take, half of each end stays.
  const [head, tail] = [middle.keepCharacters * LINES_SHARE * 0.7, middle.keepCharacters * LINES_SHARE * 0.3];
  const cut = lines.filter(({ start, end }) => end > head && start < text.length - tail);
  const spans = chooseFailureLines(text, cut, room);
  if (spans.length === 0) return undefined;
  const taken = spans.reduce((sum, [start, end]) => sum + end - start + GAP.length, added);
  return {
    ...middle,
    keepCharacters: Math.max(0, middle.keepCharacters - taken),
    lines: { before: marks.beforeLines, spans },
  };
}

const LOG_FILE = /\.(?:log|out|txt)$/i;

/** A source text is full of lines that speak of errors. */
function isSource(call: ToolCallPart | undefined): boolean {
  const access = findFileAccess(call);
  return access !== undefined && !access.paths.some((path) => LOG_FILE.test(path));
}

interface ReadLines {
  readonly text: string;
  readonly lines: readonly FailureLine[];
}

/** A prompt is cut to one level after the other, and the lines of its parts stay the same. */
const readByPart = new WeakMap<Part, ReadLines>();

function readLines(part: TextPart | ToolResultPart): ReadLines {
  const known = readByPart.get(part);
  if (known !== undefined) return known;
  const text = withoutCutMarker(part.type === "text" ? part.text : outputText(part.output));
  const options = part.type === "text" ? {} : { hasFailed: part.failed, isJson: part.output.type === "json" };
  const read = { text, lines: findFailureLines(text, options) };
  readByPart.set(part, read);
  return read;
}
