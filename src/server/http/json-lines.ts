/** Sends and reads lines of JSON over HTTP one at a time, so that neither side keeps all of them in memory. */
import { RefusedRequest } from "./answer-error.ts";
import type { BodyShare } from "./body-budget.ts";
import { streamText } from "./stream-text.ts";

const PIECE_CHARACTERS = 65_536;
const MAX_LINE_CHARACTERS = 64_000_000;

export function sendLines(lines: AsyncIterable<string>, options: LineOptions & { readonly name: string }): Response {
  return sendPieces(endLines(lines), options);
}

/** Sends text in pieces that may end anywhere. */
export function sendPieces(
  pieces: AsyncIterable<string>,
  { name, ...options }: LineOptions & { readonly name: string },
): Response {
  const file = name.replaceAll(/[^\w.-]/g, "_");
  const headers = {
    "content-type": "application/x-ndjson; charset=utf-8",
    "content-disposition": `attachment; filename="${file}"`,
  };
  return streamText(joinPieces(pieces, options), headers);
}

interface LineOptions {
  readonly signal: AbortSignal;
  /** Throws if no more lines may be sent. */
  readonly check: () => void;
}

async function* endLines(lines: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of lines) yield line.endsWith("\n") ? line : `${line}\n`;
}

/** Joins texts into larger pieces, because sending each line alone costs more than writing it. */
async function* joinPieces(texts: AsyncIterable<string>, { signal, check }: LineOptions): AsyncGenerator<string> {
  let piece = "";
  for await (const text of texts) {
    if (signal.aborted) return;
    piece += text;
    if (piece.length < PIECE_CHARACTERS) continue;
    check();
    yield piece;
    piece = "";
  }
  if (piece !== "") yield piece;
}

/** Only an unfinished line is in memory, and in the budget. */
export async function* readByteLines(bytes: AsyncIterable<Uint8Array>, share: BodyShare): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const line = new OpenLine(share);
  for await (const chunk of bytes) {
    const [first = "", ...others] = decodeChunk(decoder, chunk).split("\n");
    line.add(first);
    for (const next of others) {
      yield line.take();
      line.add(next);
    }
  }
  const last = line.take();
  if (last !== "") yield last;
}

/** An unfinished line. Its pieces are joined once; searching the joined text for each piece would be quadratic. */
class OpenLine {
  readonly #share: BodyShare;
  #pieces: string[] = [];
  #length = 0;

  constructor(share: BodyShare) {
    this.#share = share;
  }

  add(piece: string): void {
    this.#length += piece.length;
    if (this.#length > MAX_LINE_CHARACTERS)
      throw new RefusedRequest("request-too-large", "A line of the import is too long.");
    this.#share.add(piece.length);
    this.#pieces.push(piece);
  }

  take(): string {
    const line = this.#pieces.join("");
    this.#pieces = [];
    this.#share.remove(this.#length);
    this.#length = 0;
    return line;
  }
}

function decodeChunk(decoder: InstanceType<typeof TextDecoder>, chunk: Uint8Array): string {
  try {
    return decoder.decode(chunk, { stream: true });
  } catch {
    throw new RefusedRequest("request-invalid", "The import is not UTF-8.");
  }
}
