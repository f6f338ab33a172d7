/** Sends and reads lines of JSON over HTTP one at a time, so that neither side keeps all of them in memory. */
import { RefusedRequest } from "./answer-error.ts";
import type { BodyShare } from "./body-budget.ts";
import { createBodyTooLargeError, MAX_IMPORT_BYTES } from "./body-limit.ts";
import { BODY_LIMITS, readBodyChunks } from "./read-body.ts";
import { streamText } from "./stream-text.ts";

const PIECE_CHARACTERS = 65_536;
const MAX_LINE_CHARACTERS = 64_000_000;

export function sendLines(
  lines: AsyncIterable<string>,
  { name, ...options }: LineOptions & { readonly name: string },
): Response {
  const file = name.replaceAll(/[^\w.-]/g, "_");
  const headers = {
    "content-type": "application/x-ndjson; charset=utf-8",
    "content-disposition": `attachment; filename="${file}"`,
  };
  return streamText(endLines(lines, options), headers);
}

interface LineOptions {
  readonly signal: AbortSignal;
  /** Throws if no more lines may be sent. */
  readonly check: () => void;
}

/** Joins lines into larger pieces, because sending each line alone costs more than writing it. */
async function* endLines(lines: AsyncIterable<string>, { signal, check }: LineOptions): AsyncGenerator<string> {
  let piece = "";
  for await (const line of lines) {
    if (signal.aborted) return;
    piece += line.endsWith("\n") ? line : `${line}\n`;
    if (piece.length < PIECE_CHARACTERS) continue;
    check();
    yield piece;
    piece = "";
  }
  if (piece !== "") yield piece;
}

/** Only an unfinished line is in memory, and in the budget. */
export async function* readRequestLines(request: Request, share: BodyShare): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const line = new OpenLine(share);
  let bytes = 0;
  for await (const chunk of readBodyChunks(request, BODY_LIMITS)) {
    bytes += chunk.byteLength;
    if (bytes > MAX_IMPORT_BYTES) throw createBodyTooLargeError(MAX_IMPORT_BYTES);
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
