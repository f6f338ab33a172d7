/** Makes stored text harmless for the programs that show results: messages may contain anything. */

/** All control characters except line ends and tabs, and those that reverse the reading order. */
const CONTROLS = /(?![\n\t])\p{Cc}|[\u2028\u2029\u202A-\u202E\u2066-\u2069]/gu;

/** Shows control characters as JSON escapes, so that a terminal does not obey them. */
export function escapeControls(text: string): string {
  return text.replaceAll(CONTROLS, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Returns the text in one line, so that it cannot pose as another result. */
export function toLine(text: string): string {
  return text.replaceAll(/[\s\p{Cc}]+/gu, " ").trim();
}
