/** Splits texts, bytes or chunks into lines, at newlines only. Chunks that are whole lines may lack newlines. */
import { invalidOption } from "../../core/check-options.ts";

type Piece = string | Uint8Array;

export type LinePieces = Piece | Iterable<Piece> | AsyncIterable<Piece>;

export async function* splitLines(source: LinePieces | Promise<LinePieces>): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder();
  let parts: string[] = [];
  let areLines: boolean | undefined;
  for await (const piece of listPieces(await source)) {
    const text = decodePiece(piece, (bytes) => decoder.decode(bytes, { stream: true }));
    if (parts.length > 0 && text !== "") areLines ??= isWholeLine(parts.join(""), text);
    if (areLines === true && parts.length > 0) yield parts.join("");
    if (areLines === true) parts = [];
    const [first = "", ...others] = (areLines === true ? text.replace(/\n$/, "") : text).split("\n");
    parts.push(first);
    for (const next of others) {
      yield parts.join("");
      parts = [next];
    }
  }
  const rest = parts.join("") + decoder.decode();
  if (rest !== "") yield rest;
}

/** Whether a chunk is a whole line: no proper prefix of a JSON object is valid JSON. */
function isWholeLine(text: string, next: string): boolean {
  if (!text.startsWith("{") || /^[\r\n]/.test(next)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function decodePiece(piece: unknown, decode: (bytes: Uint8Array) => string): string {
  if (typeof piece === "string") return piece;
  if (piece instanceof Uint8Array) return decode(piece);
  throw invalidOption("importSession", piece, "pieces of text or bytes");
}

function listPieces(source: LinePieces): Iterable<Piece> | AsyncIterable<Piece> {
  if (typeof source === "string" || source instanceof Uint8Array) return [source];
  const isObject = typeof source === "object" && source !== null;
  if (isObject && (Symbol.asyncIterator in source || Symbol.iterator in source)) return source;
  throw invalidOption(
    "importSession",
    source,
    "a text, bytes, lines, a stream, or a function that returns one of them",
  );
}
