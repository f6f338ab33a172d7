/**
 * The content of an OpenAI chat message: a text, or parts of text, images, audio and files. Unknown parts are carried
 * unchanged.
 */

import { type Fields, findString, invalidMessage, pathOf, requireObject, requireString } from "../../check-value.ts";
import { findWireExtras, noteExtras, parseDataUrl, takeExtras, toJsonValue } from "../decode-value.ts";
import type { FilePart, ImagePart, TextPart, ToolOutput, UnknownPart } from "../message.ts";
import { extrasField, field, filledKeys } from "./wire-item.ts";

const NAME = "openai-chat";
const UNKNOWN_MEDIA_TYPE = "application/octet-stream";

/** The original shape of `content`. Noted only if the parts alone would be written differently. */
export type ContentShape = "string" | "parts" | "null" | "absent";

export type ContentPart = TextPart | ImagePart | FilePart | UnknownPart;

/** Returns the default shape: one plain text is a string, several parts are a list. */
export function plainShape(content: readonly ContentPart[], hasCalls: boolean): ContentShape {
  const [first] = content;
  if (first === undefined) return hasCalls ? "null" : "string";
  const plain = first.type === "text" && findWireExtras(first.extras, NAME) === undefined;
  return content.length === 1 && plain ? "string" : "parts";
}

export function audioMediaType(format: string): string {
  return format === "mp3" ? "audio/mpeg" : `audio/${format}`;
}

export function audioFormat(mediaType: string): string {
  return mediaType === "audio/mpeg" ? "mp3" : mediaType.replace(/^audio\//, "");
}

export function readContent(value: unknown, path: string): { parts: readonly ContentPart[]; shape: ContentShape } {
  if (value === undefined) return { parts: [], shape: "absent" };
  if (value === null) return { parts: [], shape: "null" };
  if (typeof value === "string") return { parts: [{ type: "text", text: value }], shape: "string" };
  if (!Array.isArray(value)) throw invalidMessage(path, "a string or an array", value);
  return { parts: value.map((part, index) => readContentPart(part, pathOf(path, index))), shape: "parts" };
}

export function readOutput(value: unknown, path: string): ToolOutput {
  if (typeof value === "string") return { type: "text", text: value };
  if (!Array.isArray(value)) throw invalidMessage(path, "a string or an array", value);
  return { type: "parts", parts: value.map((part, index) => readContentPart(part, pathOf(path, index))) };
}

function readContentPart(value: unknown, path: string): ContentPart {
  const source = requireObject(value, path);
  switch (requireString(source.type, pathOf(path, "type"))) {
    case "text":
      return {
        type: "text",
        text: requireString(source.text, pathOf(path, "text")),
        ...rest(source, { key: "text", path }),
      };
    case "refusal": {
      const text = requireString(source.refusal, pathOf(path, "refusal"));
      const unknown = rest(source, { key: "refusal", path }).extras;
      return { type: "text", text, ...extrasField(unknown, noteExtras(NAME, { type: "refusal" })) };
    }
    case "image_url":
      return readImage(source, path);
    case "input_audio":
      return readAudio(source, path);
    case "file":
      return readFile(source, path);
    default:
      return { type: "unknown", format: NAME, value: toJsonValue(source, path) };
  }
}

function readImage(source: Fields, path: string): ImagePart {
  const imagePath = pathOf(path, "image_url");
  const image = requireObject(source.image_url, imagePath);
  const url = requireString(image.url, pathOf(imagePath, "url"));
  const detail = typeof image.detail === "string" ? image.detail : undefined;
  const inner = takeExtras(image, { knownKeys: detail === undefined ? ["url"] : ["url", "detail"], name: NAME, path });
  const data = parseDataUrl(url);
  return {
    type: "image",
    source: data === undefined ? { type: "url", url } : { type: "data", base64: data.base64 },
    ...field("mediaType", data?.mediaType),
    ...extrasField(
      rest(source, { key: "image_url", path }).extras,
      noteExtras(NAME, { image_url: findWireExtras(inner, NAME) }),
      detail === undefined ? undefined : { openai: { imageDetail: detail } },
    ),
  };
}

function readAudio(source: Fields, path: string): FilePart {
  const audioPath = pathOf(path, "input_audio");
  const audio = requireObject(source.input_audio, audioPath);
  const format = requireString(audio.format, pathOf(audioPath, "format"));
  const mediaType = audioMediaType(format);
  const inner = takeExtras(audio, { knownKeys: ["data", "format"], name: NAME, path });
  const noted = { ...findWireExtras(inner, NAME), ...(audioFormat(mediaType) === format ? {} : { format }) };
  return {
    type: "file",
    source: { type: "data", base64: requireString(audio.data, pathOf(audioPath, "data")) },
    mediaType,
    ...extrasField(rest(source, { key: "input_audio", path }).extras, noteExtras(NAME, { input_audio: noted })),
  };
}

/** A file with neither an id nor a data URL cannot be interpreted, so it is carried unchanged. */
function readFile(source: Fields, path: string): FilePart | UnknownPart {
  const file = requireObject(source.file, pathOf(path, "file"));
  const data = typeof file.file_data === "string" ? parseDataUrl(file.file_data) : undefined;
  const id = typeof file.file_id === "string" ? file.file_id : undefined;
  if (data === undefined && id === undefined)
    return { type: "unknown", format: NAME, value: toJsonValue(source, path) };
  const knownKeys = [data === undefined ? "file_id" : "file_data", ...filledKeys(file, ["filename"])];
  const inner = takeExtras(file, { knownKeys, name: NAME, path: pathOf(path, "file") });
  const ownPart = data !== undefined && /^(image|audio)\//.test(data.mediaType) ? "file" : undefined;
  return {
    type: "file",
    source: data === undefined ? { type: "reference", id: id ?? "" } : { type: "data", base64: data.base64 },
    mediaType: data?.mediaType ?? UNKNOWN_MEDIA_TYPE,
    ...field("name", findString(file.filename, pathOf(pathOf(path, "file"), "filename"))),
    ...extrasField(
      rest(source, { key: "file", path }).extras,
      noteExtras(NAME, { type: ownPart, file: findWireExtras(inner, NAME) }),
    ),
  };
}

function rest(
  source: Fields,
  { key, path }: { readonly key: string; readonly path: string },
): Pick<TextPart, "extras"> {
  return extrasField(takeExtras(source, { knownKeys: ["type", key], name: NAME, path }));
}
