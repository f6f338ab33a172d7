/** OpenAI's Responses API: a flat list of messages, calls, results and reasoning. One item is one message; lossless. */
import { type Fields, isObject } from "../../check-value.ts";
import { toDataUrl } from "../decode-value.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../json.ts";
import type {
  FilePart,
  ImagePart,
  Message,
  Part,
  ReasoningPart,
  ToolCallPart,
  ToolResultPart,
  UnknownPart,
} from "../message.ts";
import { outputText } from "../message-text.ts";
import type { Format } from "./format.ts";
import { decodeOpenAiResponses, plainTextType } from "./openai-responses-decode.ts";
import { imageUrl, optionalField, writeArguments, writeCustomInput } from "./wire-item.ts";
import { WireWriter } from "./wire-object.ts";

export const openAiResponsesFormat: Format = {
  name: "openai-responses",
  recognize,
  decode: decodeOpenAiResponses,
  encode: encodeOpenAiResponses,
};

const ROLES: readonly unknown[] = ["system", "developer", "user", "assistant"];
const OWN_PARTS: ReadonlySet<unknown> = new Set(["input_text", "output_text", "input_image", "input_file"]);
const OWN_ITEMS: ReadonlySet<unknown> = new Set(["reasoning", "item_reference", "compaction", "mcp_list_tools"]);

function recognize(item: unknown): "sure" | "possible" | "no" {
  if (!isObject(item) || item.parts !== undefined || item.tool_calls !== undefined) return "no";
  if (item.callId !== undefined || item.providerData !== undefined) return "no";
  if (item.role === undefined) return isOwnItem(item) ? "sure" : "no";
  if (!ROLES.includes(item.role) || (item.type !== undefined && item.type !== "message")) return "no";
  if (typeof item.content === "string") return item.type === "message" ? "sure" : "possible";
  if (!Array.isArray(item.content)) return "no";
  return item.content.some((part) => isObject(part) && OWN_PARTS.has(part.type)) ? "sure" : "no";
}

/** Items without a role have a type; calls and outputs are recognized by the end of its name. */
function isOwnItem({ type, content, summary }: Fields): boolean {
  if (type === "reasoning" && Array.isArray(content) && summary === undefined) return false;
  return typeof type === "string" && (OWN_ITEMS.has(type) || /_call(_output)?$|^mcp_approval_/.test(type));
}

// Encoding: an assistant message becomes several items, in order. Sources, and the reasoning and tools of other
// providers, have no place in this format and are left out.
const NAME = "openai-responses";
const writer = new WireWriter(NAME);

export function encodeOpenAiResponses(messages: readonly Message[]): readonly JsonValue[] {
  return messages.flatMap((message) => {
    if (message.role === "assistant") return encodeAssistant(message);
    if (message.role !== "tool") return encodeMessageOrItems(message);
    return message.parts.flatMap((part) => (part.type === "tool-result" ? encodeResult(part) : []));
  });
}

/** Some unknown items are the user's; they are alone in their message. */
function encodeMessageOrItems(message: Message): readonly JsonValue[] {
  const items = message.parts.flatMap((part) => (isItem(part) ? [part.value] : []));
  const words = message.parts.filter((part) => !isItem(part));
  return items.length > 0 && words.length === 0 ? items : [...items, encodeMessage(message, words)];
}

function encodeMessage(message: Message, parts: readonly Part[]): JsonObject {
  const content = parts.flatMap((part) => encodeContentPart(part, message.role));
  const [first] = parts;
  const asString = writer.noteOf(message, "content") === "string" && parts.length === 1 && first?.type === "text";
  const type = writer.noteOf(message, "type");
  const item = {
    ...(type === "absent" ? {} : { type: type === "null" ? null : "message" }),
    role: message.role === "system" && writer.noteOf(message, "role") === "developer" ? "developer" : message.role,
    content: asString ? first.text : content,
  };
  return writer.complete(item, message, ["type", "role", "content"]);
}

function encodeAssistant(message: Message): readonly JsonValue[] {
  if (message.parts.length === 0) return [encodeMessage(message, [])];
  let fields = message;
  return groupItems(message.parts).flatMap((group) => {
    const [first] = group;
    if (first === undefined || !isMessageContent(first)) return encodeItem(group);
    const item = encodeMessage(fields, group);
    // The message's fields belong to its first text; repairs and the AI SDK put several texts into one message.
    fields = { id: message.id, role: message.role, parts: [] };
    return [item];
  });
}

/** Groups the parts of one item: adjacent texts, and the pieces of one thought. */
function groupItems(parts: readonly Part[]): readonly (readonly Part[])[] {
  const groups: Part[][] = [];
  for (const part of parts) {
    const previous = groups.at(-1)?.at(-1);
    const joins =
      previous !== undefined &&
      ((isMessageContent(part) && isMessageContent(previous)) || continuesThought(part, previous));
    if (joins) groups.at(-1)?.push(part);
    else groups.push([part]);
  }
  return groups;
}

function encodeItem(group: readonly Part[]): readonly JsonValue[] {
  const [part] = group;
  switch (part?.type) {
    case "tool-call":
      return part.byProvider === true ? [] : [encodeCall(part)];
    case "reasoning":
      return encodeReasoning(part, group);
    case "unknown":
      return isItem(part) ? [part.value] : [];
    default:
      return [];
  }
}

function encodeReasoning(part: ReasoningPart, group: readonly Part[]): readonly JsonObject[] {
  const { itemId, reasoningEncryptedContent } = part.extras?.openai ?? {};
  if (writer.noteOf(part, "type") === undefined && typeof itemId !== "string") return [];
  const item = {
    type: "reasoning",
    ...(typeof itemId === "string" ? { id: itemId } : {}),
    summary: group.flatMap((thought) => (thought.type === "reasoning" ? encodeThought(thought) : [])),
    ...(typeof reasoningEncryptedContent === "string" ? { encrypted_content: reasoningEncryptedContent } : {}),
  };
  return [writer.complete(item, part, ["type", "summary"])];
}

/** Reasoning without text has no summary; the AI SDK gives it an empty text. */
function encodeThought(part: ReasoningPart): readonly JsonObject[] {
  const note = writer.noteOf(part, "summary");
  if (isJsonObject(note)) return [{ ...note, text: part.text }];
  return part.text === "" ? [] : [{ type: "summary_text", text: part.text }];
}

export function continuesThought(part: Part, previous: Part): boolean {
  if (part.type !== "reasoning" || previous.type !== "reasoning") return false;
  const type = writer.noteOf(part, "type");
  if (type !== undefined) return type === "more";
  const id = part.extras?.openai?.itemId;
  return id !== undefined && id === previous.extras?.openai?.itemId;
}

function encodeCall(part: ToolCallPart): JsonObject {
  const type = writer.noteOf(part, "type") ?? "function_call";
  const item =
    type === "function_call"
      ? { type, call_id: part.callId, name: part.tool, arguments: writeArguments(part) }
      : type === "custom_tool_call"
        ? { type, call_id: part.callId, name: part.tool, input: writeCustomInput(part) }
        : { ...(isJsonObject(part.input) ? part.input : {}), type, call_id: part.callId };
  return writer.complete(item, part, ["type"]);
}

function encodeResult(part: ToolResultPart): readonly JsonObject[] {
  if (part.byProvider === true) return [];
  const type = writer.noteOf(part, "type") ?? "function_call_output";
  const missing = writer.noteOf(part, "output");
  const item = {
    type,
    [writer.noteOf(part, "call_id") === "absent" ? "id" : "call_id"]: part.callId,
    ...(missing === "absent" ? {} : { output: missing === "null" ? null : encodeOutput(part, type) }),
  };
  return [writer.complete(item, part, ["type", "call_id", "output"])];
}

function encodeOutput({ output }: ToolResultPart, type: JsonValue): JsonValue {
  if (output.type === "parts") return output.parts.flatMap((part) => encodeContentPart(part, "tool"));
  const structured = type !== "function_call_output" && type !== "custom_tool_call_output";
  return output.type === "json" && structured ? output.value : outputText(output);
}

function encodeContentPart(part: Part, role: Message["role"]): readonly JsonValue[] {
  switch (part.type) {
    case "text": {
      const type = writer.noteOf(part, "type") ?? plainTextType(role);
      const item = type === "refusal" ? { type, refusal: part.text } : { type, text: part.text };
      return [writer.complete(item, part, ["type"])];
    }
    case "image":
      return [encodeImage(part)];
    case "file":
      return [encodeFile(part)];
    case "unknown":
      return part.format === NAME && isJsonObject(part.value) ? [part.value.content_part ?? part.value] : [];
    default:
      return [];
  }
}

function encodeImage(part: ImagePart): JsonObject {
  const detail = part.extras?.openai?.imageDetail;
  const where =
    part.source.type === "reference" ? { file_id: part.source.id } : { image_url: imageUrl(part, part.source) };
  const item = { type: "input_image", ...where, ...(typeof detail === "string" ? { detail } : {}) };
  return writer.complete(item, part);
}

function encodeFile(part: FilePart): JsonObject {
  const { source, mediaType } = part;
  if (mediaType.startsWith("image/") && writer.noteOf(part, "type") !== "input_file" && source.type !== "reference") {
    return encodeImage({ ...part, type: "image" });
  }
  const where =
    source.type === "reference"
      ? { file_id: source.id }
      : source.type === "url"
        ? { file_url: source.url }
        : { file_data: toDataUrl({ mediaType, base64: source.base64 }) };
  const item = { type: "input_file", ...optionalField("filename", part.name), ...where };
  return writer.complete(item, part, ["type"]);
}

/** Whether the part is an unknown item of the list. Unknown parts of a message's content are wrapped. */
function isItem(part: Part): part is UnknownPart {
  return part.type === "unknown" && part.format === NAME && !isContentPart(part);
}

function isContentPart(part: UnknownPart): boolean {
  return part.format === NAME && isJsonObject(part.value) && part.value.content_part !== undefined;
}

function isMessageContent(part: Part): boolean {
  if (part.type === "unknown") return isContentPart(part);
  return part.type === "text" || part.type === "image" || part.type === "file";
}
