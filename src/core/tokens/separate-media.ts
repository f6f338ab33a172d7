/**
 * Writes a value of unknown shape as JSON and takes the media out of it, so that what is text can be counted as text
 * and what is an image or a document by its own rule. For parts that a newer format sent and for plain messages;
 * what tools returned is read by `media-output.ts`, because it is also sent so.
 */

export interface EmbeddedMedia {
  readonly mediaType: string | undefined;
  /** Empty where the bytes were not base64 (a typed array), so that only their presence is known. */
  readonly base64: string;
}

export interface SeparatedValue {
  readonly text: string;
  readonly media: readonly EmbeddedMedia[];
}

export function separateMedia(value: unknown): SeparatedValue {
  const media: EmbeddedMedia[] = [];
  const text = JSON.stringify(value, function (this: unknown, key: string, entry: unknown): unknown {
    const found = findMedia(rawEntry(this, key) ?? entry, statedType(this));
    if (found === undefined) return typeof entry === "bigint" ? String(entry) : entry;
    media.push(found);
    return "";
  });
  return { text: text ?? "", media };
}

/** What stands in the holder before `toJSON` made it something else: a Buffer would become a list of numbers. */
function rawEntry(holder: unknown, key: string): unknown {
  return isRecord(holder) ? holder[key] : undefined;
}

function findMedia(entry: unknown, mediaType: string | undefined): EmbeddedMedia | undefined {
  if (entry instanceof Uint8Array || entry instanceof ArrayBuffer) return { mediaType, base64: "" };
  if (typeof entry !== "string") return undefined;
  const address = /^data:([^;,]{0,100})(?:;[^;,]{1,100})*;base64,/.exec(entry.slice(0, 300));
  if (address !== null) return { mediaType: address[1] || mediaType, base64: entry.slice(address[0].length) };
  if (entry.length < SHORTEST_MEDIA || !BASE64.test(entry.slice(0, SHORTEST_MEDIA))) return undefined;
  const isMedia = mediaType !== undefined ? MEDIA_TYPE.test(mediaType) : MEDIA_START.test(entry);
  return isMedia ? { mediaType: mediaType ?? typeByStart(entry), base64: entry } : undefined;
}

const SHORTEST_MEDIA = 64;
const BASE64 = /^[A-Za-z0-9+/_-]+$/;
const MEDIA_TYPE = /^(?:image|audio|video)\/|^application\/pdf$/;
/** How PNG, JPEG, GIF, WebP and PDF begin when they are written in base64. */
const MEDIA_START = /^(?:iVBORw0KGgo|\/9j\/|R0lGOD|UklGR|JVBERi0)/;

function typeByStart(base64: string): string {
  return base64.startsWith("JVBERi0") ? "application/pdf" : "image/*";
}

/** The media type that stands beside the bytes, by the names that the common formats give it. */
function statedType(holder: unknown): string | undefined {
  if (!isRecord(holder)) return undefined;
  for (const name of ["mediaType", "media_type", "mimeType", "mime_type"]) {
    const type = holder[name];
    if (typeof type === "string") return type;
  }
  return undefined;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
