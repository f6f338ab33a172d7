/** The ends of a text, cut between characters and never inside one that takes two units, or between words. */

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

/**
 * The first so many characters without a word that goes on after them. Where spaces part nothing near the end, what
 * parts words are marks such as commas, and scripts without spaces are parted anywhere. A head inside one word stays.
 */
export function headOfWords(text: string, characters: number): string {
  const head = wholeHead(text, characters);
  const [last, next] = [head.slice(-LONGEST_WORD - 1), text.slice(head.length, head.length + 2)];
  if (!goesOn(last, next)) return head;
  const [half = ""] = HALF_AT_END.exec(last) ?? HALF_NAME_AT_END.exec(last) ?? [];
  return head.slice(0, head.length - half.length);
}

/** The last so many characters without a word that began before them. */
export function tailOfWords(text: string, characters: number): string {
  const tail = wholeTail(text, characters);
  const start = text.length - tail.length;
  const [first, previous] = [tail.slice(0, LONGEST_WORD + 1), text.slice(Math.max(0, start - 2), start)];
  if (!goesOn(previous, first)) return tail;
  const [half = ""] = HALF_AT_START.exec(first) ?? HALF_NAME_AT_START.exec(first) ?? [];
  return tail.slice(half.length);
}

/** What is longer is no word. */
const LONGEST_WORD = 100;
const UNSPACED =
  "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}ー\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}";
const UNIT = `[^\\s${UNSPACED}]`;
const NAME_UNIT = `(?![${UNSPACED}])[\\p{L}\\p{M}\\p{N}_]`;
const HALF_AT_END = new RegExp(`(?<=[\\s${UNSPACED}])${UNIT}+$`, "u");
const HALF_AT_START = new RegExp(`^${UNIT}+(?=[\\s${UNSPACED}])`, "u");
const HALF_NAME_AT_END = new RegExp(`(?<=[^\\p{L}\\p{M}\\p{N}_])(?:${NAME_UNIT})+$`, "u");
const HALF_NAME_AT_START = new RegExp(`^(?:${NAME_UNIT})+(?=[^\\p{L}\\p{M}\\p{N}_])`, "u");
const ENDS_IN_WORD = new RegExp(`${UNIT}$`, "u");
const STARTS_WITH_WORD = new RegExp(`^${UNIT}`, "u");

function goesOn(before: string, after: string): boolean {
  return ENDS_IN_WORD.test(before) && STARTS_WITH_WORD.test(after);
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code < 0xdc00;
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code < 0xe000;
}
