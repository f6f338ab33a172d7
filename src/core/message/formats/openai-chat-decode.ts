/**
 * Reads one message of OpenAI's chat completions. Roles that it has beside ours (`developer`, `function`) and the
 * shape of its content are noted for the way back; fields that it does not know go into the extras.
 */
import type { JsonObject } from "../json.ts";
import type { FilePart, ImagePart, Message, Part, TextPart, ToolCallPart, UnknownPart } from "../message.ts";
import {
  findString,
  findWireExtras,
  invalid,
  noteExtras,
  parseDataUrl,
  pathOf,
  requireArray,
  requireObject,
  requireString,
  type SourceObject,
  takeExtras,
  toJsonValue,
} from "./decode-value.ts";
import type { DecodeContext } from "./format.ts";
import { MADE_CALL_ID, madeCallId, unmatchedResultId } from "./match-calls-by-name.ts";
import { extrasField, field, filledKeys, itemId, readArguments } from "./wire-item.ts";

const NAME = "openai-chat";
const UNKNOWN_MEDIA_TYPE = "application/octet-stream";

/** How `content` stood on the wire. Noted only where the parts alone would be written otherwise. */
export type ContentShape = "string" | "parts" | "null" | "absent";

export type ContentPart = TextPart | ImagePart | FilePart | UnknownPart;

export function decodeOpenAiChat(item: unknown, { path, fallbackId }: DecodeContext): readonly Message[] {
  const source = requireObject(item, path);
  const id = itemId(source, fallbackId);
  switch (source.role) {
    case "system":
    case "developer":
    case "user":
      return [decodeWords(source, { path, id })];
    case "assistant":
      return [decodeAssistant(source, { path, id })];
    case "tool":
      return [decodeResult(source, { path, id })];
    case "function":
      return [decodeFunctionResult(source, { path, id })];
    default:
      throw invalid(pathOf(path, "role"), "system, developer, user, assistant, tool or function", source.role);
  }
}

/** The shape that the parts have by themselves: one plain text is a string, several parts are a list. */
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

interface Place {
  readonly path: string;
  readonly id: string;
}

function decodeWords(source: SourceObject, { path, id }: Place): Message {
  const { parts, shape } = readContent(source.content, pathOf(path, "content"));
  if (shape === "absent" || shape === "null") {
    throw invalid(pathOf(path, "content"), "a string or an array", source.content);
  }
  const notes = {
    role: source.role === "developer" ? "developer" : undefined,
    content: shape === plainShape(parts, false) ? undefined : shape,
  };
  return {
    id,
    role: source.role === "user" ? "user" : "system",
    parts,
    ...field("name", findString(source.name, pathOf(path, "name"))),
    ...messageExtras(source, path, notes),
  };
}

function decodeAssistant(source: SourceObject, { path, id }: Place): Message {
  const { parts: content, shape } = readContent(source.content, pathOf(path, "content"));
  const refusal = findString(source.refusal, pathOf(path, "refusal"));
  const calls = [...readCalls(source, path), ...readFunctionCall(source, { path, id })];
  const refused: TextPart[] =
    refusal === undefined ? [] : [{ type: "text", text: refusal, ...extrasField(noteExtras(NAME, { type: "field" })) }];
  return {
    id,
    role: "assistant",
    parts: [...content, ...refused, ...calls],
    ...field("name", findString(source.name, pathOf(path, "name"))),
    ...messageExtras(source, path, { content: shape === plainShape(content, calls.length > 0) ? undefined : shape }),
  };
}

function decodeResult(source: SourceObject, { path, id }: Place): Message {
  const keys = ["role", "content", "tool_call_id"];
  const part: Part = {
    type: "tool-result",
    callId: requireString(source.tool_call_id, pathOf(path, "tool_call_id")),
    ...field("tool", findString(source.name, pathOf(path, "name"))),
    output: readOutput(source.content, pathOf(path, "content")),
    failed: false,
    ...extrasField(takeExtras(source, { knownKeys: keys, name: NAME, path })),
  };
  return { id, role: "tool", parts: [part] };
}

function decodeFunctionResult(source: SourceObject, { path, id }: Place): Message {
  const tool = requireString(source.name, pathOf(path, "name"));
  const shape = source.content === null ? "null" : undefined;
  const unknown = takeExtras(source, { knownKeys: ["role", "content", "name"], name: NAME, path });
  const part: Part = {
    type: "tool-result",
    callId: unmatchedResultId(tool, 0),
    tool,
    output: shape === "null" ? { type: "text", text: "" } : readOutput(source.content, pathOf(path, "content")),
    failed: false,
    ...extrasField(unknown, noteExtras(NAME, { role: "function", content: shape }), MADE_CALL_ID),
  };
  return { id, role: "tool", parts: [part] };
}

function messageExtras(source: SourceObject, path: string, notes: JsonObject): Pick<Message, "extras"> {
  const emptyCalls = Array.isArray(source.tool_calls) && source.tool_calls.length === 0;
  const keys = filledKeys(source, ["name", "refusal", "function_call", ...(emptyCalls ? [] : ["tool_calls"])]);
  const knownKeys = ["role", "content", ...keys];
  return extrasField(takeExtras(source, { knownKeys, name: NAME, path }), noteExtras(NAME, notes));
}

function readContent(value: unknown, path: string): { parts: readonly ContentPart[]; shape: ContentShape } {
  if (value === undefined) return { parts: [], shape: "absent" };
  if (value === null) return { parts: [], shape: "null" };
  if (typeof value === "string") return { parts: [{ type: "text", text: value }], shape: "string" };
  if (!Array.isArray(value)) throw invalid(path, "a string or an array", value);
  return { parts: value.map((part, index) => readContentPart(part, pathOf(path, index))), shape: "parts" };
}

function readOutput(value: unknown, path: string): Extract<Part, { type: "tool-result" }>["output"] {
  if (typeof value === "string") return { type: "text", text: value };
  if (!Array.isArray(value)) throw invalid(path, "a string or an array", value);
  return { type: "parts", parts: value.map((part, index) => readContentPart(part, pathOf(path, index))) };
}

function readContentPart(value: unknown, path: string): ContentPart {
  const source = requireObject(value, path);
  switch (requireString(source.type, pathOf(path, "type"))) {
    case "text":
      return { type: "text", text: requireString(source.text, pathOf(path, "text")), ...rest(source, "text", path) };
    case "refusal": {
      const text = requireString(source.refusal, pathOf(path, "refusal"));
      const unknown = rest(source, "refusal", path).extras;
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

function readImage(source: SourceObject, path: string): ImagePart {
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
      rest(source, "image_url", path).extras,
      noteExtras(NAME, { image_url: findWireExtras(inner, NAME) }),
      detail === undefined ? undefined : { openai: { imageDetail: detail } },
    ),
  };
}

function readAudio(source: SourceObject, path: string): FilePart {
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
    ...extrasField(rest(source, "input_audio", path).extras, noteExtras(NAME, { input_audio: noted })),
  };
}

/** A file with neither an id nor a data URL is nothing that we could name, so it is carried as it came. */
function readFile(source: SourceObject, path: string): FilePart | UnknownPart {
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
      rest(source, "file", path).extras,
      noteExtras(NAME, { type: ownPart, file: findWireExtras(inner, NAME) }),
    ),
  };
}

function rest(source: SourceObject, key: string, path: string): Pick<TextPart, "extras"> {
  return extrasField(takeExtras(source, { knownKeys: ["type", key], name: NAME, path }));
}

function readCalls(source: SourceObject, path: string): readonly Part[] {
  if (source.tool_calls === undefined || source.tool_calls === null) return [];
  const callsPath = pathOf(path, "tool_calls");
  return requireArray(source.tool_calls, callsPath).map((call, index) => readCall(call, pathOf(callsPath, index)));
}

/** A call of a kind that we do not know is wrapped, so that it is not taken for a part of the content. */
function readCall(value: unknown, path: string): Part {
  const source = requireObject(value, path);
  const type = findString(source.type, pathOf(path, "type"));
  const key = type === "custom" ? "custom" : "function";
  if (type !== undefined && type !== key) {
    return { type: "unknown", format: NAME, value: { tool_call: toJsonValue(source, path) } };
  }
  const inner = requireObject(source[key], pathOf(path, key));
  const innerPath = pathOf(path, key);
  const innerKeys = ["name", key === "custom" ? "input" : "arguments"];
  const unknown = takeExtras(inner, { knownKeys: innerKeys, name: NAME, path: innerPath });
  return {
    type: "tool-call",
    callId: requireString(source.id, pathOf(path, "id")),
    tool: requireString(inner.name, pathOf(innerPath, "name")),
    ...readInput(inner, { key, path: innerPath }),
    ...extrasField(
      takeExtras(source, { knownKeys: ["id", "type", key], name: NAME, path }),
      noteExtras(NAME, {
        type: key === "custom" ? "custom" : type === undefined ? "absent" : undefined,
        function: findWireExtras(unknown, NAME),
      }),
    ),
  };
}

function readInput(
  inner: SourceObject,
  { key, path }: { readonly key: "custom" | "function"; readonly path: string },
): Pick<ToolCallPart, "input" | "inputText"> {
  if (key === "custom") return { input: requireString(inner.input, pathOf(path, "input")) };
  return readArguments(requireString(inner.arguments, pathOf(path, "arguments")), path);
}

function readFunctionCall(source: SourceObject, { path, id }: Place): readonly ToolCallPart[] {
  if (source.function_call === undefined || source.function_call === null) return [];
  const callPath = pathOf(path, "function_call");
  const call = requireObject(source.function_call, callPath);
  const unknown = takeExtras(call, { knownKeys: ["name", "arguments"], name: NAME, path: callPath });
  const part: ToolCallPart = {
    type: "tool-call",
    callId: madeCallId(id, 0),
    tool: requireString(call.name, pathOf(callPath, "name")),
    ...readArguments(requireString(call.arguments, pathOf(callPath, "arguments")), callPath),
    ...extrasField(noteExtras(NAME, { type: "function_call", function: findWireExtras(unknown, NAME) }), MADE_CALL_ID),
  };
  return [part];
}
