/**
 * Finds the sources of lines after a repair: a remaining line, whole or in part, keeps its messages, and a restored
 * fact has its own source. A line that cannot be traced has no sources.
 */
import type { MessageId } from "../../message/message.ts";
import type { Fact, SummaryLine } from "../record/record.ts";
import { renderFacts } from "../record/render-facts.ts";

export interface TraceOptions {
  readonly written: readonly SummaryLine[];
  readonly restored: readonly Fact[];
}

export function traceLines(text: string, { written, restored }: TraceOptions): readonly SummaryLine[] {
  if (text === "") return [];
  const ofFacts = sourcesOfFacts(restored);
  let next = 0;
  return text.split("\n").map((line): SummaryLine => {
    const found = findWritten(written, { line, from: next });
    if (found !== undefined) next = found + 1;
    const source = found === undefined ? undefined : written[found];
    return { messageIds: ofFacts.get(line) ?? [], ...source, text: line };
  });
}

/** Returns the equal written line, or else the next one that this line is a part of. */
function findWritten(
  written: readonly SummaryLine[],
  { line, from }: { readonly line: string; readonly from: number },
): number | undefined {
  for (let place = from; place < written.length; place += 1) {
    if (written[place]?.text === line) return place;
  }
  for (let place = from; place < Math.min(written.length, from + MAX_LOST_LINES); place += 1) {
    if (isShortenedFrom(line, written[place]?.text ?? "")) return place;
  }
  return undefined;
}

/** Maximum number of removed lines before a shortened one. */
const MAX_LOST_LINES = 200;

/** Returns true if a line is shorter than `whole`, and its letters and digits occur there in the same order. */
function isShortenedFrom(line: string, whole: string): boolean {
  const left = line.replaceAll(NO_WORD, "");
  const all = whole.replaceAll(NO_WORD, "");
  if (left === "" || left.length >= all.length) return false;
  let place = 0;
  for (const character of left) {
    place = all.indexOf(character, place) + 1;
    if (place === 0) return false;
  }
  return true;
}

const NO_WORD = /[^\p{L}\p{N}]+/gu;

function sourcesOfFacts(facts: readonly Fact[]): ReadonlyMap<string, readonly MessageId[]> {
  const sources = new Map<string, readonly MessageId[]>();
  const note = (members: readonly Fact[]): void => {
    const [, line] = renderFacts(members).split("\n");
    if (line !== undefined) sources.set(line, [...new Set(members.map(({ source }) => source))]);
  };
  for (const fact of facts) if (fact.kind !== "identifier") note([fact]);
  note(facts.filter(({ kind }) => kind === "identifier"));
  return sources;
}
