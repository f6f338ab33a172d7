/**
 * Reads one content of the Gemini API. Its user contents hold function responses; ours become a tool message before the
 * user's own text. Calls and responses without ids get generated ones, which are never written back; `matchCallsByName`
 * then pairs them.
 */

import {
  type Fields,
  findString,
  invalidMessage,
  isObject,
  pathOf,
  requireArray,
  requireObject,
  requireString,
} from "../../check-value.ts";
import { makePartIds, noteExtras, takeExtras, toJsonObject, toJsonValue } from "../decode-value.ts";
import type { JsonObject } from "../json.ts";
import type { Message, Part, ReasoningPart, TextPart, ToolCallPart, ToolOutput, ToolResultPart } from "../message.ts";
import type { DecodeContext } from "./format.ts";
import { innerFields, partExtras, readMedia } from "./gemini-media.ts";
import { MADE_CALL_ID, madeCallId, unmatchedResultId } from "./match-calls-by-name.ts";
import { extrasField, field, filledKeys } from "./wire-item.ts";

const NAME = "gemini";
const CODE_TOOL = "code_execution";

export function decodeGemini(item: unknown, { path, fallbackId }: DecodeContext): readonly Message[] {
  const source = requireObject(item, path);
  const role = requireRole(source.role, pathOf(path, "role"));
  // Content under another key would be lost silently.
  if (source.parts === undefined && source.content !== undefined)
    throw invalidMessage(path, "a content with parts", item);
  const parts = readParts(source.parts, { path: pathOf(path, "parts"), role, id: fallbackId });
  const extras = extrasField(
    takeExtras(source, { knownKeys: ["role", "parts"], name: NAME, path }),
    noteExtras(NAME, { role: roleNote(source.role), parts: source.parts === undefined ? "absent" : undefined }),
  );
  const results = parts.filter((part) => part.type === "tool-result");
  if (role !== "user" || results.length === 0) return [{ id: fallbackId, role, parts, ...extras }];
  const words = parts.filter((part) => part.type !== "tool-result");
  if (words.length === 0) return [{ id: fallbackId, role: "tool", parts, ...extras }];
  const [first = fallbackId, second = fallbackId] = makePartIds(fallbackId, 2);
  return [
    { id: first, role: "tool", parts: results, ...extras },
    { id: second, role: "user", parts: words },
  ];
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
  readonly path: string;
  readonly role: WireRole;
  readonly id: string;
}

function readParts(value: unknown, { path, role, id }: Place): readonly Part[] {
  if (value === undefined) return [];
  const seen = new Map<string, number>();
  const nth = (name: string): number => {
    const before = seen.get(name) ?? 0;
    seen.set(name, before + 1);
    return before;
  };
  return requireArray(value, path).map((part, index) =>
    readPart(requireObject(part, pathOf(path, index)), { path: pathOf(path, index), role, id, index, nth }),
  );
}

interface PartPlace extends Place {
  readonly index: number;
  /** Returns how many parts of that name came before in this content. */
  readonly nth: (name: string) => number;
}

function readPart(source: Fields, place: PartPlace): Part {
  const { path, role } = place;
  if (source.functionResponse !== undefined && role === "user") return readResponse(source, place);
  if (source.functionResponse !== undefined)
    throw invalidMessage(path, "a part that the model's content may hold", source);
  if (source.functionCall !== undefined && role !== "assistant") {
    throw invalidMessage(path, "a part that the user's content may hold", source);
  }
  if (source.functionCall !== undefined) return readCall(source, place);
  const known =
    readText(source, place) ?? readMedia(source, path) ?? (role === "assistant" ? readCode(source, place) : undefined);
  return known ?? { type: "unknown", format: NAME, value: toJsonValue(source, path) };
}

function readText(source: Fields, { path, role }: Place): TextPart | ReasoningPart | undefined {
  if (typeof source.text !== "string" || (source.thought === true && role !== "assistant")) return undefined;
  if (source.thought !== true)
    return { type: "text", text: source.text, ...partExtras(source, { keys: ["text"], path }) };
  const { extras } = partExtras(source, { keys: ["text", "thought"], path });
  return { type: "reasoning", text: source.text, ...extrasField(extras, noteExtras(NAME, { thought: true })) };
}

function readCall(source: Fields, { path, id, index }: PartPlace): ToolCallPart {
  const callPath = pathOf(path, "functionCall");
  const call = requireObject(source.functionCall, callPath);
  const known = filledKeys(call, ["id"]);
  const callId = findString(call.id, pathOf(callPath, "id"));
  const noted = innerFields(call, { keys: ["name", "args", ...known], path: callPath });
  const note = call.args === undefined ? { ...noted, args: "absent" } : noted;
  return {
    type: "tool-call",
    callId: callId ?? madeCallId(id, index),
    tool: requireString(call.name, pathOf(callPath, "name")),
    input: call.args === undefined ? {} : toJsonValue(call.args, pathOf(callPath, "args")),
    ...extrasField(
      partExtras(source, { keys: ["functionCall"], path }).extras,
      noteExtras(NAME, { functionCall: note }),
      callId === undefined ? MADE_CALL_ID : undefined,
    ),
  };
}

function readResponse(source: Fields, { path, nth }: PartPlace): ToolResultPart {
  const answerPath = pathOf(path, "functionResponse");
  const answer = requireObject(source.functionResponse, answerPath);
  const tool = requireString(answer.name, pathOf(answerPath, "name"));
  const callId = findString(answer.id, pathOf(answerPath, "id"));
  const known = ["name", "response", "parts", ...filledKeys(answer, ["id"])];
  const noted = innerFields(answer, { keys: known, path: answerPath });
  const note = answer.response === undefined ? { ...noted, response: "absent" } : noted;
  const response = answer.response === undefined ? {} : toJsonObject(answer.response, pathOf(answerPath, "response"));
  return {
    type: "tool-result",
    callId: callId ?? unmatchedResultId(tool, nth(tool)),
    tool,
    output:
      answer.parts === undefined
        ? plainOutput(response)
        : readResponseParts(response, { media: answer.parts, path: answerPath }),
    failed: response.error !== undefined && response.output === undefined,
    ...extrasField(
      partExtras(source, { keys: ["functionResponse"], path }).extras,
      noteExtras(NAME, { functionResponse: note }),
      callId === undefined ? MADE_CALL_ID : undefined,
    ),
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

/** Reads a response with media: its text first, then the media. */
function readResponseParts(
  response: JsonObject,
  { media, path }: { readonly media: unknown; readonly path: string },
): ToolOutput {
  const text = envelopeText(response);
  const first: TextPart =
    text === undefined
      ? { type: "text", text: JSON.stringify(response), ...extrasField(noteExtras(NAME, { response: "json" })) }
      : { type: "text", text };
  const partsPath = pathOf(path, "parts");
  const others = requireArray(media, partsPath).map((part, index) => {
    const partPath = pathOf(partsPath, index);
    const source = requireObject(part, partPath);
    return (
      readMedia(source, partPath) ?? ({ type: "unknown", format: NAME, value: toJsonValue(source, partPath) } as const)
    );
  });
  return { type: "parts", parts: [first, ...others] };
}

/**
 * Reads code that the provider ran. Its result follows in the same content, and names its call or comes directly after
 * it.
 */
function readCode(source: Fields, { path, id, nth }: PartPlace): ToolCallPart | ToolResultPart | undefined {
  const key = isObject(source.executableCode) ? "executableCode" : "codeExecutionResult";
  if (!isObject(source[key])) return undefined;
  const { id: ownId, ...value } = toJsonObject(source[key], pathOf(path, key));
  const made = typeof ownId === "string" ? undefined : MADE_CALL_ID;
  const callId = typeof ownId === "string" ? ownId : `${id}-code-${nth(key)}`;
  const note = noteExtras(NAME, { [key]: typeof ownId === "string" ? {} : { ...field("id", ownId) } });
  const extras = extrasField(partExtras(source, { keys: [key], path }).extras, note, made);
  if (key === "executableCode")
    return { type: "tool-call", callId, tool: CODE_TOOL, input: value, byProvider: true, ...extras };
  const failed = value.outcome !== undefined && value.outcome !== "OUTCOME_OK";
  return {
    type: "tool-result",
    callId,
    tool: CODE_TOOL,
    output: { type: "json", value },
    failed,
    byProvider: true,
    ...extras,
  };
}
