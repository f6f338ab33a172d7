/**
 * JSON as configuration files may write it: with comments, from two slashes to the end of the line or between a slash
 * with a star and a star with a slash, and with a comma after the last item.
 */

const STRING = '"(?:[^"\\\\\\n]|\\\\.)*"';
const STRING_OR_COMMENT = new RegExp(`${STRING}|//[^\\n]*|/\\*[\\s\\S]*?(?:\\*/|$)`, "g");
const STRING_OR_LAST_COMMA = new RegExp(`${STRING}|,(?=\\s*[}\\]])`, "g");

/** Throws a SyntaxError, whose place is right in the text as it was given. */
export function parseRelaxedJson(text: string): unknown {
  return JSON.parse(blank(blank(text, STRING_OR_COMMENT), STRING_OR_LAST_COMMA));
}

/** Returns the comments before the first value, to be kept when the file is rewritten. */
export function readHeaderComments(text: string): string {
  const start = blank(text, STRING_OR_COMMENT).search(/\S/);
  return start < 0 ? "" : text.slice(0, start).trimEnd();
}

/** Replaces what is found by spaces, except strings and line breaks. */
function blank(text: string, pattern: RegExp): string {
  return text.replaceAll(pattern, (found) => (found.startsWith('"') ? found : found.replaceAll(/[^\n]/g, " ")));
}
