/**
 * A text that somebody else wrote, for the eyes of a person: what a terminal would obey, and what turns the reading
 * order around, stands there as the escape that JSON has for it.
 */
const CONTROLS = /[\p{Cc}\u2028\u2029\u202A-\u202E\u2066-\u2069]/gu;

export function showControls(text: string): string {
  return text.replaceAll(CONTROLS, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
