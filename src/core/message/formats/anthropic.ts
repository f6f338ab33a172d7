/**
 * Anthropic's Messages API. Its user messages hold tool results, so one item may become a tool message and a user
 * message. Decoding and encoding is lossless if results come first, as the API requires.
 */

import { type Fields, isObject } from "../../check-value.ts";
import { listWords } from "../../language/list-words.ts";
import { decodeBase64Text } from "../base64.ts";
import { findWireExtras, joinExtras } from "../decode-value.ts";
import type { JsonObject, JsonValue } from "../json.ts";
import type {
  FilePart,
  ImagePart,
  Message,
  Part,
  ReasoningPart,
  ToolCallPart,
  ToolOutput,
  ToolResultPart,
} from "../message.ts";
import { outputText } from "../message-text.ts";
import { decodeAnthropic, isDocumentType } from "./anthropic-decode.ts";
import type { Format } from "./format.ts";
import { groupAnswers } from "./match-calls-by-name.ts";
import { imageMediaType, optionalField } from "./wire-item.ts";
import { type ExtrasField, WireWriter } from "./wire-object.ts";

export const anthropicFormat: Format = {
  name: "anthropic",
  alternation: {
    writeUserItem: (text) => ({ role: "user", content: text }),
    joinItems: (first, second) => ({ ...first, content: [...blocksOf(first), ...blocksOf(second)] }),
    beginsTurn: thinksAndCalls,
  },
  recognize,
  decode: decodeAnthropic,
  encode: encodeAnthropic,
};

const OWN_BLOCKS: ReadonlySet<unknown> = new Set(
  listWords(`tool_use tool_result thinking redacted_thinking server_tool_use mcp_tool_use mcp_tool_result search_result
    container_upload`),
);

const ROLES: ReadonlySet<unknown> = new Set(["user", "assistant", "system"]);

function recognize(item: unknown): "sure" | "possible" | "no" {
  if (!isObject(item) || !ROLES.has(item.role)) return "no";
  const answer = item.type === "message" && item.role === "assistant" && "stop_reason" in item;
  if (item.type !== undefined && !answer) return "no";
  if (item.parts !== undefined || item.tool_calls !== undefined) return "no";
  if (typeof item.content === "string") return "possible";
  if (!Array.isArray(item.content) || !item.content.every(isObject)) return "no";
  if (answer || item.content.some(isOwnBlock)) return "sure";
  return item.content.every((block) => block.type === "text") ? "possible" : "no";
}

function isOwnBlock(block: Fields): boolean {
  const media = block.type === "image" || block.type === "document";
  return OWN_BLOCKS.has(block.type) || (media && isObject(block.source) && typeof block.source.type === "string");
}

function blocksOf({ content }: Fields): readonly unknown[] {
  return Array.isArray(content) ? content : [{ type: "text", text: content }];
}

/** Thinking that led to tool calls must be at the beginning of its turn. */
function thinksAndCalls(item: unknown): boolean {
  const types = isObject(item) && Array.isArray(item.content) ? item.content.map((block) => block?.type) : [];
  const thinksFirst = types[0] === "thinking" || types[0] === "redacted_thinking";
  return thinksFirst && types.includes("tool_use");
}

// Encoding: tool messages and the user message after them are one item, results first. Reasoning without a signature,
// and tools that another provider ran, cannot be written.
const NAME = "anthropic";
const writer = new WireWriter(NAME);

export function encodeAnthropic(messages: readonly Message[]): readonly JsonObject[] {
  return groupAnswers(messages, () => true).map(encodeGroup);
}

function encodeGroup(group: readonly Message[]): JsonObject {
  const role = group[0]?.role === "tool" ? "user" : (group[0]?.role ?? "user");
  const parts = group.flatMap((message) => message.parts);
  const extras = joinExtras(...group.map((message) => message.extras));
  const item = { role, content: encodeContent(parts, findWireExtras(extras, NAME)?.content === "string") };
  return writer.complete(item, { extras }, ["role", "content"]);
}

function encodeContent(parts: readonly Part[], asString: boolean): JsonValue {
  const [first] = parts;
  const plain = first?.type === "text" && first.extras === undefined && parts.length === 1;
  return asString && plain ? first.text : parts.flatMap(encodePart);
}

function encodePart(part: Part): readonly JsonValue[] {
  switch (part.type) {
    case "text":
      return [complete({ type: "text", text: part.text }, part)];
    case "reasoning":
      return encodeReasoning(part);
    case "tool-call":
      return encodeCall(part);
    case "tool-result":
      return part.byProvider === true ? encodeProviderResult(part) : [encodeResult(part)];
    case "image":
      return [encodeImage(part)];
    case "file":
      return encodeFile(part);
    case "source":
      return [];
    case "unknown":
      return part.format === NAME ? [part.value] : [];
    default:
      return part satisfies never;
  }
}

function encodeReasoning(part: ReasoningPart): readonly JsonObject[] {
  const { signature, redactedData } = part.extras?.[NAME] ?? {};
  if (typeof redactedData === "string") return [complete({ type: "redacted_thinking", data: redactedData }, part)];
  if (signature === undefined && writer.noteOf(part, "type") !== "thinking") return [];
  return [complete({ type: "thinking", thinking: part.text, ...optionalField("signature", signature) }, part)];
}

function encodeCall(part: ToolCallPart): readonly JsonObject[] {
  const type = writer.noteOf(part, "type");
  if (part.byProvider === true && type === undefined) return [];
  const input = writer.noteOf(part, "input") === "absent" ? {} : { input: part.input };
  return [complete({ type: type ?? "tool_use", id: part.callId, name: part.tool, ...input }, part, ["input"])];
}

function encodeResult(part: ToolResultPart): JsonObject {
  const noted = writer.noteOf(part, "content");
  const content = noted === "absent" ? {} : { content: noted === "null" ? null : encodeOutput(part.output) };
  const failed = part.failed ? true : writer.noteOf(part, "is_error");
  const item = { type: "tool_result", tool_use_id: part.callId, ...content, ...optionalField("is_error", failed) };
  return complete(item, part, ["content", "is_error"]);
}

function encodeProviderResult(part: ToolResultPart): readonly JsonObject[] {
  const type = writer.noteOf(part, "type");
  if (type === undefined) return [];
  const value = part.output.type === "json" ? part.output.value : encodeOutput(part.output);
  const content = writer.noteOf(part, "content") === "absent" ? {} : { content: value };
  return [complete({ type, tool_use_id: part.callId, ...content }, part, ["content"])];
}

function encodeOutput(output: ToolOutput): JsonValue {
  return output.type === "parts" ? output.parts.flatMap(encodePart) : outputText(output);
}

function encodeImage(part: ImagePart): JsonObject {
  const source = encodeSource(part, { mediaType: imageMediaType(part), plainType: "base64" });
  return complete({ type: "image", source }, part, ["source"]);
}

function encodeFile(part: FilePart): readonly JsonObject[] {
  const { mediaType } = part;
  const held = part.source.type !== "data" || isDocumentType(mediaType) || writer.noteOf(part, "type") === "document";
  if (!held) return mediaType.startsWith("image/") ? [encodeImage({ ...part, type: "image" })] : [];
  const source = encodeSource(part, { mediaType, plainType: mediaType === "text/plain" ? "text" : "base64" });
  return [complete({ type: "document", source, ...optionalField("title", part.name) }, part, ["source"])];
}

function encodeSource(
  part: ImagePart | FilePart,
  { mediaType, plainType }: { readonly mediaType: string; readonly plainType: string },
): JsonObject {
  const fields = writer.noteFieldsOf(part, "source");
  const { source } = part;
  if (source.type === "url") return { type: "url", url: source.url, ...fields };
  if (source.type === "reference") return { type: "file", file_id: source.id, ...fields };
  const type = fields.type ?? plainType;
  const data = type === "text" ? decodeBase64Text(source.base64) : source.base64;
  return { ...fields, type, media_type: mediaType, data };
}

/** Adds the block's unknown fields and its cache mark. */
function complete(block: JsonObject, part: ExtrasField, noteKeys: readonly string[] = []): JsonObject {
  const marked = { ...block, ...optionalField("cache_control", part.extras?.[NAME]?.cacheControl) };
  return writer.complete(marked, part, ["type", ...noteKeys]);
}
