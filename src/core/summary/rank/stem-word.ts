/** A word of English without its ending, so that "painted" and "painting" count as one word. Rough, and only to compare. */
const ENDING = /(?:ing|ed|es|s|e)$/;
const SHORTEST = 5;

export function stemWord(word: string): string {
  if (word.length < SHORTEST || !/^[a-z]+$/.test(word)) return word;
  return word.endsWith("ies") ? `${word.slice(0, -3)}y` : word.replace(ENDING, "");
}
