/**
 * Finds plain text in plain text, whatever the case, and cuts a snippet around it. The query is never a pattern. Every
 * store searches texts that went through `normaliseText`, with queries that went through `normaliseQuery`, so that all
 * of them find the same.
 */
const CONTEXT_CHARACTERS = 60;

export interface TextMatch {
  readonly snippet: string;
  readonly matchStart: number;
  readonly matchLength: number;
}

export function findInText(text: string, query: string): TextMatch | undefined {
  const wanted = normaliseQuery(query);
  if (wanted === "") return undefined;
  const at = normaliseText(text).indexOf(wanted);
  if (at < 0) return undefined;
  const start = Math.max(0, at - CONTEXT_CHARACTERS);
  const snippet = text.slice(start, at + wanted.length + CONTEXT_CHARACTERS);
  return { snippet, matchStart: at - start, matchLength: wanted.length };
}

/** Blanks around a query are not looked for; what is left may be empty, and then nothing is found. */
export function normaliseQuery(query: string): string {
  return normaliseText(query.trim());
}

/**
 * Lower case by character: a word folds alike wherever it stands, and positions in the result are the text's. What a
 * database cannot hold (a NUL, half a surrogate pair) becomes the replacement character.
 */
export function normaliseText(text: string): string {
  const storable = text.toWellFormed().replaceAll("\0", "\ufffd");
  return IS_ASCII.test(storable) ? storable.toLowerCase() : storable.replace(FOLDED, foldCharacter);
}

const IS_ASCII = /^\p{ASCII}*$/u;
const FOLDED = /[A-Z]|\P{ASCII}/gu;

/** By way of upper case, so that both small sigmas are one. Characters that would grow stay as they are. */
function foldCharacter(character: string): string {
  const folded = character.toUpperCase().toLowerCase();
  return folded.length === character.length ? folded : character;
}
