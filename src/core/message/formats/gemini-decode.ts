/**
 * Reads one content of the Gemini API. User contents hold function responses, which become a tool message before the
 * user's own text. Calls and responses without ids get generated ones, which are never written back; `matchCallsByName`
 * then pairs them. Signatures are stored under the AI SDK's name.
 */
import { invalidMessage, isObject } from "../../check-value.ts";
import { noteExtras, toJsonObject } from "../decode-value.ts";
import type { JsonObject } from "../json.ts";
import type {
  Extras,
  FilePart,
  ImagePart,
  MediaSource,
  Message,
  Part,
  ReasoningPart,
  TextPart,
  ToolCallPart,
  ToolOutput,
  ToolResultPart,
} from "../message.ts";
import type { DecodeContext } from "./format.ts";
import { createCallId, createUnmatchedResultId, GENERATED_CALL_ID, splitAnswers } from "./match-calls-by-name.ts";
import { extrasField, optionalField, UNKNOWN_MEDIA_TYPE } from "./wire-item.ts";
import { type ExtrasField, WireObject } from "./wire-object.ts";

const NAME = "gemini";
const CODE_TOOL = "code_execution";

export function decodeGemini(item: unknown, { path, fallbackId }: DecodeContext): readonly Message[] {
  const source = new WireObject(NAME, item, path);
  const { role: wireRole, parts: given, content } = source.fields;
  const role = requireRole(wireRole, source.pathOf("role"));
  // Content under another key would be lost silently.
  if (given === undefined && content !== undefined) throw invalidMessage(path, "a content with parts", item);
  const parts = given === undefined ? [] : readParts(source, { role, id: fallbackId });
  const notes = { role: roleNote(wireRole), parts: given === undefined ? "absent" : undefined };
  return splitAnswers({ id: fallbackId, role, parts, ...source.extras(["role", "parts"], notes) });
}

type WireRole = "user" | "assistant" | "system";

function requireRole(value: unknown, path: string): WireRole {
  switch (value) {
    case "user":
    case "function":
    case undefined:
      return "user";
    case "model":
      return "assistant";
    case "system":
      return "system";
    default:
      throw invalidMessage(path, "user, model, function or system", value);
  }
}

function roleNote(role: unknown): string | undefined {
  return role === undefined ? "absent" : role === "function" ? "function" : undefined;
}

interface Place {
  readonly role: WireRole;
  readonly id: string;
}

interface PartPlace extends Place {
  readonly index: number;
  /** Returns how many parts of that name came before in this content. */
  readonly nth: (name: string) => number;
}

function readParts(source: WireObject, place: Place): readonly Part[] {
  const seen = new Map<string, number>();
  const nth = (name: string): number => {
    const before = seen.get(name) ?? 0;
    seen.set(name, before + 1);
    return before;
  };
  return source.list("parts", (part, index) => readPart(part, { ...place, index, nth }));
}

function readPart(source: WireObject, place: PartPlace): Part {
  const { role } = place;
  const { functionResponse, functionCall } = source.fields;
  if (functionResponse !== undefined && role === "user") return readResponse(source, place);
  if (functionResponse !== undefined) {
    throw invalidMessage(source.path, "a part that the model's content may contain", source.fields);
  }
  if (functionCall !== undefined && role !== "assistant") {
    throw invalidMessage(source.path, "a part that the user's content may contain", source.fields);
  }
  if (functionCall !== undefined) return readCall(source, place);
  const code = role === "assistant" ? readCode(source, place) : undefined;
  return code ?? readText(source, role) ?? readMedia(source) ?? source.toUnknown();
}

function readText(source: WireObject, role: WireRole): TextPart | ReasoningPart | undefined {
  const { text, thought } = source.fields;
  if (typeof text !== "string" || (thought === true && role !== "assistant")) return undefined;
  if (thought !== true) return { type: "text", text, ...partExtras(source, ["text"]) };
  return { type: "reasoning", text, ...partExtras(source, ["text", "thought"], { thought }) };
}

function readCall(source: WireObject, { id, index }: PartPlace): ToolCallPart {
  const call = source.object("functionCall");
  const callId = call.findText("id");
  const isAbsent = call.fields.args === undefined;
  const others = call.others(["name", "args", ...call.filledKeys("id")]);
  const functionCall = isAbsent ? { ...others, args: "absent" } : others;
  return {
    type: "tool-call",
    callId: callId ?? createCallId(id, index),
    tool: call.text("name"),
    input: isAbsent ? {} : call.json("args"),
    ...partExtras(source, ["functionCall"], { functionCall }, callId === undefined ? GENERATED_CALL_ID : undefined),
  };
}

function readResponse(source: WireObject, { nth }: PartPlace): ToolResultPart {
  const answer = source.object("functionResponse");
  const tool = answer.text("name");
  const callId = answer.findText("id");
  const isAbsent = answer.fields.response === undefined;
  const others = answer.others(["name", "response", "parts", ...answer.filledKeys("id")]);
  const functionResponse = isAbsent ? { ...others, response: "absent" } : others;
  const response = isAbsent ? {} : toJsonObject(answer.fields.response, answer.pathOf("response"));
  const made = callId === undefined ? GENERATED_CALL_ID : undefined;
  return {
    type: "tool-result",
    callId: callId ?? createUnmatchedResultId(tool, nth(tool)),
    tool,
    output: answer.fields.parts === undefined ? plainOutput(response) : readResponseParts(answer, response),
    failed: response.error !== undefined && response.output === undefined,
    ...partExtras(source, ["functionResponse"], { functionResponse }, made),
  };
}

/** Removes the API's envelope (`output`, `error`) around a text; anything else is a value. */
function plainOutput(response: JsonObject): ToolOutput {
  const text = envelopeText(response);
  return text === undefined ? { type: "json", value: response } : { type: "text", text };
}

function envelopeText(response: JsonObject): string | undefined {
  const [key, ...others] = Object.keys(response);
  const value = key === "output" || key === "error" ? response[key] : undefined;
  return others.length === 0 && typeof value === "string" ? value : undefined;
}

function readResponseParts(answer: WireObject, response: JsonObject): ToolOutput {
  const text = envelopeText(response);
  const note = text === undefined ? noteExtras(NAME, { response: "json" }) : undefined;
  const first: TextPart = { type: "text", text: text ?? JSON.stringify(response), ...extrasField(note) };
  return { type: "parts", parts: [first, ...answer.list("parts", (part) => readMedia(part) ?? part.toUnknown())] };
}

/** Reads code that the provider ran. Its result is in the same content, and names its call or comes right after it. */
function readCode(source: WireObject, { id, nth }: PartPlace): ToolCallPart | ToolResultPart | undefined {
  const key = isObject(source.fields.executableCode) ? "executableCode" : "codeExecutionResult";
  if (!isObject(source.fields[key])) return undefined;
  const { id: ownId, ...value } = toJsonObject(source.fields[key], source.pathOf(key));
  const isMade = typeof ownId !== "string";
  const callId = isMade ? `${id}-code-${nth(key)}` : ownId;
  const extras = partExtras(
    source,
    [key],
    { [key]: isMade ? optionalField("id", ownId) : {} },
    isMade ? GENERATED_CALL_ID : undefined,
  );
  const shared = { callId, tool: CODE_TOOL, byProvider: true, ...extras };
  if (key === "executableCode") return { type: "tool-call", input: value, ...shared };
  const failed = value.outcome !== undefined && value.outcome !== "OUTCOME_OK";
  return { type: "tool-result", output: { type: "json", value }, failed, ...shared };
}

function readMedia(source: WireObject): ImagePart | FilePart | undefined {
  if (isObject(source.fields.inlineData)) {
    const inline = source.object("inlineData");
    const mediaType = inline.text("mimeType");
    return toMediaPart(source, "inlineData", { type: "data", base64: inline.text("data") }, mediaType);
  }
  if (!isObject(source.fields.fileData)) return undefined;
  const file = source.object("fileData");
  const mediaType = file.findText("mimeType");
  return toMediaPart(source, "fileData", { type: "url", url: file.text("fileUri") }, mediaType);
}

/** An image has no name in our format, so its name is kept with the unknown fields. */
function toMediaPart(
  part: WireObject,
  key: string,
  source: MediaSource,
  type: string | undefined,
): ImagePart | FilePart {
  const mediaType = type ?? UNKNOWN_MEDIA_TYPE;
  const inner = part.object(key);
  const name = inner.findText("displayName");
  const isImage = mediaType.startsWith("image/");
  const known = [key === "inlineData" ? "data" : "fileUri", ...inner.filledKeys("mimeType")];
  const others = inner.others(name === undefined || isImage ? known : [...known, "displayName"]);
  const noted = inner.fields.mimeType === undefined ? { ...others, mimeType: "absent" } : others;
  const extras = partExtras(part, [key], { [key]: noted });
  if (isImage) return { type: "image", source, mediaType, ...extras };
  return { type: "file", source, mediaType, ...optionalField("name", name), ...extras };
}

/** Returns the extras of a part: its unknown fields, its signature and the notes. */
function partExtras(source: WireObject, keys: readonly string[], notes?: JsonObject, made?: Extras): ExtrasField {
  const { thoughtSignature } = source.fields;
  if (typeof thoughtSignature !== "string") return source.extras(keys, notes, made);
  return source.extras([...keys, "thoughtSignature"], notes, { google: { thoughtSignature } }, made);
}
