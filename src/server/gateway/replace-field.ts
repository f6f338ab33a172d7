/**
 * Replaces the value of one field of a JSON object in its text, so that every other byte stays as the client sent it:
 * the provider's prompt cache compares them.
 */

/** Returns undefined if the object has no such field. `text` must be a valid JSON object. */
export function replaceField(text: string, field: string, value: string): string | undefined {
  const range = findValue(text, field);
  return range === undefined ? undefined : `${text.slice(0, range.start)}${value}${text.slice(range.end)}`;
}

/** Finds the last field of that name, which is the one that `JSON.parse` returns. */
function findValue(text: string, key: string): { readonly start: number; readonly end: number } | undefined {
  let found: { start: number; end: number } | undefined;
  let isOpen = false;
  let depth = 0;
  for (let place = 0; place < text.length; place += 1) {
    const character = text[place];
    if (character === '"') {
      const end = endOfText(text, place);
      const colon = skipSpace(text, end);
      if (depth === 1 && text[colon] === ":" && JSON.parse(text.slice(place, end)) === key) {
        found = { start: skipSpace(text, colon + 1), end: text.length };
        isOpen = true;
      }
      place = end - 1;
    } else if (character === "{" || character === "[") depth += 1;
    else if (character === "}" || character === "]") depth -= 1;
    const hasEnded = (depth === 1 && character === ",") || depth === 0;
    if (!isOpen || !hasEnded || found === undefined || place < found.start) continue;
    found.end = trimSpace(text, place);
    isOpen = false;
  }
  return found;
}

/** Returns the place after the closing quote of the text that begins at `start`. */
function endOfText(text: string, start: number): number {
  for (let place = text.indexOf('"', start + 1); place !== -1; place = text.indexOf('"', place + 1)) {
    let slashes = 0;
    while (text[place - 1 - slashes] === "\\") slashes += 1;
    if (slashes % 2 === 0) return place + 1;
  }
  return text.length;
}

const SPACE = " \t\r\n";

function skipSpace(text: string, start: number): number {
  let place = start;
  while (place < text.length && SPACE.includes(text[place] ?? "")) place += 1;
  return place;
}

function trimSpace(text: string, end: number): number {
  let place = end;
  while (place > 0 && SPACE.includes(text[place - 1] ?? "")) place -= 1;
  return place;
}
