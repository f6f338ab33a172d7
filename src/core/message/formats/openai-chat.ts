/** OpenAI's chat completions. Lossless, including unknown fields and the exact spelling of arguments. */
import { type Fields, isObject } from "../../check-value.ts";
import { toDataUrl } from "../decode-value.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../json.ts";
import type {
  ContentPart,
  FilePart,
  ImagePart,
  Message,
  Part,
  TextPart,
  ToolCallPart,
  ToolResultPart,
} from "../message.ts";
import { outputText } from "../message-text.ts";
import type { Format } from "./format.ts";
import { audioFormat, decodeOpenAiChat, plainShape } from "./openai-chat-decode.ts";
import { imageUrl, optionalField, writeArguments, writeCustomInput } from "./wire-item.ts";
import { WireWriter } from "./wire-object.ts";

export const openAiChatFormat: Format = {
  name: "openai-chat",
  recognize,
  decode: decodeOpenAiChat,
  encode: encodeOpenAiChat,
};

const ROLES: readonly unknown[] = ["system", "developer", "user", "assistant", "tool", "function"];
const PART_TYPES: readonly unknown[] = ["text", "image_url", "input_audio", "file", "refusal"];

function recognize(item: unknown): "sure" | "possible" | "no" {
  if (!isObject(item) || !ROLES.includes(item.role) || item.type !== undefined || item.parts !== undefined) return "no";
  if (hasMark(item)) return "sure";
  if (item.role === "tool" || item.role === "function" || item.tool_calls !== undefined) return "no";
  return isChatContent(item.content) ? "possible" : "no";
}

function hasMark(item: Fields): boolean {
  if (item.role === "tool") return typeof item.tool_call_id === "string" && item.content !== undefined;
  if (item.role === "function") return typeof item.name === "string" && item.content !== undefined;
  if (isObject(item.function_call)) return true;
  const [call] = Array.isArray(item.tool_calls) ? item.tool_calls : [];
  return isObject(call) && (isObject(call.function) || isObject(call.custom));
}

/** A file part of the AI SDK has its data next to `type`; a chat file has it in a nested object. */
function isChatContent(content: unknown): boolean {
  if (typeof content === "string" || content === null) return true;
  if (!Array.isArray(content)) return false;
  return content.every(
    (part) => isObject(part) && PART_TYPES.includes(part.type) && (part.type !== "file" || isObject(part.file)),
  );
}

// Encoding: each result is its own message. Reasoning, sources and tools that a provider ran have no place in this
// format and are left out.
const NAME = "openai-chat";
const writer = new WireWriter(NAME);

export function encodeOpenAiChat(messages: readonly Message[]): readonly JsonObject[] {
  return messages.flatMap((message) => {
    if (message.role !== "tool")
      return [message.role === "assistant" ? encodeAssistant(message) : encodeMessage(message)];
    const results = message.parts.filter((part) => part.type === "tool-result");
    return results.filter(({ byProvider }) => byProvider !== true).map(encodeResult);
  });
}

function encodeMessage(message: Message, more: JsonObject = {}): JsonObject {
  const isDeveloper = message.role === "system" && writer.noteOf(message, "role") === "developer";
  const role = isDeveloper ? "developer" : message.role;
  const content = encodeContent(message.parts.filter(isContent), message);
  const item = { role, ...content, ...optionalField("name", message.name), ...more };
  return writer.complete(item, message, ["role", "content"]);
}

function encodeAssistant(message: Message): JsonObject {
  const refusal = message.parts.find((part): part is TextPart => part.type === "text" && isField(part));
  const calls = message.parts.flatMap(encodeCall);
  const functionCall = message.parts.find(
    (part): part is ToolCallPart => writer.noteOf(part, "type") === "function_call",
  );
  return encodeMessage(message, {
    ...optionalField("refusal", refusal?.text),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
    ...(functionCall === undefined ? {} : { function_call: encodeFunction(functionCall) }),
  });
}

function encodeContent(parts: readonly ContentPart[], message: Message): { readonly content?: JsonValue } {
  const hasCalls = message.parts.some((part) => part.type === "tool-call" || isUnknownCall(part));
  const plain = plainShape(parts, hasCalls);
  const noted = writer.noteOf(message, "content");
  if (noted === "absent" && parts.length === 0) return {};
  if (noted === "null" && parts.length === 0) return { content: null };
  if (noted === "parts" || plain === "parts") return { content: parts.flatMap(encodeContentPart) };
  if (plain === "null") return { content: null };
  const [first] = parts;
  return { content: first?.type === "text" ? first.text : "" };
}

function encodeResult(part: ToolResultPart): JsonObject {
  const legacy = writer.noteOf(part, "role") === "function";
  const content = legacy && writer.noteOf(part, "content") === "null" ? null : encodeOutput(part);
  const item = legacy
    ? { role: "function", name: part.tool ?? "", content }
    : { role: "tool", tool_call_id: part.callId, content };
  return writer.complete(item, part, ["role", "content"]);
}

function encodeOutput({ output }: ToolResultPart): JsonValue {
  return output.type === "parts" ? output.parts.flatMap(encodeContentPart) : outputText(output);
}

function encodeContentPart(part: ContentPart): readonly JsonValue[] {
  switch (part.type) {
    case "text": {
      const refused = writer.noteOf(part, "type") === "refusal";
      const item = refused ? { type: "refusal", refusal: part.text } : { type: "text", text: part.text };
      return [writer.complete(item, part, ["type"])];
    }
    case "image":
      return encodeImage(part);
    case "file":
      return encodeFile(part);
    case "unknown":
      return [part.value];
    default:
      return part satisfies never;
  }
}

function encodeImage(part: ImagePart): readonly JsonObject[] {
  const { source } = part;
  if (source.type === "reference") return [];
  const url = imageUrl(part, source);
  const detail = part.extras?.openai?.imageDetail;
  const image = { url, ...(typeof detail === "string" ? { detail } : {}), ...writer.noteFieldsOf(part, "image_url") };
  const item = { type: "image_url", image_url: image };
  return [writer.complete(item, part, ["type", "image_url"])];
}

function encodeFile(part: FilePart): readonly JsonObject[] {
  const { source } = part;
  if (writer.noteOf(part, "type") !== "file") {
    if (part.mediaType.startsWith("image/")) return encodeImage({ ...part, type: "image" });
    if (part.mediaType.startsWith("audio/") && source.type === "data") return [encodeAudio(part, source.base64)];
  }
  if (source.type === "url") return [];
  const where =
    source.type === "reference"
      ? { file_id: source.id }
      : { file_data: toDataUrl({ mediaType: part.mediaType, base64: source.base64 }) };
  const item = {
    type: "file",
    file: { ...where, ...optionalField("filename", part.name), ...writer.noteFieldsOf(part, "file") },
  };
  return [writer.complete(item, part, ["type", "file"])];
}

function encodeAudio(part: FilePart, data: string): JsonObject {
  const audio = { data, format: audioFormat(part.mediaType), ...writer.noteFieldsOf(part, "input_audio") };
  const item = { type: "input_audio", input_audio: audio };
  return writer.complete(item, part, ["type", "input_audio"]);
}

function encodeCall(part: Part): readonly JsonValue[] {
  if (part.type === "unknown" && isUnknownCall(part)) {
    return isJsonObject(part.value) && part.value.tool_call !== undefined ? [part.value.tool_call] : [];
  }
  if (part.type !== "tool-call" || part.byProvider === true) return [];
  const type = writer.noteOf(part, "type");
  if (type === "function_call") return [];
  const item =
    type === "custom"
      ? { id: part.callId, type, custom: encodeCustom(part) }
      : { id: part.callId, ...(type === "absent" ? {} : { type: "function" }), function: encodeFunction(part) };
  return [writer.complete(item, part, ["type", "function"])];
}

function encodeFunction(part: ToolCallPart): JsonObject {
  return { ...writer.noteFieldsOf(part, "function"), name: part.tool, arguments: writeArguments(part) };
}

function encodeCustom(part: ToolCallPart): JsonObject {
  return { ...writer.noteFieldsOf(part, "function"), name: part.tool, input: writeCustomInput(part) };
}

function isContent(part: Part): part is ContentPart {
  if (part.type === "text") return !isField(part);
  if (part.type === "unknown") return part.format === NAME && !isUnknownCall(part);
  return part.type === "image" || part.type === "file";
}

function isField(part: TextPart): boolean {
  return writer.noteOf(part, "type") === "field";
}

function isUnknownCall(part: Part): boolean {
  return part.type === "unknown" && part.format === NAME && isJsonObject(part.value) && part.value.type === undefined;
}
