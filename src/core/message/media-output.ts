/**
 * Reads tool output with images or files as base64 inside JSON, such as results of MCP tools, as text and media. A
 * model then sees the image instead of its bytes, and the image is counted and pruned as one. The log keeps the
 * original output.
 */
import type { Fields } from "../check-value.ts";
import { parseDataUrl } from "./decode-value.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "./json.ts";
import { FormCache } from "./known-forms.ts";
import {
  type FilePart,
  type ImagePart,
  type Message,
  type Part,
  type TextPart,
  type ToolOutput,
  withParts,
} from "./message.ts";

type OutputPart = TextPart | ImagePart | FilePart;

const outputs = new FormCache<ToolOutput>();

/** Returns the output as parts if its JSON holds media, or else the same object. */
export function readMediaOutput(output: ToolOutput): ToolOutput {
  return outputs.find(output, () => {
    const parts = findParts(output);
    return parts === undefined ? output : { type: "parts", parts };
  });
}

const messages = new FormCache<Message>();

/** Returns the message with its tool outputs as text and media; the same object if nothing changes. */
export function showMedia(message: Message): Message {
  return message.role === "tool" ? messages.find(message, readOutputs) : message;
}

function readOutputs(message: Message): Message {
  const parts = message.parts.map((part): Part => {
    if (part.type !== "tool-result" || part.byProvider === true) return part;
    const output = readMediaOutput(part.output);
    return output === part.output ? part : { ...part, output };
  });
  return withParts(message, parts);
}

/** Only text with a match is parsed. */
const MAY_HOLD_MEDIA = /"(?:mimeType|mime_type|mediaType|media_type)"|"data:[a-z]+\//;
/** Shorter texts are names and numbers. */
const MIN_MEDIA_CHARACTERS = 64;

function findParts(output: ToolOutput): readonly OutputPart[] | undefined {
  if (output.type === "parts") return undefined;
  if (output.type === "json") return readValue(output.value);
  const isLong = output.text.length >= MIN_MEDIA_CHARACTERS && /^\s*[[{]/.test(output.text);
  if (!isLong || !MAY_HOLD_MEDIA.test(output.text)) return undefined;
  try {
    const value: JsonValue = JSON.parse(output.text);
    return readValue(value);
  } catch {
    // A text that only looks like JSON stays a text.
    return undefined;
  }
}

function readValue(value: JsonValue): readonly OutputPart[] | undefined {
  const list = Array.isArray(value) ? value : isJsonObject(value) && Array.isArray(value.content) ? value.content : [];
  const items: readonly JsonValue[] = list;
  const isContent = items.length > 0 && items.every((item) => isJsonObject(item) && typeof item.type === "string");
  const parts = isContent ? [...items.flatMap(readOutputItem), ...readRest(value)] : takeMedia(value);
  return parts.some(({ type }) => type !== "text") ? parts : undefined;
}

/** Reads one item of an MCP result. */
function readOutputItem(item: JsonValue): readonly OutputPart[] {
  const isText = isJsonObject(item) && item.type === "text" && typeof item.text === "string";
  return isText ? [{ type: "text", text: String(item.text) }] : takeMedia(item);
}

/** Reads fields of a result besides its content. */
function readRest(value: JsonValue): readonly OutputPart[] {
  if (!isJsonObject(value)) return [];
  const { content: _, isError: __, ...rest } = value;
  return Object.keys(rest).length === 0 ? [] : takeMedia(rest);
}

/** Returns the JSON with each medium replaced by its type, followed by the media. */
function takeMedia(value: JsonValue): readonly OutputPart[] {
  const media: OutputPart[] = [];
  const text = JSON.stringify(value, function (this: JsonObject, _key, entry: JsonValue) {
    const part = typeof entry === "string" ? findMedium(entry, this) : undefined;
    if (part === undefined) return entry;
    media.push(part);
    return `[${part.type}: ${part.mediaType}]`;
  });
  // An item with nothing but one medium needs no text.
  const isBare = media.length === 1 && isJsonObject(value) && Object.keys(value).every((key) => BARE_KEYS.has(key));
  return isBare ? media : [{ type: "text", text }, ...media];
}

const BARE_KEYS: ReadonlySet<string> = new Set(["type", "data", "mimeType", "annotations", "_meta"]);
const TYPE_KEYS = ["mimeType", "mime_type", "mediaType", "media_type"] as const;
const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/;
const MEDIA_TYPE = /^(?:image|audio|video)\/[\w.+-]+$|^application\/pdf$/;

/** Finds the media type next to bytes, under the names that common formats use. */
export function findStatedType(holder: Fields): string | undefined {
  return TYPE_KEYS.map((key) => holder[key]).find((type) => typeof type === "string");
}

function findMedium(entry: string, holder: JsonObject): (ImagePart | FilePart) | undefined {
  if (entry.length < MIN_MEDIA_CHARACTERS) return undefined;
  const url = entry.startsWith("data:") ? parseDataUrl(entry) : undefined;
  const mediaType = url?.mediaType ?? findStatedType(holder);
  const base64 = url?.base64 ?? entry;
  if (mediaType === undefined || !MEDIA_TYPE.test(mediaType) || !BASE64.test(base64)) return undefined;
  const source = { type: "data", base64 } as const;
  return mediaType.startsWith("image/") ? { type: "image", source, mediaType } : { type: "file", source, mediaType };
}
