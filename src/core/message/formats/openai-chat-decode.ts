/**
 * Reads one message of OpenAI's chat completions. Its extra roles (`developer`, `function`) and the shape of its
 * content are noted for encoding; unknown fields go into the extras.
 */

import {
  type Fields,
  findString,
  invalidMessage,
  pathOf,
  requireArray,
  requireObject,
  requireString,
} from "../../check-value.ts";
import { findWireExtras, noteExtras, takeExtras, toJsonValue } from "../decode-value.ts";
import type { JsonObject } from "../json.ts";
import type { Message, Part, TextPart, ToolCallPart } from "../message.ts";
import type { DecodeContext } from "./format.ts";
import { MADE_CALL_ID, madeCallId, unmatchedResultId } from "./match-calls-by-name.ts";
import { plainShape, readContent, readOutput } from "./openai-chat-content.ts";
import { extrasField, field, filledKeys, itemId, readArguments } from "./wire-item.ts";

const NAME = "openai-chat";

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
      throw invalidMessage(pathOf(path, "role"), "system, developer, user, assistant, tool or function", source.role);
  }
}

interface Place {
  readonly path: string;
  readonly id: string;
}

function decodeWords(source: Fields, { path, id }: Place): Message {
  const { parts, shape } = readContent(source.content, pathOf(path, "content"));
  if (shape === "absent" || shape === "null") {
    throw invalidMessage(pathOf(path, "content"), "a string or an array", source.content);
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
    ...messageExtras(source, { path, notes }),
  };
}

function decodeAssistant(source: Fields, { path, id }: Place): Message {
  const { parts: content, shape } = readContent(source.content, pathOf(path, "content"));
  const refusal = findString(source.refusal, pathOf(path, "refusal"));
  const calls = [...readCalls(source, path), ...readFunctionCall(source, { path, id })];
  const notes = { content: shape === plainShape(content, calls.length > 0) ? undefined : shape };
  const refused: TextPart[] =
    refusal === undefined ? [] : [{ type: "text", text: refusal, ...extrasField(noteExtras(NAME, { type: "field" })) }];
  return {
    id,
    role: "assistant",
    parts: [...content, ...refused, ...calls],
    ...field("name", findString(source.name, pathOf(path, "name"))),
    ...messageExtras(source, { path, notes }),
  };
}

function decodeResult(source: Fields, { path, id }: Place): Message {
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

function decodeFunctionResult(source: Fields, { path, id }: Place): Message {
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

function messageExtras(
  source: Fields,
  { path, notes }: { readonly path: string; readonly notes: JsonObject },
): Pick<Message, "extras"> {
  const emptyCalls = Array.isArray(source.tool_calls) && source.tool_calls.length === 0;
  const keys = filledKeys(source, ["name", "refusal", "function_call", ...(emptyCalls ? [] : ["tool_calls"])]);
  const knownKeys = ["role", "content", ...keys];
  return extrasField(takeExtras(source, { knownKeys, name: NAME, path }), noteExtras(NAME, notes));
}

function readCalls(source: Fields, path: string): readonly Part[] {
  if (source.tool_calls === undefined || source.tool_calls === null) return [];
  const callsPath = pathOf(path, "tool_calls");
  return requireArray(source.tool_calls, callsPath).map((call, index) => readCall(call, pathOf(callsPath, index)));
}

/** Wraps a call of unknown kind, so that it is not mistaken for a part of the content. */
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
  inner: Fields,
  { key, path }: { readonly key: "custom" | "function"; readonly path: string },
): Pick<ToolCallPart, "input" | "inputText"> {
  if (key === "custom") return { input: requireString(inner.input, pathOf(path, "input")) };
  return readArguments(requireString(inner.arguments, pathOf(path, "arguments")), path);
}

function readFunctionCall(source: Fields, { path, id }: Place): readonly ToolCallPart[] {
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
