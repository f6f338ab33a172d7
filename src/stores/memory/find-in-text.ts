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

/** Lower case by character: a word folds alike wherever it stands, and positions in the folded text are the text's. */
function fold(text: string): string {
  return text.replace(/[A-Z]|\P{ASCII}/gu, foldCharacter);
}

/** By way of upper case, so that both small sigmas are one. Characters that would grow stay as they are. */
function foldCharacter(character: string): string {
  const folded = character.toUpperCase().toLowerCase();
  return folded.length === character.length ? folded : character;
}
