/** The ends of a text, cut between characters and never inside one that takes two units. */

/** The first so many characters, never half of a surrogate pair. */
export function wholeHead(text: string, characters: number): string {
  if (text.length <= characters) return text;
  const isSplit = isHighSurrogate(text.charCodeAt(characters - 1)) && isLowSurrogate(text.charCodeAt(characters));
  return text.slice(0, isSplit ? characters - 1 : characters);
}

/** The last so many characters, never half of a surrogate pair. */
export function wholeTail(text: string, characters: number): string {
  if (text.length <= characters) return text;
  const start = text.length - characters;
  const isSplit = isHighSurrogate(text.charCodeAt(start - 1)) && isLowSurrogate(text.charCodeAt(start));
  return text.slice(isSplit ? start + 1 : start);
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code < 0xdc00;
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code < 0xe000;
}
