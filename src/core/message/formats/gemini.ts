/**
 * The Gemini API's contents. Its calls often have no ids, so the messages of a list go through `matchCallsByName`
 * afterwards. Generated ids are never sent.
 */
import { type Fields, isObject } from "../../check-value.ts";
import { findWireExtras, joinExtras, readBaseId, withExtras } from "../decode-value.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../json.ts";
import type {
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
import { groupAnswers, hasMadeCallId } from "./match-calls-by-name.ts";
import { field, imageMediaType } from "./wire-item.ts";

export const geminiFormat: Format = {
  name: "gemini",
  alternation: {
    writeUserItem: (text) => ({ role: "user", parts: [{ text }] }),
    joinItems,
    beginsTurn: () => false,
  },
  matchesCallsByName: true,
  recognise,
  decode: decodeGemini,
  encode: encodeGemini,
};

/** UI messages of the AI SDK have parts too, but their parts name a type and their assistant role is not `model`. */
function recognise(item: unknown): "sure" | "possible" | "no" {
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
// newer models refuse text next to responses. Generated ids, thinking of other providers, sources, and tools that they
// ran cannot be written.
const NAME = "gemini";

export function encodeGemini(messages: readonly Message[]): readonly JsonObject[] {
  const tools = new Map<string, string>();
  for (const message of messages) {
    for (const part of message.parts) if (part.type === "tool-call") tools.set(part.callId, part.tool);
  }
  return groupAnswers(messages, isSameContent).map((group) => encodeGroup(group, tools));
}

/** Whether the text and the responses before it were read from one content. */
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
  return withExtras(item, { extras, name: NAME, knownKeys: ["role", "parts"] });
}

function encodeRole([first]: readonly Message[], asFunction: boolean): string {
  if (first?.role === "assistant") return "model";
  if (first?.role === "system") return "system";
  return asFunction ? "function" : "user";
}

function encodePart(part: Part, tools: Tools): readonly JsonValue[] {
  switch (part.type) {
    case "text":
      return [withFields({ text: part.text }, { part })];
    case "reasoning":
      return isOwnThought(part) ? [withFields({ text: part.text, thought: true }, { part, notes: ["thought"] })] : [];
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
  return part.extras?.google?.thoughtSignature !== undefined || noteOf(part, "thought") === true;
}

function encodeCall(part: ToolCallPart): JsonObject {
  const noted = objectNote(part, "functionCall");
  const { args, ...fields } = noted;
  const call = {
    ...fields,
    ...(hasMadeCallId(part) ? {} : { id: part.callId }),
    name: part.tool,
    ...(args === "absent" ? {} : { args: part.input }),
  };
  return withFields({ functionCall: call }, { part, notes: ["functionCall"] });
}

function encodeResponse(part: ToolResultPart, tools: Tools): JsonObject {
  const { response, ...fields } = objectNote(part, "functionResponse");
  const { output } = part;
  const media = output.type === "parts" ? output.parts.flatMap(encodeMediaPart) : undefined;
  const answer = {
    ...fields,
    ...(hasMadeCallId(part) ? {} : { id: part.callId }),
    name: part.tool ?? tools.get(part.callId) ?? "unknown",
    ...(response === "absent" ? {} : { response: encodeOutput(part) }),
    ...field("parts", media),
  };
  return withFields({ functionResponse: answer }, { part, notes: ["functionResponse"] });
}

/** The API reads a failure from the key, so a plain value goes under the key that fits. */
function encodeOutput({ output, failed }: ToolResultPart): JsonObject {
  const key = failed ? "error" : "output";
  if (output.type === "text") return { [key]: output.text };
  if (output.type === "parts") return encodeResponseText(output.parts, key);
  const fits = isJsonObject(output.value) && (!failed || output.value.error !== undefined);
  return fits && isJsonObject(output.value) ? output.value : { [key]: output.value };
}

type OutputPart = Extract<ToolResultPart["output"], { type: "parts" }>["parts"][number];

function encodeResponseText(parts: readonly OutputPart[], key: string): JsonObject {
  const texts = parts.filter((part): part is TextPart => part.type === "text");
  const [first] = texts;
  const value = first !== undefined && noteOf(first, "response") === "json" ? parseObject(first.text) : undefined;
  if (value !== undefined && texts.length === 1) return value;
  return { [key]: texts.map((part) => part.text).join("\n") };
}

function parseObject(text: string): JsonObject | undefined {
  try {
    const value: JsonValue = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    // The text was cut since it was read, so it is sent as text.
    return undefined;
  }
}

function encodeMediaPart(part: OutputPart): readonly JsonValue[] {
  if (part.type === "text") return [];
  return part.type === "unknown" ? (part.format === NAME ? [part.value] : []) : encodeMedia(part);
}

function encodeMedia(part: ImagePart | FilePart): readonly JsonObject[] {
  const { source } = part;
  if (source.type === "reference") return [];
  const mimeType = part.type === "image" ? imageMediaType(part) : part.mediaType;
  const name = part.type === "file" ? field("displayName", part.name) : {};
  if (source.type === "data") {
    const inlineData = { mimeType, data: source.base64, ...name, ...objectNote(part, "inlineData") };
    return [withFields({ inlineData }, { part, notes: ["inlineData"] })];
  }
  const { mimeType: noted, ...fields } = objectNote(part, "fileData");
  const typed = noted === "absent" ? {} : { mimeType: noted === undefined ? mimeType : noted };
  const fileData = { fileUri: source.url, ...typed, ...name, ...fields };
  return [withFields({ fileData }, { part, notes: ["fileData"] })];
}

function encodeCode(part: ToolCallPart | ToolResultPart, value: JsonValue): readonly JsonObject[] {
  const key = part.type === "tool-call" ? "executableCode" : "codeExecutionResult";
  if (!isJsonObject(noteOf(part, key)) || !isJsonObject(value)) return [];
  const inner = { ...(hasMadeCallId(part) ? objectNote(part, key) : { id: part.callId }), ...value };
  return [withFields({ [key]: inner }, { part, notes: [key] })];
}

type Extended = Exclude<Part, { type: "unknown" }>;

interface Described {
  readonly part: Extended;
  /** Keys under which the reader kept notes; they are not fields. */
  readonly notes?: readonly string[];
}

/** Adds the part's unknown fields and its signature. */
function withFields(item: JsonObject, { part, notes = [] }: Described): JsonObject {
  const signature = part.extras?.google?.thoughtSignature;
  const signed = signature === undefined ? item : { ...item, thoughtSignature: signature };
  return withExtras(signed, { extras: part.extras, name: NAME, knownKeys: notes });
}

function noteOf(part: Extended, key: string): JsonValue | undefined {
  return findWireExtras(part.extras, NAME)?.[key];
}

function objectNote(part: Extended, key: string): JsonObject {
  const note = noteOf(part, key);
  return isJsonObject(note) ? note : {};
}
