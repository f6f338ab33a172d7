/** Parses an image or file of a prompt in any provider's format. */
import { type Fields, findText, readFields, readText } from "../../src/client/fields.ts";
import { IMAGE_TYPES } from "../api/image-rules.ts";

export interface MediaPiece {
  readonly type: "media";
  readonly name: string;
  readonly mediaType: string;
  /** Undefined for an external file. */
  readonly bytes: number | undefined;
  /** Address of an image that the page can show; undefined for other and external files. */
  readonly url: string | undefined;
  /** Distinguishes it from other files of the same size. */
  readonly mark: string;
}

/** Characters at the end of the bytes: enough to distinguish two images. */
const MARK_CHARACTERS = 64;

export function readMedia(part: Fields): MediaPiece | undefined {
  const data = findBytes(part) ?? findAddress(part);
  if (data === undefined) return undefined;
  const { mediaType = typeOf(part), base64 } = splitDataUrl(data);
  const isShown = base64 !== undefined && IMAGE_TYPES.includes(mediaType);
  return {
    type: "media",
    name: nameOf(part),
    mediaType,
    bytes: base64 === undefined ? undefined : countBytes(base64),
    url: isShown ? `data:${mediaType};base64,${base64}` : undefined,
    mark: data.slice(-MARK_CHARACTERS),
  };
}

/** Finds the bytes, in base64 or as a data URL. */
function findBytes(part: Fields): string | undefined {
  const inner = innerOf(part);
  return firstText([
    readFields(inner.data).data,
    inner.data,
    inner.image,
    inner.image_url,
    readFields(inner.image_url).url,
    inner.file_data,
    readFields(inner.file).file_data,
  ]);
}

function findAddress(part: Fields): string | undefined {
  const inner = innerOf(part);
  const address = firstText([readFields(inner.data).url, inner.url, inner.fileUri]);
  const id = firstText([inner.file_id, readFields(inner.file).file_id]);
  return address ?? (id === undefined ? undefined : `file:${id}`);
}

function innerOf(part: Fields): Fields {
  return { ...part, ...readFields(part.source), ...readFields(part.inlineData), ...readFields(part.fileData) };
}

/** An address starts with a scheme; base64 has no colon. */
function splitDataUrl(data: string): { readonly mediaType?: string | undefined; readonly base64?: string | undefined } {
  const [, mediaType, base64] = /^data:([^;,]*);base64,(.*)$/s.exec(data) ?? [];
  if (base64 !== undefined) return { mediaType, base64 };
  return /^[a-z][a-z0-9+.-]*:/i.test(data) ? {} : { base64: data };
}

function countBytes(base64: string): number {
  return Math.floor((base64.replace(/=+$/, "").length * 3) / 4);
}

function typeOf(part: Fields): string {
  const { mediaType, media_type, mimeType } = innerOf(part);
  return firstText([mediaType, media_type, mimeType]) ?? "";
}

function nameOf(part: Fields): string {
  const { filename, title, file, inlineData } = part;
  return readText(firstText([filename, title, readFields(file).filename, readFields(inlineData).displayName]));
}

function firstText(values: readonly unknown[]): string | undefined {
  return values.flatMap((value) => findText(value) ?? [])[0];
}
