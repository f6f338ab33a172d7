/**
 * Decodes and encodes parts of an AI SDK model message. Approvals, custom parts, files inside reasoning and unknown
 * kinds are carried unchanged; a part that its message's role does not allow is an error.
 */
import { type Fields, invalidMessage } from "../../check-value.ts";
import { findWireExtras } from "../decode-value.ts";
import { isJsonObject, type JsonValue } from "../json.ts";
import type { Part, Role, ToolCallPart, ToolResultPart } from "../message.ts";
import { completeModelItem, encodeMediaPart, findMediaPart, takeModelExtras } from "./ai-sdk-media.ts";
import { decodeOutput, decodeText, encodeOutput, encodeText } from "./ai-sdk-output.ts";
import { field } from "./wire-item.ts";
import type { WireObject } from "./wire-object.ts";

const NAME = "ai-sdk-model";
const CALL_KEYS = ["type", "toolCallId", "toolName", "input", "providerExecuted"];
const RESULT_KEYS = ["type", "toolCallId", "toolName", "output"];

/** The roles that each kind of part may appear in. Kinds that are not listed are carried anywhere. */
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
      return findMediaPart(source) ?? source.carry();
    default:
      return source.carry();
  }
}

function decodeCall(source: WireObject): ToolCallPart {
  const isAbsent = source.fields.input === undefined;
  const byProvider = field("byProvider", source.findFlag("providerExecuted"));
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
    ...field("byProvider", role === "assistant" ? true : undefined),
    ...takeModelExtras(source, RESULT_KEYS, { output: note }),
  };
}

export interface EncodeModelPart {
  readonly role: Role;
  /** Returns the tool of a call, for results that do not repeat its name. */
  readonly toolOf: (callId: string) => string | undefined;
}

/** Returns the part in this format, or nothing if a message of that role cannot hold it. */
export function encodeModelPart(part: Part, { role, toolOf }: EncodeModelPart): readonly unknown[] {
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
  return completeModelItem({ ...call, ...field("providerExecuted", byProvider) }, part, CALL_KEYS);
}

function encodeResult(part: ToolResultPart, toolName: string): Fields {
  const item = { type: "tool-result", toolCallId: part.callId, toolName, output: encodeOutput(part) };
  return completeModelItem(item, part, RESULT_KEYS);
}

/** A carried reasoning file has its URL as a string, but the AI SDK accepts only an instance. */
function reviveValue(value: JsonValue): unknown {
  if (!isJsonObject(value) || value.type !== "reasoning-file" || !isJsonObject(value.data)) return value;
  const { url } = value.data;
  if (value.data.type !== "url" || typeof url !== "string" || !URL.canParse(url)) return value;
  return { ...value, data: { ...value.data, url: new URL(url) } };
}
