/** Finds plain text in plain text, whatever the case, and cuts a snippet around it. The query is never a pattern. */
const CONTEXT_CHARACTERS = 60;

export interface TextMatch {
  readonly snippet: string;
  readonly matchStart: number;
  readonly matchLength: number;
}

export function findInText(text: string, query: string): TextMatch | undefined {
  const wanted = fold(query.trim());
  if (wanted === "") return undefined;
  const folded = fold(text);
  const at = folded.indexOf(wanted);
  if (at < 0) return undefined;
  const start = Math.max(0, at - CONTEXT_CHARACTERS);
  const snippet = text.slice(start, at + wanted.length + CONTEXT_CHARACTERS);
  return { snippet, matchStart: at - start, matchLength: wanted.length };
}

/** Lower case by unit, so that positions in the folded text are positions in the text. */
function fold(text: string): string {
  const lower = text.toLowerCase();
  if (lower.length === text.length) return lower;
  return Array.from({ length: text.length }, (_, index) => foldUnit(text.charAt(index))).join("");
}

function foldUnit(unit: string): string {
  const lower = unit.toLowerCase();
  return lower.length === 1 ? lower : unit;
}
