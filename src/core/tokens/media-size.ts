/**
 * Reads the size of images and PDFs, by which providers charge. It decodes at most 64 kB of an image; a size that is
 * stored further in stays unknown. It never throws: invalid base64 gives no bytes.
 */

export interface ImageSize {
  readonly widthPixels: number;
  readonly heightPixels: number;
}

export function readImageSize(base64: string): ImageSize | undefined {
  const head = decodeBytes(base64, { start: 0, end: HEAD_CHARACTERS });
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  const size = readPng(view) ?? readGif(view) ?? readWebp(view) ?? readJpeg(base64);
  return size !== undefined && size.widthPixels > 0 && size.heightPixels > 0 ? size : undefined;
}

/** Enough for every format except JPEG, in which thumbnails and color profiles can come before the size. */
const HEAD_CHARACTERS = 64;
const JPEG_CHARACTERS = 87_384;

function readPng(view: DataView): ImageSize | undefined {
  if (!hasText(view, { at: 1, text: "PNG" }) || view.byteLength < 24) return undefined;
  return { widthPixels: view.getUint32(16), heightPixels: view.getUint32(20) };
}

function readGif(view: DataView): ImageSize | undefined {
  if (!hasText(view, { at: 0, text: "GIF8" }) || view.byteLength < 10) return undefined;
  return { widthPixels: view.getUint16(6, true), heightPixels: view.getUint16(8, true) };
}

/** WebP has three variants, distinguished by the name of the first chunk. */
function readWebp(view: DataView): ImageSize | undefined {
  if (!hasText(view, { at: 8, text: "WEBPVP8" }) || view.byteLength < 30) return undefined;
  switch (view.getUint8(15)) {
    case LOSSY:
      return { widthPixels: view.getUint16(26, true) & 0x3fff, heightPixels: view.getUint16(28, true) & 0x3fff };
    case LOSSLESS: {
      const bits = view.getUint32(21, true);
      return { widthPixels: (bits & 0x3fff) + 1, heightPixels: ((bits >> 14) & 0x3fff) + 1 };
    }
    case EXTENDED:
      return { widthPixels: readUint24(view, 24) + 1, heightPixels: readUint24(view, 27) + 1 };
    default:
      return undefined;
  }
}

const LOSSY = 0x20;
const LOSSLESS = 0x4c;
const EXTENDED = 0x58;

/** Skips segments until the one that begins a frame. */
function readJpeg(base64: string): ImageSize | undefined {
  if (!base64.startsWith(JPEG_START)) return undefined;
  const bytes = decodeBytes(base64, { start: 0, end: JPEG_CHARACTERS });
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 2; at + 9 <= view.byteLength; ) {
    const marker = view.getUint8(at + 1);
    if (view.getUint8(at) !== 0xff) return undefined;
    if (marker === 0xff) at += 1;
    else if (beginsFrame(marker)) return { widthPixels: view.getUint16(at + 7), heightPixels: view.getUint16(at + 5) };
    else at += 2 + view.getUint16(at + 2);
  }
  return undefined;
}

const JPEG_START = "/9j/";
const FRAMELESS: ReadonlySet<number> = new Set([0xc4, 0xc8, 0xcc]);

function beginsFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && !FRAMELESS.has(marker);
}

function hasText(view: DataView, { at, text }: { readonly at: number; readonly text: string }): boolean {
  if (view.byteLength < at + text.length) return false;
  return [...text].every((character, index) => view.getUint8(at + index) === character.charCodeAt(0));
}

function readUint24(view: DataView, at: number): number {
  return view.getUint16(at, true) | (view.getUint8(at + 2) << 16);
}

/** Estimates the pages of a PDF from its first and last 48 kB, or else from its size. */
export function estimatePdfPages(base64: string): number {
  const stated = readStatedPages(decodeLatin(base64, 0)) ?? readStatedPages(decodeLatin(base64, tailStart(base64)));
  const pages = stated ?? Math.ceil(byteLength(base64) / BYTES_PER_PAGE);
  return Math.min(MAX_PAGES, Math.max(1, pages));
}

/** No provider accepts more pages. */
const MAX_PAGES = 1_000;
/** A compromise between a text page (20–40 kB with its fonts) and a scanned page (100 kB and more). */
const BYTES_PER_PAGE = 50_000;
const LOOK_CHARACTERS = 65_536;

function tailStart(base64: string): number {
  return Math.max(0, Math.floor((base64.length - LOOK_CHARACTERS) / 4) * 4);
}

function decodeLatin(base64: string, start: number): string {
  return new TextDecoder("latin1").decode(decodeBytes(base64, { start, end: start + LOOK_CHARACTERS }));
}

/** Reads `/N` in the header of a linearized file, or else the largest `/Count` of an uncompressed page tree. */
function readStatedPages(text: string): number | undefined {
  const linearized = /\/Linearized[^>]{0,200}\/N\s{1,4}(\d{1,6})/.exec(text);
  if (linearized?.[1] !== undefined) return Number(linearized[1]);
  const counts = [...text.matchAll(/\/Count\s{1,4}(\d{1,6})/g)].map((match) => Number(match[1]));
  return counts.length === 0 ? undefined : Math.max(...counts);
}

/** Decodes `base64.slice(start, end)`. Both must be multiples of four. */
export function decodeBytes(base64: string, range: { readonly start: number; readonly end: number }): Uint8Array {
  const standard = base64.slice(range.start, range.end).replaceAll("-", "+").replaceAll("_", "/");
  try {
    return Uint8Array.from(atob(standard), (character) => character.charCodeAt(0));
  } catch {
    return new Uint8Array(0);
  }
}

export function byteLength(base64: string): number {
  const padding = base64.endsWith("==") ? 2 : base64.endsWith("=") ? 1 : 0;
  return Math.max(0, Math.floor((base64.length * 3) / 4) - padding);
}

/** Decodes text in pieces of about 24 kB, so that a long file can be read in steps. Invalid UTF-8 becomes U+FFFD. */
export function* decodeTextPieces(base64: string): Generator<string, undefined> {
  const decoder = new TextDecoder();
  for (let start = 0; start < base64.length; start += TEXT_PIECE_CHARACTERS) {
    const bytes = decodeBytes(base64, { start, end: start + TEXT_PIECE_CHARACTERS });
    yield decoder.decode(bytes, { stream: true });
  }
  yield decoder.decode();
  return undefined;
}

const TEXT_PIECE_CHARACTERS = 32_768;
