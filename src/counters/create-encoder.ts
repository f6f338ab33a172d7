/**
 * Counts tokens as OpenAI's encodings do: a pattern cuts a text into pieces, and each piece is a token or is encoded by
 * joining byte pairs. Special tokens count as text.
 */
import { PairMerger } from "./pair-merger.ts";
import { TokenTable } from "./token-table.ts";

/** Counts the tokens of a short text; special tokens count as text. */
export type CountWindow = (text: string) => number;

export interface TokenEncoding {
  /** The source of a regular expression that matches at every place of a text. */
  readonly pattern: string;
  readonly table: { readonly base64: string; readonly tokens: number };
}

/** Limits the cache to a few megabytes: growing a larger one alone takes twenty milliseconds. */
const CACHED_CHARACTERS = 250_000;

export function createEncoder({ pattern, table: { base64, tokens } }: TokenEncoding): CountWindow {
  const table = new TokenTable(base64, tokens);
  const merger = new PairMerger(table);
  const known = new Map<string, number>();
  let characters = 0;
  let bytes = new Uint8Array(8_192);
  const pieces = new RegExp(pattern, "gu");

  const countPiece = (piece: string, length: number): number => {
    const before = known.get(piece);
    if (before !== undefined) return before;
    characters += piece.length;
    if (characters > CACHED_CHARACTERS) {
      known.clear();
      characters = piece.length;
    }
    const counted = merger.countTokens(bytes, length);
    known.set(piece, counted);
    return counted;
  };

  return (text) => {
    if (bytes.length < 3 * text.length) bytes = new Uint8Array(3 * text.length);
    let counted = 0;
    pieces.lastIndex = 0;
    for (let start = 0; pieces.test(text); start = pieces.lastIndex) {
      const length = writeBytes(text, start, pieces.lastIndex, bytes);
      counted += table.findRank(bytes, 0, length) >= 0 ? 1 : countPiece(text.slice(start, pieces.lastIndex), length);
    }
    return counted;
  };
}

/** Writes a part of a text as UTF-8 and returns the number of bytes. A lone surrogate becomes U+FFFD. */
function writeBytes(text: string, start: number, end: number, bytes: Uint8Array): number {
  let length = 0;
  for (let at = start; at < end; at += 1) {
    let code = text.charCodeAt(at);
    if (code < 0x80) {
      bytes[length++] = code;
      continue;
    }
    if (code >= 0xd800 && code < 0xe000) {
      const low = at + 1 < end ? text.charCodeAt(at + 1) : 0;
      const isPair = code < 0xdc00 && low >= 0xdc00 && low < 0xe000;
      if (isPair) at += 1;
      code = isPair ? 0x10000 + ((code & 0x3ff) << 10) + (low & 0x3ff) : 0xfffd;
    }
    if (code < 0x800) bytes[length++] = 0xc0 | (code >> 6);
    else {
      if (code < 0x10000) bytes[length++] = 0xe0 | (code >> 12);
      else {
        bytes[length++] = 0xf0 | (code >> 18);
        bytes[length++] = 0x80 | ((code >> 12) & 63);
      }
      bytes[length++] = 0x80 | ((code >> 6) & 63);
    }
    bytes[length++] = 0x80 | (code & 63);
  }
  return length;
}
