/**
 * Decodes and encodes parts of an AI SDK model message. Approvals, custom parts, files inside reasoning and unknown
 * kinds are carried unchanged; a part that its message's role does not allow is an error.
 */

import { type Fields, invalidMessage, pathOf, requireObject, requireString } from "../../check-value.ts";
import { findWireExtras, noteExtras, takeExtras, toJsonValue, withExtras } from "../decode-value.ts";
import { isJsonObject, type JsonValue } from "../json.ts";
import type { Part, ReasoningPart, Role, TextPart, ToolCallPart, ToolResultPart } from "../message.ts";
import { encodeMediaPart, findMediaPart, giveOptions, takeOptions } from "./ai-sdk-media.ts";
import { decodeOutput, encodeOutput } from "./ai-sdk-output.ts";
import { extrasField, field } from "./wire-item.ts";

const NAME = "ai-sdk-model";
const OPTIONS = { key: "providerOptions", name: NAME } as const;

const TEXT_KEYS = ["type", "text", "providerOptions"];
const CALL_KEYS = ["type", "toolCallId", "toolName", "input", "providerOptions", "providerExecuted"];
const RESULT_KEYS = ["type", "toolCallId", "toolName", "output", "providerOptions"];

/** The roles that each kind of part may appear in. Kinds that are not listed are carried anywhere. */
const ROLES: ReadonlyMap<string, readonly Role[]> = new Map([
  ["text", ["user", "assistant"]],
  ["image", ["user", "assistant"]],
  ["file", ["user", "assistant"]],
  ["reasoning", ["assistant"]],
  ["tool-call", ["assistant"]],
  ["tool-result", ["assistant", "tool"]],
]);

export function decodeModelPart(value: unknown, { role, path }: { role: Role; path: string }): Part {
  const source = requireObject(value, path);
  const type = requireString(source.type, pathOf(path, "type"));
  if (!(ROLES.get(type) ?? [role]).includes(role))
    throw invalidMessage(pathOf(path, "type"), `a part of a ${role} message`, type);
  switch (type) {
    case "text":
    case "reasoning":
      return decodeText(source, { type, path });
    case "tool-call":
      return decodeCall(source, path);
    case "tool-result":
      return decodeResult(source, { role, path });
    case "image":
    case "file":
      return findMediaPart(source, path) ?? carry(source, path);
    default:
      return carry(source, path);
  }
}

function decodeText(
  source: Fields,
  { type, path }: { type: "text" | "reasoning"; path: string },
): TextPart | ReasoningPart {
  const extras = extrasField(
    takeOptions(source, { ...OPTIONS, path }),
    takeExtras(source, { knownKeys: TEXT_KEYS, name: NAME, path }),
  );
  return { type, text: requireString(source.text, pathOf(path, "text")), ...extras };
}

function decodeCall(source: Fields, path: string): ToolCallPart {
  const isAbsent = source.input === undefined;
  const byProvider = source.providerExecuted;
  if (byProvider !== undefined && typeof byProvider !== "boolean") {
    throw invalidMessage(pathOf(path, "providerExecuted"), "true or false", byProvider);
  }
  return {
    type: "tool-call",
    callId: requireString(source.toolCallId, pathOf(path, "toolCallId")),
    tool: requireString(source.toolName, pathOf(path, "toolName")),
    input: isAbsent ? null : toJsonValue(source.input, pathOf(path, "input")),
    ...field("byProvider", byProvider),
    ...extrasField(
      takeOptions(source, { ...OPTIONS, path }),
      takeExtras(source, { knownKeys: CALL_KEYS, name: NAME, path }),
      noteExtras(NAME, { input: isAbsent ? "absent" : undefined }),
    ),
  };
}

/** A result next to its call in an assistant message comes from a tool that the provider ran. */
function decodeResult(source: Fields, { role, path }: { role: Role; path: string }): ToolResultPart {
  const { output, failed, note } = decodeOutput(source.output, pathOf(path, "output"));
  return {
    type: "tool-result",
    callId: requireString(source.toolCallId, pathOf(path, "toolCallId")),
    tool: requireString(source.toolName, pathOf(path, "toolName")),
    output,
    failed,
    ...field("byProvider", role === "assistant" ? true : undefined),
    ...extrasField(
      takeOptions(source, { ...OPTIONS, path }),
      takeExtras(source, { knownKeys: RESULT_KEYS, name: NAME, path }),
      noteExtras(NAME, { output: note }),
    ),
  };
}

function carry(source: Fields, path: string): Part {
  return { type: "unknown", format: NAME, value: toJsonValue(source, path) };
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

function encodeText({ type, text, extras }: TextPart | ReasoningPart): Fields {
  const item = { type, text, ...giveOptions(extras, OPTIONS) };
  return withExtras(item, { extras, name: NAME, knownKeys: TEXT_KEYS });
}

function encodeCall({ callId, tool, input, byProvider, extras }: ToolCallPart): Fields {
  const isAbsent = input === null && findWireExtras(extras, NAME)?.input === "absent";
  const item = {
    type: "tool-call",
    toolCallId: callId,
    toolName: tool,
    input: isAbsent ? undefined : input,
    ...field("providerExecuted", byProvider),
    ...giveOptions(extras, OPTIONS),
  };
  return withExtras(item, { extras, name: NAME, knownKeys: CALL_KEYS });
}

function encodeResult(part: ToolResultPart, toolName: string): Fields {
  const { callId, extras } = part;
  const options = giveOptions(extras, OPTIONS);
  const item = { type: "tool-result", toolCallId: callId, toolName, output: encodeOutput(part), ...options };
  return withExtras(item, { extras, name: NAME, knownKeys: RESULT_KEYS });
}

/** A carried reasoning file has its URL as a string, but the AI SDK accepts only an instance. */
function reviveValue(value: JsonValue): unknown {
  if (!isJsonObject(value) || value.type !== "reasoning-file" || !isJsonObject(value.data)) return value;
  const { url } = value.data;
  if (value.data.type !== "url" || typeof url !== "string" || !URL.canParse(url)) return value;
  return { ...value, data: { ...value.data, url: new URL(url) } };
}
