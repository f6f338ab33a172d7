/** What became of the lines of a text: which stayed, which went, which came, in the order in which both can be read. */
import { diffLists } from "./diff-lists.ts";

export interface DiffLine {
  readonly type: "same" | "went" | "came";
  readonly text: string;
}

export function diffLines(before: string, after: string): readonly DiffLine[] {
  const [old, fresh] = [linesOf(before), linesOf(after)];
  return diffLists(old, fresh).map(({ type, before: left, after: right }) => ({
    type,
    text: (type === "came" ? fresh[right] : old[left]) ?? "",
  }));
}

function linesOf(text: string): readonly string[] {
  return text === "" ? [] : text.split("\n");
}
