/**
 * Reads width and height from the first bytes of a PNG, GIF, WebP or JPEG, because providers charge for images by their
 * size. At most 64 kB are decoded, whatever the image weighs; an image that hides its size further in stays unknown.
 */
import { decodeBytes } from "./decode-base64.ts";

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

/** Enough for every format but JPEG, in which thumbnails and colour profiles may stand before the size. */
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

/** WebP comes in three kinds, told apart by the name of its first chunk. */
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

/** Walks from segment to segment until the one that begins a frame. */
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

/** The bytes FF D8 FF. */
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
