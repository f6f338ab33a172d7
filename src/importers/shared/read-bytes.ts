/** Turns the given text, bytes or pieces into bytes. Strings that are whole lines may lack their newlines. */
import { invalidOption } from "../../core/check-options.ts";
import type { TranscriptSource } from "../../ports/transcript.ts";

export type Bytes = AsyncIterable<Uint8Array>;

type Piece = string | Uint8Array;

export async function* readBytes(source: TranscriptSource): AsyncGenerator<Uint8Array, void, undefined> {
  for await (const piece of listPieces(source)) {
    if (typeof piece === "string") yield Buffer.from(isWholeRecord(piece) ? `${piece}\n` : piece);
    else if (piece instanceof Uint8Array) yield piece;
    else throw invalidOption("importTranscript", piece, "pieces of text or bytes");
  }
}

function listPieces(source: TranscriptSource): Iterable<Piece> | AsyncIterable<Piece> {
  if (typeof source === "string" || source instanceof Uint8Array) return [source];
  const isObject = typeof source === "object" && source !== null;
  if (isObject && (Symbol.asyncIterator in source || Symbol.iterator in source)) return source;
  throw invalidOption("importTranscript", source, "a text, bytes, lines or a stream");
}

/** No proper prefix of a JSON object is valid JSON, so a piece that is valid ends a line. */
function isWholeRecord(piece: string): boolean {
  if (!piece.startsWith("{") || !piece.endsWith("}")) return false;
  try {
    JSON.parse(piece);
    return true;
  } catch {
    return false;
  }
}

/** Reads bytes in advance, to recognize a file, and yields them again. */
export class PeekedBytes {
  readonly #pieces: AsyncIterator<Uint8Array>;
  readonly #held: Uint8Array[] = [];
  #isEnded = false;
  length = 0;

  constructor(bytes: Bytes) {
    this.#pieces = bytes[Symbol.asyncIterator]();
  }

  /** True if everything has been read in advance. */
  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** Reads on until so many bytes are held, or the end. */
  async holdBytes(count: number): Promise<Uint8Array> {
    while (!this.#isEnded && this.length < count) {
      const { done, value } = await this.#pieces.next();
      if (done === true) this.#isEnded = true;
      else this.#hold(value);
    }
    return Buffer.concat(this.#held);
  }

  #hold(piece: Uint8Array): void {
    this.#held.push(piece);
    this.length += piece.length;
  }

  async *readAll(): AsyncGenerator<Uint8Array, void, undefined> {
    for (let piece = this.#held.shift(); piece !== undefined; piece = this.#held.shift()) yield piece;
    while (!this.#isEnded) {
      const { done, value } = await this.#pieces.next();
      if (done === true) this.#isEnded = true;
      else yield value;
    }
  }

  /** Closes the source, if the reader stops early. */
  async close(): Promise<void> {
    await this.#pieces.return?.();
  }
}
