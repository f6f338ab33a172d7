/** Reads a JSON list of any length item by item, and a JSON object whole. */
import type { Bytes } from "./read-bytes.ts";
import { isBlank, MAX_RECORD_BYTES, parseRecord, type ReadRecord, tooLarge } from "./record.ts";

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Yields the items of a list. The source begins with the list's bracket, apart from blanks. */
export async function* readJsonList(source: Bytes): AsyncGenerator<readonly ReadRecord[], void, undefined> {
  const items = new ListScan();
  for await (const piece of source) {
    const read = items.add(piece);
    if (read.length > 0) yield read;
  }
  yield items.end();
}

export async function* readJsonObject(source: Bytes): AsyncGenerator<readonly ReadRecord[], void, undefined> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of source) {
    length += piece.length;
    if (length > MAX_RECORD_BYTES) {
      yield [{ place: "the file", problem: `${tooLarge("JSON object")}. Export fewer conversations at once` }];
      return;
    }
    pieces.push(piece);
  }
  yield [parseRecord(Buffer.concat(pieces), { place: "the file" })];
}

/** Finds where the items of a list end. It is not a parser: an invalid item is found when it is parsed. */
export class ListScan {
  #pieces: Uint8Array[] = [];
  #length = 0;
  #depth = 0;
  #isText = false;
  #isEscaped = false;
  #index = 0;
  #isEnded = false;

  add(piece: Uint8Array): readonly ReadRecord[] {
    const read: ReadRecord[] = [];
    let start = 0;
    for (let index = 0; index < piece.length && !this.#isEnded; index += 1) {
      const byte = piece[index] ?? 0;
      if (this.#isText) this.#readText(byte);
      else if (byte === QUOTE) this.#isText = true;
      else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
        this.#depth += 1;
        if (this.#depth === 1) start = index + 1;
      } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT || (byte === COMMA && this.#depth === 1)) {
        if (byte !== COMMA) this.#depth -= 1;
        if (this.#depth > 1 || (this.#depth === 1 && byte !== COMMA)) continue;
        this.#hold(piece.subarray(start, index));
        start = index + 1;
        read.push(...this.#take());
        this.#isEnded = this.#depth === 0;
      }
    }
    if (!this.#isEnded && this.#depth > 0) this.#hold(piece.subarray(start));
    return read;
  }

  end(): readonly ReadRecord[] {
    if (this.#isEnded) return [];
    const rest =
      this.#length === 0 ? [] : [{ place: `[${this.#index}]`, problem: "the file ends in the middle of this item" }];
    return rest;
  }

  #readText(byte: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === BACKSLASH) this.#isEscaped = true;
    else if (byte === QUOTE) this.#isText = false;
  }

  #hold(piece: Uint8Array): void {
    this.#length += piece.length;
    if (this.#length > MAX_RECORD_BYTES) this.#pieces = [];
    else if (piece.length > 0) this.#pieces.push(piece);
  }

  #take(): readonly ReadRecord[] {
    const isTooLarge = this.#length > MAX_RECORD_BYTES;
    const bytes = Buffer.concat(this.#pieces);
    [this.#pieces, this.#length] = [[], 0];
    if (!isTooLarge && isBlank(bytes)) return [];
    const place = { place: `[${this.#index}]` };
    this.#index += 1;
    return [isTooLarge ? { ...place, problem: tooLarge("item") } : parseRecord(bytes, place)];
  }
}
