/**
 * Decodes and encodes parts of an AI SDK model message. Approvals, custom parts, files inside reasoning and unknown
 * kinds are kept unchanged; a part that its message's role does not allow is an error.
 */
import { type Fields, invalidMessage } from "../../check-value.ts";
import { findWireExtras, toJsonObject } from "../decode-value.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../json.ts";
import type {
  ContentPart,
  Part,
  ReasoningPart,
  Role,
  TextPart,
  ToolCallPart,
  ToolOutput,
  ToolResultPart,
} from "../message.ts";
import { completeModelItem, encodeMediaPart, findMediaPart, takeModelExtras } from "./ai-sdk-media.ts";
import { optionalField } from "./wire-item.ts";
import type { WireObject } from "./wire-object.ts";

const NAME = "ai-sdk-model";
const TEXT_KEYS = ["type", "text"];
const CALL_KEYS = ["type", "toolCallId", "toolName", "input", "providerExecuted"];
const RESULT_KEYS = ["type", "toolCallId", "toolName", "output"];

/** The roles that each kind of part may appear in. Other kinds are kept unchanged in any role. */
const ROLES: ReadonlyMap<string, readonly Role[]> = new Map([
  ["text", ["user", "assistant"]],
  ["image", ["user", "assistant"]],
  ["file", ["user", "assistant"]],
  ["reasoning", ["assistant"]],
  ["tool-call", ["assistant"]],
  ["tool-result", ["assistant", "tool"]],
]);

export function decodeModelPart(source: WireObject, role: Role): Part {
  const type = source.text("type");
  if (!(ROLES.get(type) ?? [role]).includes(role))
    throw invalidMessage(source.pathOf("type"), `a part of a ${role} message`, type);
  switch (type) {
    case "text":
    case "reasoning":
      return { type, ...decodeText(source) };
    case "tool-call":
      return decodeCall(source);
    case "tool-result":
      return decodeResult(source, role);
    case "image":
    case "file":
      return findMediaPart(source) ?? source.toUnknown();
    default:
      return source.toUnknown();
  }
}

function decodeCall(source: WireObject): ToolCallPart {
  const isAbsent = source.fields.input === undefined;
  const byProvider = optionalField("byProvider", source.findFlag("providerExecuted"));
  return {
    type: "tool-call",
    callId: source.text("toolCallId"),
    tool: source.text("toolName"),
    input: isAbsent ? null : source.json("input"),
    ...byProvider,
    ...takeModelExtras(source, CALL_KEYS, { input: isAbsent ? "absent" : undefined }),
  };
}

/** A result next to its call in an assistant message comes from a tool that the provider ran. */
function decodeResult(source: WireObject, role: Role): ToolResultPart {
  const { output, failed, note } = decodeOutput(source.object("output"));
  return {
    type: "tool-result",
    callId: source.text("toolCallId"),
    tool: source.text("toolName"),
    output,
    failed,
    ...optionalField("byProvider", role === "assistant" ? true : undefined),
    ...takeModelExtras(source, RESULT_KEYS, { output: note }),
  };
}

/** Returns the tool of a call, for results that do not repeat its name. */
export type FindToolName = (callId: string) => string | undefined;

/** Returns the part in this format, or an empty list if a message of that role cannot contain it. */
export function encodeModelPart(part: Part, role: Role, toolOf: FindToolName): readonly unknown[] {
  if (part.type === "unknown") return part.format === NAME ? [reviveValue(part.value)] : [];
  if (!(ROLES.get(part.type) ?? []).includes(role)) return [];
  switch (part.type) {
    case "text":
    case "reasoning":
      return [encodeText(part)];
    case "image":
    case "file":
      return [encodeMediaPart(part)];
    case "tool-call":
      return [encodeCall(part)];
    case "tool-result":
      return [encodeResult(part, part.tool ?? toolOf(part.callId) ?? "unknown")];
    case "source":
      return [];
    default:
      return part satisfies never;
  }
}

function encodeCall(part: ToolCallPart): Fields {
  const { callId: toolCallId, tool: toolName, input, byProvider } = part;
  const isAbsent = input === null && findWireExtras(part.extras, NAME)?.input === "absent";
  const call = { type: "tool-call", toolCallId, toolName, input: isAbsent ? undefined : input };
  return completeModelItem({ ...call, ...optionalField("providerExecuted", byProvider) }, part, CALL_KEYS);
}

function encodeResult(part: ToolResultPart, toolName: string): Fields {
  const item = { type: "tool-result", toolCallId: part.callId, toolName, output: encodeOutput(part) };
  return completeModelItem(item, part, RESULT_KEYS);
}

/** A stored reasoning file has its URL as a string, but the AI SDK accepts only a `URL`. */
function reviveValue(value: JsonValue): unknown {
  if (!isJsonObject(value) || value.type !== "reasoning-file" || !isJsonObject(value.data)) return value;
  const { url } = value.data;
  if (value.data.type !== "url" || typeof url !== "string" || !URL.canParse(url)) return value;
  return { ...value, data: { ...value.data, url: new URL(url) } };
}

// Tool output of the AI SDK: text, JSON, an error in either form, parts, or a denial. Unknown kinds are kept unchanged.

/** Shown to the model if a call was denied without a reason. */
export const DENIED_TEXT = "Tool call execution denied.";

interface DecodedOutput {
  readonly output: ToolOutput;
  readonly failed: boolean;
  /** The type of output if our format cannot express it, and the fields next to the value. */
  readonly note: JsonObject | undefined;
}

function decodeOutput(source: WireObject): DecodedOutput {
  const { type: _type, value: _, ...others } = source.fields;
  const fields = toJsonObject(others, source.path);
  const note = Object.keys(fields).length === 0 ? undefined : { fields };
  const type = source.text("type");
  switch (type) {
    case "text":
    case "error-text":
      return { output: { type: "text", text: source.text("value") }, failed: type === "error-text", note };
    case "json":
    case "error-json":
      return { output: { type: "json", value: source.json("value") }, failed: type === "error-json", note };
    case "content":
      return { output: { type: "parts", parts: source.list("value", decodeContentPart) }, failed: false, note };
    case "execution-denied": {
      const text = source.findText("reason") ?? DENIED_TEXT;
      return { output: { type: "text", text }, failed: true, note: { ...note, type } };
    }
    default:
      return { output: { type: "parts", parts: [source.toUnknown()] }, failed: false, note: { type: "unknown" } };
  }
}

/** Writes the result's output for the AI SDK. Ignores what the decoder kept in the extras if it no longer matches the part. */
export function encodeOutput(part: ToolResultPart): unknown {
  const notes = findWireExtras(part.extras, NAME)?.output;
  const { type, fields } = isJsonObject(notes) ? notes : {};
  const others = isJsonObject(fields) ? fields : {};
  const kept = part.output.type === "parts" ? part.output.parts[0] : undefined;
  if (type === "unknown" && kept?.type === "unknown") return kept.value;
  if (type === "execution-denied" && isDenial(part, others)) return { type, ...others };
  const written = part.failed ? encodeFailure(part.output) : encodeSuccess(part.output);
  return type === undefined ? { ...others, ...written } : written;
}

function isDenial({ output, failed }: ToolResultPart, { reason }: JsonObject): boolean {
  return failed && output.type === "text" && output.text === (reason ?? DENIED_TEXT);
}

function decodeContentPart(source: WireObject): ContentPart {
  if (source.text("type") === "text") return { type: "text", ...decodeText(source) };
  return findMediaPart(source) ?? source.toUnknown();
}

function decodeText(source: WireObject): Omit<TextPart, "type"> {
  const extras = takeModelExtras(source, TEXT_KEYS);
  return { text: source.text("text"), ...extras };
}

function encodeText(part: TextPart | ReasoningPart): Fields {
  return completeModelItem({ type: part.type, text: part.text }, part, TEXT_KEYS);
}

function encodeSuccess(output: ToolOutput): Fields {
  if (output.type === "parts") return { type: "content", value: output.parts.flatMap(encodeContentPart) };
  return { type: output.type, value: output.type === "text" ? output.text : output.value };
}

/** The AI SDK has no failed parts. Keeps the failure if all parts are text, or else the parts. */
function encodeFailure(output: ToolOutput): Fields {
  if (output.type === "json") return { type: "error-json", value: output.value };
  if (output.type === "text") return { type: "error-text", value: output.text };
  const texts = output.parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
  return texts.length === output.parts.length ? { type: "error-text", value: texts.join("\n") } : encodeSuccess(output);
}

function encodeContentPart(part: ContentPart): readonly unknown[] {
  if (part.type === "unknown") return part.format === NAME ? [part.value] : [];
  return [part.type === "text" ? encodeText(part) : encodeMediaPart(part)];
}
