/**
 * Reads one message of Anthropic's Messages API. Its user messages hold tool results; ours become a tool message before
 * the user's own text. Signatures and cache marks are stored under the AI SDK's names.
 */

import {
  type Fields,
  findString,
  invalidMessage,
  isObject,
  pathOf,
  requireArray,
  requireObject,
  requireString,
} from "../../check-value.ts";
import { findWireExtras, makePartIds, noteExtras, takeExtras, toJsonValue } from "../decode-value.ts";
import type {
  Extras,
  FilePart,
  ImagePart,
  MediaSource,
  Message,
  Part,
  TextPart,
  ToolOutput,
  ToolResultPart,
  UnknownPart,
} from "../message.ts";
import type { DecodeContext } from "./format.ts";
import { extrasField, field, filledKeys, itemId } from "./wire-item.ts";

const NAME = "anthropic";
const UNKNOWN_MEDIA_TYPE = "application/octet-stream";

type WireRole = "user" | "assistant" | "system";

export function decodeAnthropic(item: unknown, { path, fallbackId }: DecodeContext): readonly Message[] {
  const source = requireObject(item, path);
  const role = requireRole(source.role, pathOf(path, "role"));
  const parts = readContent(source.content, { path: pathOf(path, "content"), role });
  const extras = extrasField(
    takeExtras(source, { knownKeys: ["role", "content"], name: NAME, path }),
    noteExtras(NAME, { content: typeof source.content === "string" ? "string" : undefined }),
  );
  const id = itemId(source, fallbackId);
  const results = parts.filter((part) => part.type === "tool-result");
  if (role !== "user" || results.length === 0) return [{ id, role, parts, ...extras }];
  const words = parts.filter((part) => part.type !== "tool-result");
  if (words.length === 0) return [{ id, role: "tool", parts, ...extras }];
  const [first = id, second = id] = makePartIds(id, 2);
  return [
    { id: first, role: "tool", parts: results, ...extras },
    { id: second, role: "user", parts: words },
  ];
}

function requireRole(value: unknown, path: string): WireRole {
  if (value === "user" || value === "assistant" || value === "system") return value;
  throw invalidMessage(path, "user, assistant or system", value);
}

interface Place {
  readonly path: string;
  readonly role: WireRole;
}

function readContent(value: unknown, { path, role }: Place): readonly Part[] {
  if (typeof value === "string") return [{ type: "text", text: value }];
  if (!Array.isArray(value)) throw invalidMessage(path, "a string or an array", value);
  return value.map((block, index) => readBlock(block, { path: pathOf(path, index), role }));
}

function readBlock(value: unknown, { path, role }: Place): Part {
  const source = requireObject(value, path);
  const type = requireString(source.type, pathOf(path, "type"));
  const misplaced = (type === "tool_use" && role !== "assistant") || (type === "tool_result" && role !== "user");
  if (misplaced) throw invalidMessage(pathOf(path, "type"), `a block that a message of the ${role} may hold`, type);
  if (type === "tool_use") return readCall(source, path);
  if (type === "tool_result") return readResult(source, path);
  if (role === "assistant") return readModelBlock(source, path) ?? readWords(source, path);
  return readWords(source, path);
}

/** Reads blocks that only the model writes: thinking, and tools that the provider ran. */
function readModelBlock(source: Fields, path: string): Part | undefined {
  if (source.type === "thinking") return readThinking(source, path);
  if (source.type === "redacted_thinking") {
    const redactedData = requireString(source.data, pathOf(path, "data"));
    return { type: "reasoning", text: "", ...blockExtras(source, { keys: ["data"], path, named: { redactedData } }) };
  }
  if (source.type === "server_tool_use" || source.type === "mcp_tool_use") {
    return { ...readCall(source, path), byProvider: true };
  }
  const isResult = typeof source.type === "string" && source.type.endsWith("_tool_result");
  return isResult && typeof source.tool_use_id === "string" ? readProviderResult(source, path) : undefined;
}

function readThinking(source: Fields, path: string): Part {
  const text = requireString(source.thinking, pathOf(path, "thinking"));
  const keys = ["thinking", ...filledKeys(source, ["signature"])];
  const signature = findString(source.signature, pathOf(path, "signature"));
  const { extras } = blockExtras(source, { keys, path, named: field("signature", signature) });
  const note = signature === undefined ? noteExtras(NAME, { type: "thinking" }) : undefined;
  return { type: "reasoning", text, ...extrasField(extras, note) };
}

function readCall(source: Fields, path: string): Extract<Part, { type: "tool-call" }> {
  const unknown = blockExtras(source, { keys: ["id", "name", "input"], path }).extras;
  const type = source.type === "tool_use" ? undefined : String(source.type);
  return {
    type: "tool-call",
    callId: requireString(source.id, pathOf(path, "id")),
    tool: requireString(source.name, pathOf(path, "name")),
    input: toJsonValue(source.input ?? null, pathOf(path, "input")),
    ...extrasField(unknown, noteExtras(NAME, { type, input: source.input === undefined ? "absent" : undefined })),
  };
}

function readResult(source: Fields, path: string): ToolResultPart {
  const explicit = typeof source.is_error === "boolean" && !source.is_error;
  const keys = ["tool_use_id", "content", ...(typeof source.is_error === "boolean" ? ["is_error"] : [])];
  const empty = source.content === undefined ? "absent" : source.content === null ? "null" : undefined;
  return {
    type: "tool-result",
    callId: requireString(source.tool_use_id, pathOf(path, "tool_use_id")),
    output: readOutput(source.content ?? "", pathOf(path, "content")),
    failed: source.is_error === true,
    ...extrasField(
      blockExtras(source, { keys, path }).extras,
      noteExtras(NAME, { is_error: explicit ? false : undefined, content: empty }),
    ),
  };
}

function readOutput(value: unknown, path: string): ToolOutput {
  if (typeof value === "string") return { type: "text", text: value };
  return {
    type: "parts",
    parts: requireArray(value, path).map((block, index) => readOutputBlock(block, pathOf(path, index))),
  };
}

function readOutputBlock(value: unknown, path: string): TextPart | ImagePart | FilePart | UnknownPart {
  return readWords(requireObject(value, path), path);
}

function readProviderResult(source: Fields, path: string): ToolResultPart {
  const type = String(source.type);
  const content = source.content === undefined ? undefined : toJsonValue(source.content, pathOf(path, "content"));
  return {
    type: "tool-result",
    callId: requireString(source.tool_use_id, pathOf(path, "tool_use_id")),
    tool: type.slice(0, -"_tool_result".length),
    output: { type: "json", value: content ?? null },
    failed: source.is_error === true || isErrorContent(source.content),
    byProvider: true,
    ...extrasField(
      blockExtras(source, { keys: ["tool_use_id", "content"], path }).extras,
      noteExtras(NAME, { type, content: content === undefined ? "absent" : undefined }),
    ),
  };
}

function isErrorContent(content: unknown): boolean {
  return isObject(content) && typeof content.type === "string" && content.type.endsWith("_error");
}

function readWords(source: Fields, path: string): TextPart | ImagePart | FilePart | UnknownPart {
  const type = requireString(source.type, pathOf(path, "type"));
  if (type === "text") {
    const text = requireString(source.text, pathOf(path, "text"));
    return { type: "text", text, ...blockExtras(source, { keys: ["text"], path }) };
  }
  const known =
    type === "image" ? readImage(source, path) : type === "document" ? readDocument(source, path) : undefined;
  return known ?? { type: "unknown", format: NAME, value: toJsonValue(source, path) };
}

function readImage(source: Fields, path: string): ImagePart | undefined {
  const from = requireObject(source.source, pathOf(path, "source"));
  const media = readSource(from, pathOf(path, "source"));
  if (media === undefined) return undefined;
  return {
    type: "image",
    source: media,
    ...(media.type === "data" ? { mediaType: requireString(from.media_type, pathOf(path, "source.media_type")) } : {}),
    ...extrasField(
      blockExtras(source, { keys: ["source"], path }).extras,
      sourceNote(from, { path, plainType: "base64" }),
    ),
  };
}

/** Documents made of content blocks are carried unchanged: they are neither a file nor text. */
function readDocument(source: Fields, path: string): FilePart | undefined {
  const from = requireObject(source.source, pathOf(path, "source"));
  const media = from.type === "text" ? readTextSource(from, path) : readSource(from, pathOf(path, "source"));
  if (media === undefined) return undefined;
  const mediaType = documentType(from, { media, path });
  const keys = ["source", ...filledKeys(source, ["title"])];
  const plainType = mediaType === "text/plain" ? "text" : "base64";
  return {
    type: "file",
    source: media,
    mediaType,
    ...field("name", findString(source.title, pathOf(path, "title"))),
    ...extrasField(
      blockExtras(source, { keys, path }).extras,
      sourceNote(from, { path, plainType }),
      noteExtras(NAME, { type: media.type === "data" && !isDocumentType(mediaType) ? "document" : undefined }),
    ),
  };
}

/** Media types that a document accepts. Others are written as documents only if they were read as one. */
export function isDocumentType(mediaType: string): boolean {
  return mediaType === "application/pdf" || mediaType === "text/plain";
}

function documentType(from: Fields, { media, path }: { readonly media: MediaSource; readonly path: string }): string {
  if (media.type === "data") return requireString(from.media_type, pathOf(path, "source.media_type"));
  return media.type === "url" ? "application/pdf" : UNKNOWN_MEDIA_TYPE;
}

function readSource(from: Fields, path: string): MediaSource | undefined {
  switch (from.type) {
    case "base64":
      return { type: "data", base64: requireString(from.data, pathOf(path, "data")) };
    case "url":
      return { type: "url", url: requireString(from.url, pathOf(path, "url")) };
    case "file":
      return { type: "reference", id: requireString(from.file_id, pathOf(path, "file_id")) };
    default:
      return undefined;
  }
}

/** Text with half a surrogate pair would change on the way back, so it is carried whole. */
function readTextSource(from: Fields, path: string): MediaSource | undefined {
  const text = requireString(from.data, pathOf(path, "source.data"));
  const bytes = Buffer.from(text, "utf8");
  return bytes.toString("utf8") === text ? { type: "data", base64: bytes.toString("base64") } : undefined;
}

/** Notes what a media source says besides the bytes: unknown fields, and its type if the bytes suggest another. */
function sourceNote(
  from: Fields,
  { path, plainType }: { readonly path: string; readonly plainType: string },
): Extras | undefined {
  const hasBytes = from.type === "base64" || from.type === "text";
  const knownKeys = ["type", ...(hasBytes ? ["data", "media_type"] : [from.type === "url" ? "url" : "file_id"])];
  const unknown = takeExtras(from, { knownKeys, name: NAME, path: pathOf(path, "source") });
  const type = hasBytes && from.type !== plainType ? String(from.type) : undefined;
  const fields = { ...findWireExtras(unknown, NAME), ...field("type", type) };
  return noteExtras(NAME, { source: Object.keys(fields).length === 0 ? undefined : fields });
}

interface BlockFields {
  /** Fields that the block's reader interprets. */
  readonly keys: readonly string[];
  readonly path: string;
  /** Fields stored under the provider's name. */
  readonly named?: Readonly<Record<string, string>>;
}

function blockExtras(source: Fields, { keys, path, named = {} }: BlockFields): Pick<TextPart, "extras"> {
  const unknown = takeExtras(source, { knownKeys: ["type", "cache_control", ...keys], name: NAME, path });
  const cache = source.cache_control;
  const cacheControl = cache === undefined ? {} : { cacheControl: toJsonValue(cache, pathOf(path, "cache_control")) };
  const fields = { ...named, ...cacheControl };
  return extrasField(unknown, Object.keys(fields).length === 0 ? undefined : { [NAME]: fields });
}
