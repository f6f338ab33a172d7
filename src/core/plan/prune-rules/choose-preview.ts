/** Chooses which lines of a pruned output stay: the first, the last, and lines about failures. Lines stay whole. */
import type { Span } from "../../log/prune.ts";
import type { ToolOutput } from "../../message/message.ts";
import { outputText } from "../../message/message-text.ts";

export interface PreviewOptions {
  /** The budget for the first and last lines together. */
  readonly previewTokens: number;
  readonly errorTokens: number;
  readonly errorLines: readonly number[];
  readonly countText: (text: string) => number;
}

export interface Preview {
  readonly spans: readonly Span[];
  readonly errorsShown: number;
}

/** Few tokens are longer. A line that exceeds its budget even at this length is skipped without counting it. */
const LONG_TOKEN_CHARACTERS = 20;

export function choosePreview(lines: readonly OutputLine[], options: PreviewOptions): Preview {
  const { previewTokens, errorTokens, errorLines, countText } = options;
  const errors = chooseEnds(errorLines, { budgetTokens: errorTokens, lines, countText });
  const ends = chooseEnds([...lines.keys()], { budgetTokens: previewTokens, lines, countText });
  const chosen = [...new Set([...errors, ...ends])].sort((left, right) => left - right);
  return { spans: joinLines(chosen, lines), errorsShown: errorLines.filter((index) => chosen.includes(index)).length };
}

interface Choice {
  readonly budgetTokens: number;
  readonly lines: readonly OutputLine[];
  readonly countText: (text: string) => number;
}

/** Spends half of the budget on the first lines, then the rest on the last lines. */
function chooseEnds(indexes: readonly number[], choice: Choice): readonly number[] {
  const { budgetTokens } = choice;
  const front = takeLines(indexes, { ...choice, budgetTokens: Math.ceil(budgetTokens / 2) });
  const others = indexes.slice(front.taken.length).toReversed();
  const back = takeLines(others, { ...choice, budgetTokens: budgetTokens - front.tokens });
  return [...front.taken, ...back.taken];
}

function takeLines(indexes: readonly number[], { budgetTokens, lines, countText }: Choice) {
  const taken: number[] = [];
  let tokens = 0;
  for (const index of indexes) {
    const text = lines[index]?.text ?? "";
    if (text.length > (budgetTokens - tokens) * LONG_TOKEN_CHARACTERS) break;
    const withThis = tokens + countText(text) + 1;
    if (withThis > budgetTokens) break;
    taken.push(index);
    tokens = withThis;
  }
  return { taken, tokens };
}

function joinLines(indexes: readonly number[], lines: readonly OutputLine[]): readonly Span[] {
  const spans: [number, number][] = [];
  for (const [place, index] of indexes.entries()) {
    const { start = 0, end = 0 } = lines[index] ?? {};
    const last = spans.at(-1);
    if (last !== undefined && indexes[place - 1] === index - 1) last[1] = end;
    else spans.push([start, end]);
  }
  return spans;
}

/** One line of a tool's output, with its place in the text. In JSON, a line ends at an escaped line break. */
export interface OutputLine {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

export function splitOutputLines(output: ToolOutput): readonly OutputLine[] {
  const text = outputText(output);
  const lines: OutputLine[] = [];
  let start = 0;
  for (const { index, 0: ending } of text.matchAll(output.type === "json" ? /(?:\\r)?\\n/g : /\r?\n/g)) {
    lines.push({ start, end: index, text: text.slice(start, index) });
    start = index + ending.length;
  }
  if (start < text.length) lines.push({ start, end: text.length, text: text.slice(start) });
  return lines;
}
