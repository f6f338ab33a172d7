/**
 * Reads one message of Anthropic's Messages API. User messages hold tool results, which become a tool message before the
 * user's own text. Signatures and cache marks are stored under the AI SDK's names.
 */

import { invalidMessage, isObject } from "../../check-value.ts";
import { encodeBase64Text } from "../base64.ts";
import type { JsonObject } from "../json.ts";
import type {
  ContentPart,
  FilePart,
  ImagePart,
  MediaSource,
  Message,
  Part,
  ToolOutput,
  ToolResultPart,
} from "../message.ts";
import type { DecodeContext } from "./format.ts";
import { splitAnswers } from "./match-calls-by-name.ts";
import { itemId, optionalField, UNKNOWN_MEDIA_TYPE } from "./wire-item.ts";
import { type ExtrasField, WireObject } from "./wire-object.ts";

const NAME = "anthropic";

type WireRole = "user" | "assistant" | "system";

export function decodeAnthropic(item: unknown, { path, fallbackId }: DecodeContext): readonly Message[] {
  const source = new WireObject(NAME, item, path);
  const role = requireRole(source);
  const parts = readContent(source, role);
  const content = typeof source.fields.content === "string" ? "string" : undefined;
  const extras = source.extras(["role", "content"], { content });
  return splitAnswers({ id: itemId(source.fields, fallbackId), role, parts, ...extras });
}

function requireRole(source: WireObject): WireRole {
  const { role } = source.fields;
  if (role === "user" || role === "assistant" || role === "system") return role;
  throw invalidMessage(source.pathOf("role"), "user, assistant or system", role);
}

function readContent(source: WireObject, role: WireRole): readonly Part[] {
  const { content } = source.fields;
  if (typeof content === "string") return [{ type: "text", text: content }];
  return source.list("content", (block) => readBlock(block, role), "a string or an array");
}

function readBlock(source: WireObject, role: WireRole): Part {
  const type = source.text("type");
  const misplaced = (type === "tool_use" && role !== "assistant") || (type === "tool_result" && role !== "user");
  if (misplaced)
    throw invalidMessage(source.pathOf("type"), `a block that a message with role ${role} may contain`, type);
  if (type === "tool_use") return readCall(source, undefined);
  if (type === "tool_result") return readResult(source);
  return (role === "assistant" ? readModelBlock(source, type) : undefined) ?? readContentBlock(source);
}

/** Reads blocks that only the model writes: thinking, and tools that the provider ran. */
function readModelBlock(source: WireObject, type: string): Part | undefined {
  if (type === "thinking") return readThinking(source);
  if (type === "redacted_thinking") {
    return {
      type: "reasoning",
      text: "",
      ...blockExtras(source, ["data"], { named: { redactedData: source.text("data") } }),
    };
  }
  if (type === "server_tool_use" || type === "mcp_tool_use") return { ...readCall(source, type), byProvider: true };
  const isResult = type.endsWith("_tool_result") && typeof source.fields.tool_use_id === "string";
  return isResult ? readProviderResult(source, type) : undefined;
}

function readThinking(source: WireObject): Part {
  const text = source.text("thinking");
  const named = optionalField("signature", source.findText("signature"));
  const notes = { type: named.signature === undefined ? "thinking" : undefined };
  const keys = ["thinking", ...source.filledKeys("signature")];
  return { type: "reasoning", text, ...blockExtras(source, keys, { named, notes }) };
}

function readCall(source: WireObject, type: string | undefined): Extract<Part, { type: "tool-call" }> {
  const isAbsent = source.fields.input === undefined;
  return {
    type: "tool-call",
    callId: source.text("id"),
    tool: source.text("name"),
    input: isAbsent ? null : source.json("input"),
    ...blockExtras(source, ["id", "name", "input"], { notes: { type, input: isAbsent ? "absent" : undefined } }),
  };
}

function readResult(source: WireObject): ToolResultPart {
  const { is_error: isError } = source.fields;
  const keys = ["tool_use_id", "content", ...(typeof isError === "boolean" ? ["is_error"] : [])];
  const notes = { is_error: isError === false ? false : undefined, content: source.describeMissing("content") };
  return {
    type: "tool-result",
    callId: source.text("tool_use_id"),
    output: readOutput(source),
    failed: isError === true,
    ...blockExtras(source, keys, { notes }),
  };
}

function readOutput(source: WireObject): ToolOutput {
  const content = source.fields.content ?? "";
  return typeof content === "string"
    ? { type: "text", text: content }
    : { type: "parts", parts: source.list("content", readContentBlock) };
}

function readProviderResult(source: WireObject, type: string): ToolResultPart {
  const { content, is_error: isError } = source.fields;
  return {
    type: "tool-result",
    callId: source.text("tool_use_id"),
    tool: type.slice(0, -"_tool_result".length),
    output: { type: "json", value: content === undefined ? null : source.json("content") },
    failed: isError === true || isErrorContent(content),
    byProvider: true,
    ...blockExtras(source, ["tool_use_id", "content"], {
      notes: { type, content: content === undefined ? "absent" : undefined },
    }),
  };
}

function isErrorContent(content: unknown): boolean {
  return isObject(content) && typeof content.type === "string" && content.type.endsWith("_error");
}

function readContentBlock(source: WireObject): ContentPart {
  switch (source.text("type")) {
    case "text":
      return { type: "text", text: source.text("text"), ...blockExtras(source, ["text"]) };
    case "image":
      return readImage(source) ?? source.toUnknown();
    case "document":
      return readDocument(source) ?? source.toUnknown();
    default:
      return source.toUnknown();
  }
}

function readImage(source: WireObject): ImagePart | undefined {
  const from = source.object("source");
  const media = readSource(from);
  if (media === undefined) return undefined;
  return {
    type: "image",
    source: media,
    ...(media.type === "data" ? { mediaType: from.text("media_type") } : {}),
    ...blockExtras(source, ["source"], { notes: { source: describeSource(from, "base64") } }),
  };
}

/** Documents made of content blocks are kept unchanged: they are neither a file nor text. */
function readDocument(source: WireObject): FilePart | undefined {
  const from = source.object("source");
  const media = from.fields.type === "text" ? readTextSource(from) : readSource(from);
  if (media === undefined) return undefined;
  const mediaType = documentType(from, media);
  const notes = {
    source: describeSource(from, mediaType === "text/plain" ? "text" : "base64"),
    type: media.type === "data" && !isDocumentType(mediaType) ? "document" : undefined,
  };
  return {
    type: "file",
    source: media,
    mediaType,
    ...optionalField("name", source.findText("title")),
    ...blockExtras(source, ["source", ...source.filledKeys("title")], { notes }),
  };
}

/** Returns true for types that a document accepts. Others are written as documents only if they were read as one. */
export function isDocumentType(mediaType: string): boolean {
  return mediaType === "application/pdf" || mediaType === "text/plain";
}

function documentType(from: WireObject, media: MediaSource): string {
  if (media.type === "data") return from.text("media_type");
  return media.type === "url" ? "application/pdf" : UNKNOWN_MEDIA_TYPE;
}

function readSource(from: WireObject): MediaSource | undefined {
  switch (from.fields.type) {
    case "base64":
      return { type: "data", base64: from.text("data") };
    case "url":
      return { type: "url", url: from.text("url") };
    case "file":
      return { type: "reference", id: from.text("file_id") };
    default:
      return undefined;
  }
}

/** Text with a lone surrogate would change when it is written back, so it is kept whole. */
function readTextSource(from: WireObject): MediaSource | undefined {
  const text = from.text("data");
  return text.isWellFormed() ? { type: "data", base64: encodeBase64Text(text) } : undefined;
}

/** Describes a media source apart from its bytes: unknown fields, and its type if the bytes suggest another. */
function describeSource(from: WireObject, plainType: string): JsonObject | undefined {
  const { type } = from.fields;
  const hasBytes = type === "base64" || type === "text";
  const others = from.others(["type", ...(hasBytes ? ["data", "media_type"] : [type === "url" ? "url" : "file_id"])]);
  return hasBytes && type !== plainType ? { ...others, type } : others;
}

interface BlockExtras {
  readonly named?: Readonly<Record<string, string>>;
  readonly notes?: JsonObject;
}

function blockExtras(source: WireObject, keys: readonly string[], { named, notes }: BlockExtras = {}): ExtrasField {
  const isMarked = source.fields.cache_control !== undefined;
  const fields = { ...named, ...(isMarked ? { cacheControl: source.json("cache_control") } : {}) };
  const own = Object.keys(fields).length === 0 ? undefined : { [NAME]: fields };
  return source.extras(["type", "cache_control", ...keys], notes, own);
}
