/** Writes a value of unknown shape as JSON and separates its media, so that each is counted by its own rule. */
import { isObject } from "../check-value.ts";
import { findStatedType } from "../message/media-output.ts";

export interface EmbeddedMedia {
  readonly mediaType: string | undefined;
  /** Empty if the bytes were a typed array instead of base64. */
  readonly base64: string;
}

export interface SeparatedValue {
  readonly text: string;
  readonly media: readonly EmbeddedMedia[];
}

export function separateMedia(value: unknown): SeparatedValue {
  const media: EmbeddedMedia[] = [];
  const text = JSON.stringify(value, function (this: unknown, key: string, entry: unknown): unknown {
    const found = findMedia(rawEntry(this, key) ?? entry, isObject(this) ? findStatedType(this) : undefined);
    if (found === undefined) return typeof entry === "bigint" ? String(entry) : entry;
    media.push(found);
    return "";
  });
  return { text: text ?? "", media };
}

/** Returns the value before `toJSON`, which turns a Buffer into a list of numbers. */
function rawEntry(holder: unknown, key: string): unknown {
  return isObject(holder) ? holder[key] : undefined;
}

function findMedia(entry: unknown, mediaType: string | undefined): EmbeddedMedia | undefined {
  if (entry instanceof Uint8Array || entry instanceof ArrayBuffer) return { mediaType, base64: "" };
  if (typeof entry !== "string") return undefined;
  const address = /^data:([^;,]{0,100})(?:;[^;,]{1,100})*;base64,/.exec(entry.slice(0, 300));
  if (address !== null) return { mediaType: address[1] || mediaType, base64: entry.slice(address[0].length) };
  if (entry.length < MIN_MEDIA_CHARACTERS || !BASE64.test(entry.slice(0, MIN_MEDIA_CHARACTERS))) return undefined;
  const isMedia = mediaType !== undefined ? MEDIA_TYPE.test(mediaType) : MEDIA_START.test(entry);
  return isMedia ? { mediaType: mediaType ?? guessType(entry), base64: entry } : undefined;
}

const MIN_MEDIA_CHARACTERS = 64;
const BASE64 = /^[A-Za-z0-9+/_-]+$/;
const MEDIA_TYPE = /^(?:image|audio|video)\/|^application\/pdf$/;
/** The first characters of PNG, JPEG, GIF, WebP and PDF in base64. */
const MEDIA_START = /^(?:iVBORw0KGgo|\/9j\/|R0lGOD|UklGR|JVBERi0)/;

function guessType(base64: string): string {
  return base64.startsWith("JVBERi0") ? "application/pdf" : "image/*";
}
