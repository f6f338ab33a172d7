/** Takes the beginning or end of a text without splitting a surrogate pair or a word. */

/** Returns the first characters, never half of a surrogate pair. */
export function takeHead(text: string, characters: number): string {
  if (text.length <= characters) return text;
  return text.slice(0, splitsPair(text, characters) ? characters - 1 : characters);
}

/** Returns the last characters, never half of a surrogate pair. */
export function takeTail(text: string, characters: number): string {
  if (text.length <= characters) return text;
  const start = text.length - characters;
  return text.slice(splitsPair(text, start) ? start + 1 : start);
}

/**
 * Returns the first characters, without a word that the limit would split. If there is no space near the end, marks such
 * as commas separate words, and scripts without spaces can be cut anywhere. A head that is one long word is kept.
 */
export function takeHeadWords(text: string, characters: number): string {
  const head = takeHead(text, characters);
  const [last, next] = [head.slice(-MAX_WORD_CHARACTERS - 1), text.slice(head.length, head.length + 2)];
  if (!continuesWord(last, next)) return head;
  const [half = ""] = HALF_AT_END.exec(last) ?? HALF_NAME_AT_END.exec(last) ?? [];
  return head.slice(0, head.length - half.length);
}

/** Returns the last characters, without a word that the limit would split. */
export function takeTailWords(text: string, characters: number): string {
  const tail = takeTail(text, characters);
  const start = text.length - tail.length;
  const [first, previous] = [tail.slice(0, MAX_WORD_CHARACTERS + 1), text.slice(Math.max(0, start - 2), start)];
  if (!continuesWord(previous, first)) return tail;
  const [half = ""] = HALF_AT_START.exec(first) ?? HALF_NAME_AT_START.exec(first) ?? [];
  return tail.slice(half.length);
}

/** Longer sequences are not words. */
const MAX_WORD_CHARACTERS = 100;
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

function continuesWord(before: string, after: string): boolean {
  return ENDS_IN_WORD.test(before) && STARTS_WITH_WORD.test(after);
}

/** Whether a cut before this index would split a surrogate pair. */
export function splitsPair(text: string, index: number): boolean {
  const [before, after] = [text.charCodeAt(index - 1), text.charCodeAt(index)];
  return before >= 0xd800 && before < 0xdc00 && after >= 0xdc00 && after < 0xe000;
}
