/** Reads a stretch of base64 as bytes or text. It never throws: what is not base64 gives no bytes. */

/** Bytes from `base64.slice(start, end)`; both must be multiples of four to fall between bytes. */
export function decodeBytes(base64: string, range: { readonly start: number; readonly end: number }): Uint8Array {
  const standard = base64.slice(range.start, range.end).replaceAll("-", "+").replaceAll("_", "/");
  try {
    return Uint8Array.from(atob(standard), (character) => character.charCodeAt(0));
  } catch {
    return new Uint8Array(0);
  }
}

/** How many bytes the base64 stands for. */
export function byteLength(base64: string): number {
  const padding = base64.endsWith("==") ? 2 : base64.endsWith("=") ? 1 : 0;
  return Math.max(0, Math.floor((base64.length * 3) / 4) - padding);
}

/** Text in pieces of about 24 kB, so that a long file can be read in steps. Bytes that are no UTF-8 become U+FFFD. */
export function* decodeText(base64: string): Generator<string, undefined> {
  const decoder = new TextDecoder();
  for (let start = 0; start < base64.length; start += TEXT_PIECE_CHARACTERS) {
    const bytes = decodeBytes(base64, { start, end: start + TEXT_PIECE_CHARACTERS });
    yield decoder.decode(bytes, { stream: true });
  }
  yield decoder.decode();
  return undefined;
}

const TEXT_PIECE_CHARACTERS = 32_768;
