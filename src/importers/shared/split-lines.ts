/** The streaming reader of JSON Lines: splits bytes into numbered lines and parses each one alone. */
import type { Bytes } from "./read-bytes.ts";
import { isBlank, MAX_RECORD_BYTES, parseRecord, type ReadRecord, tooLarge } from "./record.ts";

const [NEWLINE, RETURN] = [0x0a, 0x0d];

export interface RawLine {
  readonly line: number;
  /** Undefined if the line is too long to be held in memory. */
  readonly bytes: Uint8Array | undefined;
}

/** Yields the lines of each piece together, because one step of an iterator for each line costs more than parsing. */
export async function* splitLines(source: Bytes): AsyncGenerator<readonly RawLine[], void, undefined> {
  const open = new OpenLine();
  for await (const piece of source) {
    const lines: RawLine[] = [];
    let start = 0;
    for (let end = piece.indexOf(NEWLINE); end >= 0; end = piece.indexOf(NEWLINE, start)) {
      open.add(piece.subarray(start, end));
      lines.push(open.take());
      start = end + 1;
    }
    open.add(piece.subarray(start));
    if (lines.length > 0) yield lines;
  }
  if (!open.isEmpty) yield [open.take()];
}

/** Yields a record for each line that is not blank, or the reason why it cannot be read. */
export async function* readJsonLines(source: Bytes): AsyncGenerator<readonly ReadRecord[], void, undefined> {
  for await (const lines of splitLines(source)) yield lines.flatMap(parseLine);
}

function parseLine({ line, bytes }: RawLine): readonly ReadRecord[] {
  const place = { place: `line ${line}`, line };
  if (bytes === undefined) return [{ ...place, problem: tooLarge("line") }];
  return isBlank(bytes) ? [] : [parseRecord(bytes, place)];
}

/** The beginning of a line whose end has not arrived. */
class OpenLine {
  #pieces: Uint8Array[] = [];
  #length = 0;
  #line = 1;

  get isEmpty(): boolean {
    return this.#length === 0;
  }

  add(piece: Uint8Array): void {
    if (piece.length === 0) return;
    this.#length += piece.length;
    if (this.#length > MAX_RECORD_BYTES) this.#pieces = [];
    else this.#pieces.push(piece);
  }

  take(): RawLine {
    const isTooLong = this.#length > MAX_RECORD_BYTES;
    const [only = new Uint8Array()] = this.#pieces;
    const whole = this.#pieces.length > 1 ? Buffer.concat(this.#pieces) : only;
    const bytes = whole.at(-1) === RETURN ? whole.subarray(0, -1) : whole;
    const taken = { line: this.#line, bytes: isTooLong ? undefined : bytes };
    [this.#pieces, this.#length, this.#line] = [[], 0, this.#line + 1];
    return taken;
  }
}
