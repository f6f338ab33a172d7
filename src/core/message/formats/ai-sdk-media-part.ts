/**
 * Images and files as the AI SDK writes them, in messages and in tool outputs, in today's spelling (`file`) and in the
 * older ones that it still reads. A `file` of an image type is an image here, because that is what a model sees.
 */
import type { FilePart, ImagePart } from "../message.ts";
import { decodeData, encodeData, isImageType } from "./ai-sdk-media.ts";
import { giveOptions, takeOptions } from "./ai-sdk-options.ts";
import {
  findString,
  findWireExtras,
  noteExtras,
  pathOf,
  requireString,
  type SourceObject,
  takeExtras,
  withExtras,
} from "./decode-value.ts";
import { extrasField, field } from "./wire-item.ts";

const NAME = "ai-sdk-model";
const OPTIONS = { key: "providerOptions", name: NAME } as const;
const UNKNOWN_TYPE = "application/octet-stream";

interface MediaKind {
  /** The field that holds the bytes or says where they are. */
  readonly key: string;
  readonly needsType: boolean;
}

const MEDIA_KINDS: ReadonlyMap<string, MediaKind> = new Map([
  ["file", { key: "data", needsType: true }],
  ["image", { key: "image", needsType: false }],
  ["media", { key: "data", needsType: true }],
  ["file-data", { key: "data", needsType: true }],
  ["image-data", { key: "data", needsType: true }],
  ["file-url", { key: "url", needsType: false }],
  ["image-url", { key: "url", needsType: false }],
]);

/** The media part that the source is, or undefined when it is something else. */
export function findMediaPart(source: SourceObject, path: string): ImagePart | FilePart | undefined {
  const type = String(source.type);
  const kind = MEDIA_KINDS.get(type);
  if (kind === undefined) return undefined;
  const data = decodeData(source[kind.key], pathOf(path, kind.key));
  const typePath = pathOf(path, "mediaType");
  const given = kind.needsType ? requireString(source.mediaType, typePath) : findString(source.mediaType, typePath);
  const mediaType = given ?? data.mediaType;
  const isImage = type.startsWith("image") || (mediaType !== undefined && isImageType(mediaType));
  const extras = extrasField(
    takeOptions(source, { ...OPTIONS, path }),
    takeExtras(source, { knownKeys: knownKeys(kind, isImage), name: NAME, path }),
    noteExtras(NAME, {
      type: type === "file" ? undefined : type,
      mediaType: given === undefined ? "absent" : undefined,
      [kind.key]: data.note,
    }),
  );
  if (isImage) return { type: "image", source: data.source, ...field("mediaType", mediaType), ...extras };
  const name = field("name", findString(source.filename, pathOf(path, "filename")));
  return { type: "file", source: data.source, mediaType: mediaType ?? UNKNOWN_TYPE, ...name, ...extras };
}

export function encodeMediaPart(part: ImagePart | FilePart): SourceObject {
  const notes = findWireExtras(part.extras, NAME) ?? {};
  const type = typeof notes.type === "string" && MEDIA_KINDS.has(notes.type) ? notes.type : "file";
  const kind = MEDIA_KINDS.get(type) ?? { key: "data", needsType: true };
  const hasType = kind.needsType || notes.mediaType !== "absent";
  const item = {
    type,
    [kind.key]: encodeData(part.source, { note: notes[kind.key], extras: part.extras }),
    ...(hasType ? { mediaType: part.mediaType ?? "image" } : {}),
    ...(part.type === "file" ? field("filename", part.name) : {}),
    ...giveOptions(part.extras, OPTIONS),
  };
  const known = knownKeys(kind, part.type === "image");
  return withExtras(item, { extras: part.extras, name: NAME, knownKeys: known });
}

/** An image has no name here, so a file name stays among the fields that are only carried. */
function knownKeys(kind: MediaKind, isImage: boolean): readonly string[] {
  const keys = ["type", kind.key, "mediaType", "providerOptions"];
  return isImage ? keys : [...keys, "filename"];
}
