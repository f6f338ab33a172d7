/**
 * Splits a long text into pieces, so that the caller can yield to the event loop between them. A piece ends after a
 * paragraph or list item, or else a line, a sentence, a word, a punctuation mark or any character. It never ends inside
 * a private key, which is recognized only as a whole. No text is lost between the pieces.
 */

/** Maximum length of a piece. */
export const PIECE_CHARACTERS = 8_192;

export function* textPieces(text: string): Generator<string, void> {
  let start = 0;
  while (text.length - start > PIECE_CHARACTERS) {
    const end = findEnd(text, start);
    yield text.slice(start, end);
    start = end;
  }
  yield start === 0 ? text : text.slice(start);
}

/** Joins short texts with line breaks, and splits long ones into pieces. */
export function* batchTexts(texts: Iterable<string>): Generator<string, void> {
  let batch: string[] = [];
  let length = 0;
  for (const text of texts) {
    if (batch.length > 0 && length + text.length > PIECE_CHARACTERS) {
      yield batch.join("\n");
      batch = [];
      length = 0;
    }
    if (text.length > PIECE_CHARACTERS) yield* textPieces(text);
    else {
      batch.push(text);
      length += text.length + 1;
    }
  }
  if (batch.length > 0) yield batch.join("\n");
}

/** Number of characters before the limit that are searched for an end. */
const LOOK_BACK = 4_096;
const KEY_START = "-----BEGIN ";
const KEY_END = "-----END ";

function findEnd(text: string, start: number): number {
  const most = start + PIECE_CHARACTERS;
  const window = text.slice(most - LOOK_BACK, most);
  const offset = most - LOOK_BACK;
  const back = ENDS.map((mark) => lastMatch(window, mark)).find((place) => place !== undefined);
  const end = back === undefined ? avoidSplitPair(text, most) : offset + back;
  return endBeforeKey(text, start, end);
}

/** Best first. The first one matches before a paragraph or item, so that `splitSentences` joins the same lines. */
const ENDS: readonly RegExp[] = [
  /[\n\r\u2028\u2029](?=[^\s\p{Ll}|])/gu,
  /[\n\r\u2028\u2029]/g,
  /[.!?؟]\s|[。！？]/g,
  /\s/g,
  /[,;"'{}()[\]|&<>]/g,
];

/** Returns the end of the last match. */
function lastMatch(window: string, mark: RegExp): number | undefined {
  let last: number | undefined;
  for (const match of window.matchAll(mark)) last = match.index + match[0].length;
  return last;
}

function avoidSplitPair(text: string, place: number): number {
  const isSplit = (text.codePointAt(place - 1) ?? 0) > 0xffff;
  return isSplit ? place - 1 : place;
}

/** Ends the piece before a key that it would split, or after the key if the piece begins with it. */
function endBeforeKey(text: string, start: number, end: number): number {
  const piece = text.slice(start, end);
  const key = piece.lastIndexOf(KEY_START);
  if (key < 0 || piece.indexOf(KEY_END, key) >= 0) return end;
  if (key > 0) return start + key;
  const close = text.slice(start, start + MAX_KEY_CHARACTERS).indexOf(KEY_END);
  if (close < 0) return end;
  const last = text.slice(start + close, start + close + KEY_END_CHARACTERS);
  const lineEnd = last.indexOf("\n");
  return avoidSplitPair(text, start + close + (lineEnd < 0 ? last.length : lineEnd + 1));
}

/** An RSA key of 16,384 bits has 13,000 characters, and each line may begin with a number. */
const MAX_KEY_CHARACTERS = 20_000;
/** Length of the longest last line of a key. */
const KEY_END_CHARACTERS = 60;
