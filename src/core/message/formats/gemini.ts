/** The Gemini API's contents. Calls often have no ids and are matched by name. Generated ids are never sent. */
import { type Fields, isObject } from "../../check-value.ts";
import { findWireExtras, joinExtras, readBaseId } from "../decode-value.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../json.ts";
import type {
  ContentPart,
  FilePart,
  ImagePart,
  Message,
  Part,
  ReasoningPart,
  TextPart,
  ToolCallPart,
  ToolResultPart,
} from "../message.ts";
import type { Format } from "./format.ts";
import { decodeGemini } from "./gemini-decode.ts";
import { groupAnswers, hasGeneratedCallId } from "./match-calls-by-name.ts";
import { imageMediaType, optionalField } from "./wire-item.ts";
import { type ExtrasField, WireWriter } from "./wire-object.ts";

export const geminiFormat: Format = {
  name: "gemini",
  alternation: { writeUserItem: (text) => ({ role: "user", parts: [{ text }] }), joinItems, beginsTurn: () => false },
  matchesCallsByName: true,
  recognize,
  decode: decodeGemini,
  encode: encodeGemini,
};

/** UI messages of the AI SDK have parts too, but their parts name a type and their assistant role is not `model`. */
function recognize(item: unknown): "sure" | "possible" | "no" {
  if (!isObject(item) || !Array.isArray(item.parts) || item.content !== undefined) return "no";
  if (!item.parts.every((part) => isObject(part) && part.type === undefined)) return "no";
  if (item.role === "model" || item.role === "function") return "sure";
  if (item.role !== undefined && item.role !== "user" && item.role !== "system") return "no";
  return item.parts.length > 0 && item.role === "user" ? "sure" : "possible";
}

/** The responses of a round must be in their own content. */
function joinItems(first: Fields, second: Fields): object | undefined {
  const [before, after] = [partsOf(first), partsOf(second)];
  if (before.some(isResponse) !== after.some(isResponse)) return undefined;
  return { ...first, parts: [...before, ...after] };
}

function partsOf({ parts }: Fields): readonly unknown[] {
  return Array.isArray(parts) ? parts : [];
}

function isResponse(part: unknown): boolean {
  return isObject(part) && part.functionResponse !== undefined;
}

// Encoding: adjacent tool messages are one content. User text after them joins it only if it was read from it, because
// newer models refuse text next to responses. Generated ids, sources, and the thinking and tools of other providers
// cannot be written.
const NAME = "gemini";
const writer = new WireWriter(NAME);

export function encodeGemini(messages: readonly Message[]): readonly JsonObject[] {
  const tools = new Map<string, string>();
  for (const message of messages) {
    for (const part of message.parts) if (part.type === "tool-call") tools.set(part.callId, part.tool);
  }
  return groupAnswers(messages, isSameContent).map((group) => encodeGroup(group, tools));
}

function isSameContent(words: Message, answers: Message): boolean {
  return words.id !== answers.id && readBaseId(words.id) === readBaseId(answers.id);
}

type Tools = ReadonlyMap<string, string>;

function encodeGroup(group: readonly Message[], tools: Tools): JsonObject {
  const extras = joinExtras(...group.map((message) => message.extras));
  const notes = findWireExtras(extras, NAME);
  const parts = group.flatMap((message) => message.parts.flatMap((part) => encodePart(part, tools)));
  const item = {
    ...(notes?.role === "absent" ? {} : { role: encodeRole(group, notes?.role === "function") }),
    ...(notes?.parts === "absent" && parts.length === 0 ? {} : { parts }),
  };
  return writer.complete(item, { extras }, ["role", "parts"]);
}

function encodeRole([first]: readonly Message[], asFunction: boolean): string {
  if (first?.role === "assistant") return "model";
  if (first?.role === "system") return "system";
  return asFunction ? "function" : "user";
}

function encodePart(part: Part, tools: Tools): readonly JsonValue[] {
  switch (part.type) {
    case "text":
      return [complete({ text: part.text }, part)];
    case "reasoning":
      return isOwnThought(part) ? [complete({ text: part.text, thought: true }, part, ["thought"])] : [];
    case "tool-call":
      return part.byProvider === true ? encodeCode(part, part.input) : [encodeCall(part)];
    case "tool-result":
      if (part.byProvider === true) return encodeCode(part, part.output.type === "json" ? part.output.value : null);
      return [encodeResponse(part, tools)];
    case "image":
    case "file":
      return encodeMedia(part);
    case "source":
      return [];
    case "unknown":
      return part.format === NAME ? [part.value] : [];
    default:
      return part satisfies never;
  }
}

/** Whether the thinking came from this provider; another one's would be sent as if this model had written it. */
function isOwnThought(part: ReasoningPart): boolean {
  return part.extras?.google?.thoughtSignature !== undefined || writer.noteOf(part, "thought") === true;
}

function encodeCall(part: ToolCallPart): JsonObject {
  const { args, ...fields } = writer.noteFieldsOf(part, "functionCall");
  const call = {
    ...fields,
    ...(hasGeneratedCallId(part) ? {} : { id: part.callId }),
    name: part.tool,
    ...(args === "absent" ? {} : { args: part.input }),
  };
  return complete({ functionCall: call }, part, ["functionCall"]);
}

function encodeResponse(part: ToolResultPart, tools: Tools): JsonObject {
  const { response, ...fields } = writer.noteFieldsOf(part, "functionResponse");
  const { output } = part;
  const media = output.type === "parts" ? output.parts.flatMap(encodeMediaPart) : undefined;
  const answer = {
    ...fields,
    ...(hasGeneratedCallId(part) ? {} : { id: part.callId }),
    name: part.tool ?? tools.get(part.callId) ?? "unknown",
    ...(response === "absent" ? {} : { response: encodeOutput(part) }),
    ...optionalField("parts", media),
  };
  return complete({ functionResponse: answer }, part, ["functionResponse"]);
}

/** The API reads a failure from the key, so a plain value goes under the key that fits. */
function encodeOutput({ output, failed }: ToolResultPart): JsonObject {
  const key = failed ? "error" : "output";
  if (output.type === "text") return { [key]: output.text };
  if (output.type === "parts") return encodeResponseText(output.parts, key);
  const fits = isJsonObject(output.value) && (!failed || output.value.error !== undefined);
  return fits && isJsonObject(output.value) ? output.value : { [key]: output.value };
}

function encodeResponseText(parts: readonly ContentPart[], key: string): JsonObject {
  const texts = parts.filter((part): part is TextPart => part.type === "text");
  const [first] = texts;
  const value =
    first !== undefined && writer.noteOf(first, "response") === "json" ? parseObject(first.text) : undefined;
  if (value !== undefined && texts.length === 1) return value;
  return { [key]: texts.map((part) => part.text).join("\n") };
}

function parseObject(text: string): JsonObject | undefined {
  try {
    const value: JsonValue = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    // The text was cut after it was decoded, so it is sent as text.
    return undefined;
  }
}

function encodeMediaPart(part: ContentPart): readonly JsonValue[] {
  if (part.type === "text") return [];
  return part.type === "unknown" ? (part.format === NAME ? [part.value] : []) : encodeMedia(part);
}

function encodeMedia(part: ImagePart | FilePart): readonly JsonObject[] {
  const { source } = part;
  if (source.type === "reference") return [];
  const mimeType = part.type === "image" ? imageMediaType(part) : part.mediaType;
  const name = part.type === "file" ? optionalField("displayName", part.name) : {};
  if (source.type === "data") {
    const inlineData = { mimeType, data: source.base64, ...name, ...writer.noteFieldsOf(part, "inlineData") };
    return [complete({ inlineData }, part, ["inlineData"])];
  }
  const { mimeType: noted, ...fields } = writer.noteFieldsOf(part, "fileData");
  const typed = noted === "absent" ? {} : { mimeType: noted === undefined ? mimeType : noted };
  const fileData = { fileUri: source.url, ...typed, ...name, ...fields };
  return [complete({ fileData }, part, ["fileData"])];
}

function encodeCode(part: ToolCallPart | ToolResultPart, value: JsonValue): readonly JsonObject[] {
  const key = part.type === "tool-call" ? "executableCode" : "codeExecutionResult";
  if (!isJsonObject(writer.noteOf(part, key)) || !isJsonObject(value)) return [];
  const inner = { ...(hasGeneratedCallId(part) ? writer.noteFieldsOf(part, key) : { id: part.callId }), ...value };
  return [complete({ [key]: inner }, part, [key])];
}

/** Adds the part's unknown fields and its signature. */
function complete(item: JsonObject, part: ExtrasField, noteKeys: readonly string[] = []): JsonObject {
  const signed = { ...item, ...optionalField("thoughtSignature", part.extras?.google?.thoughtSignature) };
  return writer.complete(signed, part, noteKeys);
}
