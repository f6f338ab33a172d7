/**
 * Cuts a long text into pieces that are read one after the other, so that the reader of a megabyte can yield in
 * between. A piece ends at the end of a paragraph or an item, else of a line, else of a sentence, else of a word, else
 * before a mark that no name goes over, else anywhere between two characters; never inside a private key, which is known
 * only as a whole.
 *
 * A text that is not long is one piece, and the pieces of a text are the text.
 */
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

/** Many short texts as few, each on lines of its own; long ones in pieces. */
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

/** How far back from its end a piece is looked at for a better end. */
const LOOK_BACK = 4_096;
const KEY_START = "-----BEGIN ";
const KEY_END = "-----END ";

function findEnd(text: string, start: number): number {
  const most = start + PIECE_CHARACTERS;
  const window = text.slice(most - LOOK_BACK, most);
  const offset = most - LOOK_BACK;
  const back = ENDS.map((mark) => lastMatch(window, mark)).find((place) => place !== undefined);
  const end = back === undefined ? wholeEnd(text, most) : offset + back;
  return endBeforeKey(text, start, end);
}

/** First the end of a line to which the next one cannot belong: `splitSentences` joins indented and wrapped lines and tables. */
const ENDS: readonly RegExp[] = [
  /[\n\r\u2028\u2029](?=[^\s\p{Ll}|])/gu,
  /[\n\r\u2028\u2029]/g,
  /[.!?؟]\s|[。！？]/g,
  /\s/g,
  /[,;"'{}()[\]|&<>]/g,
];

/** Right after the last place where the mark stands. */
function lastMatch(window: string, mark: RegExp): number | undefined {
  let last: number | undefined;
  for (const match of window.matchAll(mark)) last = match.index + match[0].length;
  return last;
}

function wholeEnd(text: string, place: number): number {
  const isSplit = (text.codePointAt(place - 1) ?? 0) > 0xffff;
  return isSplit ? place - 1 : place;
}

/** A key that begins in the piece and does not end there begins the next one, which is as long as the key is. */
function endBeforeKey(text: string, start: number, end: number): number {
  const piece = text.slice(start, end);
  const key = piece.lastIndexOf(KEY_START);
  if (key < 0 || piece.indexOf(KEY_END, key) >= 0) return end;
  if (key > 0) return start + key;
  const close = text.slice(start, start + LONGEST_KEY).indexOf(KEY_END);
  if (close < 0) return end;
  const last = text.slice(start + close, start + close + KEY_END_CHARACTERS);
  const lineEnd = last.indexOf("\n");
  return wholeEnd(text, start + close + (lineEnd < 0 ? last.length : lineEnd + 1));
}

/** RSA with 16,384 bits takes 13,000 characters, and each line may have a number before it. */
const LONGEST_KEY = 20_000;
/** The longest border. */
const KEY_END_CHARACTERS = 60;
