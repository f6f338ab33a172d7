/**
 * Images and files in LangChain's content blocks. LangChain has written them in two ways, and each provider in its own,
 * so the note keeps the block without its payload and the payload's place.
 */
import { type Fields, isObject } from "../../check-value.ts";
import { findBase64, findWireExtras, noteExtras, parseDataUrl, toDataUrl, toJsonObject } from "../decode-value.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../json.ts";
import type { FilePart, ImagePart, MediaSource } from "../message.ts";
import { isImageType } from "./ai-sdk-media.ts";
import { extrasField, optionalField, UNKNOWN_MEDIA_TYPE } from "./wire-item.ts";
import type { WireObject } from "./wire-object.ts";

const NAME = "langchain";

const IMAGE_BLOCKS: readonly unknown[] = ["image_url", "image", "input_image"];
const FILE_BLOCKS: readonly unknown[] = ["file", "audio", "video", "document", "media", "input_audio", "text-plain"];

interface Payload {
  readonly keys: readonly [string] | readonly [string, string];
  readonly kind: "location" | "base64" | "id";
}

/** Places of a payload; the first match wins. */
const PAYLOADS: readonly Payload[] = [
  { keys: ["image_url", "url"], kind: "location" },
  { keys: ["image_url"], kind: "location" },
  { keys: ["source", "data"], kind: "base64" },
  { keys: ["source", "url"], kind: "location" },
  { keys: ["file", "file_data"], kind: "location" },
  { keys: ["input_audio", "data"], kind: "base64" },
  { keys: ["data"], kind: "base64" },
  { keys: ["url"], kind: "location" },
  { keys: ["fileId"], kind: "id" },
  { keys: ["file_id"], kind: "id" },
  { keys: ["id"], kind: "id" },
];

export function findMediaBlock({ fields: block, path }: WireObject): ImagePart | FilePart | undefined {
  const isImageBlock = IMAGE_BLOCKS.includes(block.type);
  if (!isImageBlock && !FILE_BLOCKS.includes(block.type)) return undefined;
  const payload = PAYLOADS.find((candidate) => isPayload(block, candidate));
  if (payload === undefined) return undefined;
  const value = valueAt(block, payload.keys);
  const text = findBase64(value) ?? String(value);
  const dataUrl = parseDataUrl(text);
  const mediaType = findMediaType(block) ?? dataUrl?.mediaType;
  const head = dataUrl === undefined ? undefined : toDataUrl({ mediaType: dataUrl.mediaType, base64: "" });
  const skeleton = toJsonObject(without(block, payload.keys), path);
  const extras = extrasField(noteExtras(NAME, { block: skeleton, keys: payload.keys, head }));
  const source = dataUrl === undefined ? toSource(text, payload) : { type: "data" as const, base64: dataUrl.base64 };
  if (isImageBlock || (mediaType !== undefined && isImageType(mediaType))) {
    return { type: "image", source, ...optionalField("mediaType", mediaType), ...extras };
  }
  const name = optionalField("name", findName(block));
  return { type: "file", source, mediaType: mediaType ?? defaultType(block), ...name, ...extras };
}

function isPayload(block: Fields, { keys }: Payload): boolean {
  const value = valueAt(block, keys);
  if (typeof value !== "string" && findBase64(value) === undefined) return false;
  // An id is the payload only in blocks that say so; elsewhere it names the block.
  if (keys[0] === "id") return block.source_type === "id";
  return !(keys[0] === "source" && isObject(block.source) && block.source.type === "text");
}

function toSource(text: string, { kind }: Payload): MediaSource {
  if (kind === "base64") return { type: "data", base64: text };
  return kind === "id" ? { type: "reference", id: text } : { type: "url", url: text };
}

function findMediaType(block: Fields): string | undefined {
  const source = isObject(block.source) ? block.source.media_type : undefined;
  const format = isObject(block.input_audio) ? block.input_audio.format : undefined;
  const audio = typeof format === "string" ? `audio/${format}` : undefined;
  const candidates = [block.mimeType, block.mime_type, block.media_type, source, audio];
  return candidates.find((candidate) => typeof candidate === "string");
}

function findName(block: Fields): string | undefined {
  const metadata = isObject(block.metadata) ? block.metadata : {};
  const file = isObject(block.file) ? block.file : {};
  const candidates = [block.filename, metadata.filename, metadata.name, file.filename, block.title];
  return candidates.find((candidate) => typeof candidate === "string");
}

function defaultType(block: Fields): string {
  return block.type === "audio" || block.type === "video" ? block.type : UNKNOWN_MEDIA_TYPE;
}

/** Writes the original block, or one that both generations of LangChain read. */
export function encodeMediaBlock(part: ImagePart | FilePart): Fields {
  const { block, keys, head } = findWireExtras(part.extras, NAME) ?? {};
  if (isJsonObject(block) && Array.isArray(keys)) {
    const payload = (typeof head === "string" ? head : "") + sourceText(part.source);
    return withAt(block, { keys: keys.filter((key) => typeof key === "string"), payload });
  }
  return part.type === "image" && part.source.type !== "reference" ? writeImage(part) : writeData(part);
}

function writeImage({ source, mediaType = "image/png" }: ImagePart): Fields {
  const text = sourceText(source);
  const url = source.type === "data" ? toDataUrl({ mediaType, base64: text }) : text;
  return { type: "image_url", image_url: { url } };
}

function writeData(part: ImagePart | FilePart): Fields {
  const name = part.type === "file" ? part.name : undefined;
  const metadata = name === undefined ? undefined : { filename: name };
  const type = optionalField("mime_type", part.mediaType);
  return { type: part.type, ...writeSource(part.source), ...type, ...optionalField("metadata", metadata) };
}

function writeSource(source: MediaSource): Fields {
  if (source.type === "data") return { source_type: "base64", data: source.base64 };
  return source.type === "url" ? { source_type: "url", url: source.url } : { source_type: "id", id: source.id };
}

function sourceText(source: MediaSource): string {
  if (source.type === "data") return source.base64;
  return source.type === "url" ? source.url : source.id;
}

function valueAt(block: Fields, [first, second]: readonly string[]): unknown {
  const value = first === undefined ? undefined : block[first];
  if (second === undefined) return value;
  return isObject(value) ? value[second] : undefined;
}

function without(block: Fields, [first = "", second]: readonly string[]): Fields {
  const { [first]: value, ...others } = block;
  return second === undefined || !isObject(value) ? others : { ...others, [first]: without(value, [second]) };
}

function withAt(block: JsonObject, { keys, payload }: { keys: readonly string[]; payload: JsonValue }): JsonObject {
  const [first = "", second] = keys;
  if (second === undefined) return { ...block, [first]: payload };
  const inner = block[first];
  return { ...block, [first]: { ...(isJsonObject(inner) ? inner : {}), [second]: payload } };
}
