/**
 * LangChain messages: instances, stored and serialized forms, and plain objects. They are written as plain objects with
 * LangChain's `type` (`human`, `ai`, `system`, `tool`), which LangChain accepts wherever it accepts messages; wrapped
 * ones are wrapped again. One item is one message; a tool message with several results becomes several.
 */
import {
  type Fields,
  findString,
  invalidMessage,
  isObject,
  pathOf,
  requireObject,
  requireString,
} from "../../check-value.ts";
import { noteExtras, takeExtras, takeId, toJsonValue } from "../decode-value.ts";
import type { JsonObject } from "../json.ts";
import type { ContentPart, Message, Part, Role, ToolOutput, ToolResultPart } from "../message.ts";
import type { DecodeContext, Format } from "./format.ts";
import { decodeBlocks } from "./langchain-block.ts";
import { decodeModelParts, functionCallId } from "./langchain-call.ts";
import { encodeLangChain, TYPES } from "./langchain-encode.ts";
import { type Envelope, isKind, isWrapped, openEnvelope } from "./langchain-envelope.ts";
import { extrasField, field } from "./wire-item.ts";

const NAME = "langchain";

/** Interpreted fields by role. `content` is always among them, so the notes are kept under it. */
const KEYS: Readonly<Record<Role, readonly string[]>> = {
  user: ["content", "id", "name"],
  system: ["content", "id", "name"],
  assistant: ["content", "id", "name", "tool_calls"],
  tool: ["content", "id", "name", "tool_call_id", "status"],
};

export const langChainFormat: Format = { name: NAME, recognise, decode, encode: encodeLangChain };

function recognise(item: unknown): "sure" | "possible" | "no" {
  if (!isObject(item)) return "no";
  if (isWrapped(item)) return "sure";
  const { type, role, content, parts } = item;
  if (parts !== undefined || (type !== undefined && !isKind(type))) return "no";
  if (type === "remove") return typeof item.id === "string" ? "sure" : "no";
  if (!isContent(content)) return "no";
  if (type !== undefined || role === "human" || role === "ai" || hasOwnCalls(item)) return "sure";
  if (role === "tool") return typeof item.tool_call_id === "string" ? "possible" : "no";
  return role === "function" || role === "remove" || role === "generic" || !isKind(role) ? "no" : "possible";
}

function isContent(content: unknown): boolean {
  if (typeof content === "string") return true;
  return Array.isArray(content) && content.every((block) => typeof block === "string" || isObject(block));
}

function hasOwnCalls({ tool_calls: calls }: Fields): boolean {
  const [call] = Array.isArray(calls) ? calls : [];
  return isObject(call) && call.args !== undefined && typeof call.name === "string";
}

function decode(item: unknown, context: DecodeContext): readonly Message[] {
  const source = requireObject(item, context.path);
  const envelope = openEnvelope(source, context.path);
  if (envelope.kind === "remove") return [decodeRemoval(envelope, context)];
  const { fields, path } = envelope;
  const role = roleOf(envelope);
  const { id, note } = takeId(fields.id, { ...context, path });
  const parts = decodeParts(envelope, { role, id });
  const name = role === "tool" ? {} : field("name", findName(envelope, role));
  return [{ id, role, parts, ...name, ...messageExtras(envelope, { role, note }) }];
}

/** Decodes an instruction to remove the message with this id. No other format has one, so it is carried whole. */
function decodeRemoval({ fields, path, wrapping }: Envelope, { fallbackId }: DecodeContext): Message {
  requireString(fields.id, pathOf(path, "id"));
  const extras = extrasField(noteExtras(NAME, { content: { ...field("wrapping", wrapping), removal: true } }));
  const value = toJsonValue(fields, path);
  return { id: fallbackId, role: "system", parts: [{ type: "unknown", format: NAME, value }], ...extras };
}

function roleOf({ kind, fields }: Envelope): Role {
  switch (kind) {
    case "human":
    case "user":
      return "user";
    case "ai":
    case "assistant":
      return "assistant";
    case "tool":
    case "function":
      return "tool";
    case "system":
    case "developer":
    case "remove":
      return "system";
    case "generic":
      return genericRole(fields.role);
    default:
      return kind satisfies never;
  }
}

/** Treats an unknown role as a user; the name says who it is. */
function genericRole(role: unknown): Role {
  if (role === "assistant" || role === "ai" || role === "model") return "assistant";
  return role === "system" || role === "developer" ? "system" : "user";
}

function findName({ kind, fields, path }: Envelope, role: Role): string | undefined {
  const name = findString(fields.name, pathOf(path, "name"));
  const isOther = kind === "generic" && role === "user" && fields.role !== "user" && fields.role !== "human";
  return name ?? (isOther ? findString(fields.role, pathOf(path, "role")) : undefined);
}

function decodeParts(envelope: Envelope, { role, id }: { role: Role; id: string }): readonly Part[] {
  const { fields, path } = envelope;
  if (role === "tool") return [decodeAnswer(envelope)];
  if (role === "assistant") return decodeModelParts(fields, { path, id });
  const { content } = fields;
  if (content === undefined || content === null) return [];
  return typeof content === "string" ? [{ type: "text", text: content }] : readBlocks(content, pathOf(path, "content"));
}

function readBlocks(content: unknown, path: string): readonly ContentPart[] {
  if (!Array.isArray(content)) throw invalidMessage(path, "a string or an array of blocks", content);
  return decodeBlocks(content, path);
}

function decodeAnswer({ kind, fields, path }: Envelope): ToolResultPart {
  const name = findString(fields.name, pathOf(path, "name"));
  const callId =
    kind === "function"
      ? functionCallId(requireString(fields.name, pathOf(path, "name")))
      : requireString(fields.tool_call_id, pathOf(path, "tool_call_id"));
  const output = decodeOutput(fields.content, pathOf(path, "content"));
  return { type: "tool-result", callId, ...field("tool", name), output, failed: fields.status === "error" };
}

function decodeOutput(content: unknown, path: string): ToolOutput {
  const given = content ?? "";
  return typeof given === "string" ? { type: "text", text: given } : { type: "parts", parts: readBlocks(given, path) };
}

interface Notable {
  readonly role: Role;
  /** What `takeId` remembered. */
  readonly note: true | "" | null | undefined;
}

function messageExtras(envelope: Envelope, { role, note }: Notable): Pick<Message, "extras"> {
  const { kind, fields, path, wrapping, isPlain } = envelope;
  const keys = kind === "function" ? ["content", "id", "name", "status"] : KEYS[role];
  const type = fields.type === undefined ? "absent" : toJsonValue(fields.type, pathOf(path, "type"));
  const notes = {
    ...field("wrapping", wrapping),
    ...field("id", note),
    ...field("type", isPlain && type !== TYPES[role] ? type : undefined),
    ...field("kind", kind === "function" ? kind : undefined),
    ...field("content", describeContent(fields.content)),
    ...describeFields(envelope, keys),
  };
  const knownKeys = isPlain ? [...keys, "type"] : keys;
  const isNoted = Object.keys(notes).length > 0;
  return extrasField(
    takeExtras(fields, { knownKeys, name: NAME, path }),
    noteExtras(NAME, { content: isNoted ? notes : undefined }),
  );
}

function describeContent(content: unknown): string | undefined {
  if (content === undefined) return "absent";
  return Array.isArray(content) ? "blocks" : undefined;
}

/** Notes fields that are present but empty. */
function describeFields({ kind, fields, path }: Envelope, keys: readonly string[]): JsonObject {
  const { tool_calls: calls, status } = fields;
  const nulls = keys.filter((key) => key !== "id" && fields[key] === null);
  const hasStatus = keys.includes("status") && status !== undefined && status !== null && status !== "error";
  const hasName = fields.name !== undefined && fields.name !== null;
  const hasNoCalls = keys.includes("tool_calls") && Array.isArray(calls) && calls.length === 0;
  return {
    ...field("nulls", nulls.length === 0 ? undefined : nulls),
    ...field("status", hasStatus ? toJsonValue(status, pathOf(path, "status")) : undefined),
    ...field("calls", hasNoCalls ? "empty" : undefined),
    // A name that was derived from the role is not a field.
    ...field("name", kind === "generic" && !hasName ? "absent" : undefined),
  };
}
