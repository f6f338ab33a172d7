/**
 * Reads one message of OpenAI's chat completions. Its extra roles (`developer`, `function`) and the shape of its
 * content are noted for encoding; unknown fields go into the extras, and unknown parts are kept unchanged.
 */
import { invalidMessage } from "../../check-value.ts";
import { findWireExtras, noteExtras, parseDataUrl } from "../decode-value.ts";
import type { JsonObject } from "../json.ts";
import type {
  ContentPart,
  FilePart,
  ImagePart,
  Message,
  Part,
  TextPart,
  ToolCallPart,
  ToolOutput,
  ToolResultPart,
  UnknownPart,
} from "../message.ts";
import type { DecodeContext } from "./format.ts";
import { createCallId, createUnmatchedResultId, GENERATED_CALL_ID } from "./match-calls-by-name.ts";
import { extrasField, itemId, optionalField, readArguments, UNKNOWN_MEDIA_TYPE } from "./wire-item.ts";
import { type ExtrasField, WireObject } from "./wire-object.ts";

const NAME = "openai-chat";

export function decodeOpenAiChat(item: unknown, { path, fallbackId }: DecodeContext): readonly Message[] {
  const source = new WireObject(NAME, item, path);
  const id = itemId(source.fields, fallbackId);
  const { role } = source.fields;
  switch (role) {
    case "system":
    case "developer":
    case "user":
      return [{ id, role: role === "user" ? "user" : "system", ...decodeContent(source) }];
    case "assistant":
      return [{ id, role, ...decodeAssistant(source, id) }];
    case "tool":
      return [{ id, role, parts: [decodeResult(source)] }];
    case "function":
      return [{ id, role: "tool", parts: [decodeFunctionResult(source)] }];
    default:
      throw invalidMessage(source.pathOf("role"), "system, developer, user, assistant, tool or function", role);
  }
}

type DecodedMessage = Pick<Message, "parts" | "name" | "extras">;

function decodeContent(source: WireObject): DecodedMessage {
  const { role, content } = source.fields;
  const { parts, shape } = readContent(source);
  if (source.describeMissing("content") !== undefined) {
    throw invalidMessage(source.pathOf("content"), TEXT_OR_LIST, content);
  }
  const notes = {
    role: role === "developer" ? role : undefined,
    content: shape === plainShape(parts, false) ? undefined : shape,
  };
  return { parts, ...optionalField("name", source.findText("name")), ...messageExtras(source, notes) };
}

function decodeAssistant(source: WireObject, id: string): DecodedMessage {
  const { parts: content, shape } = readContent(source);
  const refusal = source.findText("refusal");
  const calls = [...readCalls(source), ...readFunctionCall(source, id)];
  const notes = { content: shape === plainShape(content, calls.length > 0) ? undefined : shape };
  const isField = extrasField(noteExtras(NAME, { type: "field" }));
  const refused: readonly TextPart[] = refusal === undefined ? [] : [{ type: "text", text: refusal, ...isField }];
  const name = optionalField("name", source.findText("name"));
  return { parts: [...content, ...refused, ...calls], ...name, ...messageExtras(source, notes) };
}

function decodeResult(source: WireObject): ToolResultPart {
  return {
    type: "tool-result",
    callId: source.text("tool_call_id"),
    ...optionalField("tool", source.findText("name")),
    output: readOutput(source),
    failed: false,
    ...source.extras(["role", "content", "tool_call_id"]),
  };
}

function decodeFunctionResult(source: WireObject): ToolResultPart {
  const tool = source.text("name");
  const isNull = source.fields.content === null;
  const notes = { role: "function", content: isNull ? "null" : undefined };
  return {
    type: "tool-result",
    callId: createUnmatchedResultId(tool, 0),
    tool,
    output: isNull ? { type: "text", text: "" } : readOutput(source),
    failed: false,
    ...source.extras(["role", "content", "name"], notes, GENERATED_CALL_ID),
  };
}

function messageExtras(source: WireObject, notes: JsonObject): ExtrasField {
  const { tool_calls: calls } = source.fields;
  const hasNoCalls = Array.isArray(calls) && calls.length === 0;
  const filled = source.filledKeys("name", "refusal", "function_call", ...(hasNoCalls ? [] : ["tool_calls"]));
  return source.extras(["role", "content", ...filled], notes);
}

function readCalls(source: WireObject): readonly Part[] {
  return source.describeMissing("tool_calls") === undefined ? source.list("tool_calls", readCall) : [];
}

/** Wraps a call of unknown kind, so that it is not mistaken for a part of the content. */
function readCall(source: WireObject): Part {
  const type = source.findText("type");
  const key = type === "custom" ? "custom" : "function";
  const isKnown = type === undefined || type === key;
  if (!isKnown) return { type: "unknown", format: NAME, value: { tool_call: source.toUnknown().value } };
  const inner = source.object(key);
  const innerKeys = ["name", key === "custom" ? "input" : "arguments"];
  return {
    type: "tool-call",
    callId: source.text("id"),
    tool: inner.text("name"),
    ...(key === "custom" ? { input: inner.text("input") } : readArguments(inner.text("arguments"), inner.path)),
    ...source.extras(["id", "type", key], {
      type: key === "custom" ? "custom" : type === undefined ? "absent" : undefined,
      function: inner.others(innerKeys),
    }),
  };
}

function readFunctionCall(source: WireObject, id: string): readonly ToolCallPart[] {
  if (source.describeMissing("function_call") !== undefined) return [];
  const call = source.object("function_call");
  const notes = { type: "function_call", function: call.others(["name", "arguments"]) };
  const part: ToolCallPart = {
    type: "tool-call",
    callId: createCallId(id, 0),
    tool: call.text("name"),
    ...readArguments(call.text("arguments"), call.path),
    ...extrasField(noteExtras(NAME, notes), GENERATED_CALL_ID),
  };
  return [part];
}

/** The original shape of `content`. Noted only if the parts alone would be written differently. */
export type ContentShape = "string" | "parts" | "null" | "absent";

/** Returns the default shape: one plain text is a string, several parts are a list. */
export function plainShape(content: readonly ContentPart[], hasCalls: boolean): ContentShape {
  const [first] = content;
  if (first === undefined) return hasCalls ? "null" : "string";
  const plain = first.type === "text" && findWireExtras(first.extras, NAME) === undefined;
  return content.length === 1 && plain ? "string" : "parts";
}

const TEXT_OR_LIST = "a string or an array";

function readContent(source: WireObject): { readonly parts: readonly ContentPart[]; readonly shape: ContentShape } {
  const missing = source.describeMissing("content");
  if (missing !== undefined) return { parts: [], shape: missing };
  const { content } = source.fields;
  if (typeof content === "string") return { parts: [{ type: "text", text: content }], shape: "string" };
  return { parts: source.list("content", readContentPart, TEXT_OR_LIST), shape: "parts" };
}

function readOutput(source: WireObject): ToolOutput {
  const { content } = source.fields;
  if (typeof content === "string") return { type: "text", text: content };
  return { type: "parts", parts: source.list("content", readContentPart, TEXT_OR_LIST) };
}

function readContentPart(source: WireObject): ContentPart {
  switch (source.text("type")) {
    case "text":
      return { type: "text", text: source.text("text"), ...source.extras(["type", "text"]) };
    case "refusal":
      return { type: "text", text: source.text("refusal"), ...source.extras(["type", "refusal"], { type: "refusal" }) };
    case "image_url":
      return readImage(source);
    case "input_audio":
      return readAudio(source);
    case "file":
      return readFile(source);
    default:
      return source.toUnknown();
  }
}

function readImage(source: WireObject): ImagePart {
  const image = source.object("image_url");
  const url = image.text("url");
  const { detail } = image.fields;
  const data = parseDataUrl(url);
  const others = image.others(typeof detail === "string" ? ["url", "detail"] : ["url"]);
  const openai = typeof detail === "string" ? { openai: { imageDetail: detail } } : undefined;
  return {
    type: "image",
    source: data === undefined ? { type: "url", url } : { type: "data", base64: data.base64 },
    ...optionalField("mediaType", data?.mediaType),
    ...source.extras(["type", "image_url"], { image_url: others }, openai),
  };
}

function readAudio(source: WireObject): FilePart {
  const audio = source.object("input_audio");
  const format = audio.text("format");
  const mediaType = format === "mp3" ? "audio/mpeg" : `audio/${format}`;
  const spelling = audioFormat(mediaType) === format ? undefined : format;
  const noted = { ...audio.others(["data", "format"]), ...optionalField("format", spelling) };
  return {
    type: "file",
    source: { type: "data", base64: audio.text("data") },
    mediaType,
    ...source.extras(["type", "input_audio"], { input_audio: noted }),
  };
}

export function audioFormat(mediaType: string): string {
  return mediaType === "audio/mpeg" ? "mp3" : mediaType.replace(/^audio\//, "");
}

/** A file with neither an id nor a data URL cannot be interpreted, so it is kept unchanged. */
function readFile(source: WireObject): FilePart | UnknownPart {
  const file = source.object("file");
  const { file_data: bytes, file_id: id } = file.fields;
  const data = typeof bytes === "string" ? parseDataUrl(bytes) : undefined;
  if (data === undefined && typeof id !== "string") return source.toUnknown();
  const others = file.others([data === undefined ? "file_id" : "file_data", ...file.filledKeys("filename")]);
  const takeUserPart = data !== undefined && /^(image|audio)\//.test(data.mediaType) ? "file" : undefined;
  return {
    type: "file",
    source: data === undefined ? { type: "reference", id: String(id) } : { type: "data", base64: data.base64 },
    mediaType: data?.mediaType ?? UNKNOWN_MEDIA_TYPE,
    ...optionalField("name", file.findText("filename")),
    ...source.extras(["type", "file"], { type: takeUserPart, file: others }),
  };
}
