/** A snippet of a search as somebody reads it: it begins and ends with a whole word, and says where something is cut. */

/** The server takes so many characters on each side; a letter of two units can be lost to that. */
const CUT_CHARACTERS = 59;
/** A word that is longer is cut where it is. */
const MOST_OF_A_WORD = 24;

export function trimBefore(text: string): string {
  if (text.length < CUT_CHARACTERS) return text;
  const space = text.search(/\s/);
  return `…${(space === -1 || space > MOST_OF_A_WORD ? text : text.slice(space)).trimStart()}`;
}

export function trimAfter(text: string): string {
  if (text.length < CUT_CHARACTERS) return text;
  const rest = /\S*$/.exec(text)?.[0].length ?? 0;
  return `${(rest > MOST_OF_A_WORD ? text : text.slice(0, text.length - rest)).trimEnd()}…`;
}
