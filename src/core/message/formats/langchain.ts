/**
 * LangChain messages: instances, stored and serialized forms, and plain objects. They are written as plain objects with
 * LangChain's `type` (`human`, `ai`, `system`, `tool`), which LangChain accepts wherever it accepts messages; wrapped
 * ones are wrapped again. One item is one message; a tool message with several results becomes several.
 */
import { type Fields, invalidMessage, isObject, pathOf } from "../../check-value.ts";
import { findWireExtras, noteExtras, type OwnId, takeId, writeId } from "../decode-value.ts";
import { isJsonObject, type JsonObject } from "../json.ts";
import type { ContentPart, Message, Part, Role, ToolOutput, ToolResultPart } from "../message.ts";
import type { DecodeContext, Format } from "./format.ts";
import { decodeBlocks, encodeBlock } from "./langchain-block.ts";
import { decodeModelParts, encodeModelBlocks, encodeToolCalls, functionCallId } from "./langchain-call.ts";
import { closeEnvelope, type Envelope, isLangChainKind, isWrapped, openEnvelope } from "./langchain-envelope.ts";
import { dropOutdatedOutput } from "./langchain-hidden.ts";
import { rebuildInstances } from "./langchain-instance.ts";
import { extrasField, findBareText, optionalField } from "./wire-item.ts";
import { type ExtrasField, WireObject, WireWriter } from "./wire-object.ts";

const NAME = "langchain";
const writer = new WireWriter(NAME);

/** The fields that this format interprets, by role. Every role has `content`, so the notes are kept under that key. */
const KEYS: Readonly<Record<Role, readonly string[]>> = {
  user: ["content", "id", "name"],
  system: ["content", "id", "name"],
  assistant: ["content", "id", "name", "tool_calls"],
  tool: ["content", "id", "name", "tool_call_id", "status"],
};

export const langChainFormat: Format = { name: NAME, recognize, decode, encode, rebuild: rebuildInstances };

function recognize(item: unknown): "sure" | "possible" | "no" {
  if (!isObject(item)) return "no";
  if (isWrapped(item)) return "sure";
  const { type, role, content, parts } = item;
  if (parts !== undefined || (type !== undefined && !isLangChainKind(type))) return "no";
  if (type === "remove") return typeof item.id === "string" ? "sure" : "no";
  if (!isContent(content)) return "no";
  if (type !== undefined || role === "human" || role === "ai" || hasOwnCalls(item)) return "sure";
  if (role === "tool") return typeof item.tool_call_id === "string" ? "possible" : "no";
  return role === "function" || role === "remove" || role === "generic" || !isLangChainKind(role) ? "no" : "possible";
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
  const envelope = openEnvelope(new WireObject(NAME, item, context.path));
  if (envelope.kind === "remove") return [decodeRemoval(envelope, context)];
  const { path, fields } = envelope.source;
  const role = envelope.kind === "generic" ? genericRole(fields.role) : ROLES[envelope.kind];
  const { id, note } = takeId(fields.id, { ...context, path });
  const parts = decodeParts(envelope, { role, id });
  const name = role === "tool" ? {} : optionalField("name", findName(envelope, role));
  return [{ id, role, parts, ...name, ...messageExtras(envelope, role, note) }];
}

/** Decodes an instruction to remove the message with this id. No other format has one, so it is kept whole. */
function decodeRemoval({ source, wrapping }: Envelope, { fallbackId }: DecodeContext): Message {
  source.text("id");
  const extras = extrasField(noteExtras(NAME, { content: { ...optionalField("wrapping", wrapping), removal: true } }));
  return { id: fallbackId, role: "system", parts: [source.toUnknown()], ...extras };
}

const ROLES: Readonly<Record<Exclude<Envelope["kind"], "remove" | "generic">, Role>> = {
  human: "user",
  user: "user",
  ai: "assistant",
  assistant: "assistant",
  tool: "tool",
  function: "tool",
  system: "system",
  developer: "system",
};

/** Treats an unknown role as a user whose name is the role. */
function genericRole(role: unknown): Role {
  if (role === "assistant" || role === "ai" || role === "model") return "assistant";
  return role === "system" || role === "developer" ? "system" : "user";
}

function findName({ kind, source }: Envelope, role: Role): string | undefined {
  const isKnown = source.fields.role === "user" || source.fields.role === "human";
  const isOther = kind === "generic" && role === "user" && !isKnown;
  return source.findText("name") ?? (isOther ? source.findText("role") : undefined);
}

function decodeParts(envelope: Envelope, { role, id }: { role: Role; id: string }): readonly Part[] {
  const { fields, path } = envelope.source;
  if (role === "tool") return [decodeAnswer(envelope)];
  if (role === "assistant") return decodeModelParts(fields, { path, id });
  const content = fields.content ?? [];
  return typeof content === "string" ? [{ type: "text", text: content }] : readBlocks(content, pathOf(path, "content"));
}

function readBlocks(content: unknown, path: string): readonly ContentPart[] {
  if (!Array.isArray(content)) throw invalidMessage(path, "a string or an array of blocks", content);
  return decodeBlocks(content, path);
}

function decodeAnswer({ kind, source }: Envelope): ToolResultPart {
  const name = source.findText("name");
  const callId = kind === "function" ? functionCallId(source.text("name")) : source.text("tool_call_id");
  const failed = source.fields.status === "error";
  return { type: "tool-result", callId, ...optionalField("tool", name), output: decodeOutput(source), failed };
}

function decodeOutput({ fields, path }: WireObject): ToolOutput {
  const content = fields.content ?? "";
  if (typeof content === "string") return { type: "text", text: content };
  return { type: "parts", parts: readBlocks(content, pathOf(path, "content")) };
}

function messageExtras(envelope: Envelope, role: Role, note: OwnId["note"]): ExtrasField {
  const { kind, source, wrapping } = envelope;
  const keys = kind === "function" ? ["content", "id", "name", "status"] : KEYS[role];
  const isPlain = wrapping === undefined;
  const type = source.fields.type === undefined ? "absent" : source.json("type");
  const notes = {
    ...optionalField("wrapping", wrapping),
    ...optionalField("id", note),
    ...optionalField("type", isPlain && type !== TYPES[role] ? type : undefined),
    ...optionalField("kind", kind === "function" ? kind : undefined),
    ...optionalField("content", describeContent(source.fields.content)),
    ...describeFields(envelope, keys),
  };
  const content = Object.keys(notes).length > 0 ? notes : undefined;
  return source.extras(isPlain ? [...keys, "type"] : keys, { content });
}

function describeContent(content: unknown): string | undefined {
  if (content === undefined) return "absent";
  return Array.isArray(content) ? "blocks" : undefined;
}

/** Notes fields that are present but empty. */
function describeFields({ kind, source }: Envelope, keys: readonly string[]): JsonObject {
  const { tool_calls: calls, status } = source.fields;
  const nulls = keys.filter((key) => key !== "id" && source.fields[key] === null);
  const hasStatus = keys.includes("status") && status !== undefined && status !== null && status !== "error";
  const hasNoCalls = keys.includes("tool_calls") && Array.isArray(calls) && calls.length === 0;
  const hasName = source.describeMissing("name") === undefined;
  return {
    ...optionalField("nulls", nulls.length === 0 ? undefined : nulls),
    ...optionalField("status", hasStatus ? source.json("status") : undefined),
    ...optionalField("calls", hasNoCalls ? "empty" : undefined),
    // A name that was derived from the role is not a field.
    ...optionalField("name", kind === "generic" && !hasName ? "absent" : undefined),
  };
}

// Encoding: a tool message becomes one for each result, because LangChain's tool message holds only one. A wrapped
// message is wrapped again; a message without content is left out.

const TYPES: Readonly<Record<Role, string>> = { user: "human", assistant: "ai", system: "system", tool: "tool" };

function encode(messages: readonly Message[]): readonly unknown[] {
  return messages.flatMap((message) => {
    if (messageNotes(message).removal === true) return encodeRemoval(message);
    return message.role === "tool" ? encodeAnswers(message) : encodeMessage(message);
  });
}

function encodeRemoval(message: Message): readonly unknown[] {
  const [part] = message.parts;
  if (part?.type !== "unknown" || !isJsonObject(part.value)) return [];
  return [closeEnvelope(part.value, messageNotes(message).wrapping)];
}

function encodeMessage(message: Message): readonly unknown[] {
  const { role, parts, name } = message;
  const notes = messageNotes(message);
  const isModel = role === "assistant";
  const blocks = isModel ? encodeModelBlocks(parts) : parts.flatMap(encodeBlock);
  const entries = isModel ? encodeToolCalls(parts) : [];
  const isOwn = findWireExtras(message.extras, NAME) !== undefined;
  if (blocks.length === 0 && entries.length === 0 && !isOwn) return [];
  const calls = entries.length > 0 || notes.calls === "empty" ? entries : undefined;
  return [
    finish(message, {
      ...encodeContent(blocks, notes),
      ...optionalField("tool_calls", calls),
      ...optionalField("name", notes.name === "absent" ? undefined : name),
    }),
  ];
}

function encodeAnswers(message: Message): readonly unknown[] {
  const results = message.parts.filter((part) => part.type === "tool-result");
  const [only] = results;
  if (results.length === 1 && only !== undefined) return [encodeAnswer(only, message)];
  return results.map((result) => encodeAnswer(result, { ...message, extras: undefined }));
}

function encodeAnswer(result: ToolResultPart, message: Message): unknown {
  const notes = messageNotes(message);
  const isFunction = notes.kind === "function";
  const status = result.failed ? "error" : notes.status;
  return finish(message, {
    ...encodeOutput(result.output, notes),
    ...(isFunction ? {} : { tool_call_id: result.callId }),
    ...optionalField("name", result.tool),
    ...optionalField("status", status),
  });
}

function encodeOutput(output: ToolOutput, notes: JsonObject): Fields {
  if (output.type === "parts") return { content: output.parts.flatMap(encodeBlock) };
  if (output.type === "json") return { content: JSON.stringify(output.value) };
  return encodeContent(output.text === "" ? [] : [{ type: "text", text: output.text }], notes);
}

/** Writes a string if there is only text and the content was not a list of blocks. */
function encodeContent(blocks: readonly unknown[], notes: JsonObject): Fields {
  if (notes.content === "absent" && blocks.length === 0) return {};
  if (notes.content === "blocks") return { content: blocks };
  if (blocks.length === 0) return { content: "" };
  return { content: (blocks.length === 1 ? findBareText(blocks[0]) : undefined) ?? blocks };
}

function finish(message: Message, fields: Fields): unknown {
  const notes = messageNotes(message);
  const usual = typeof notes.type === "string" ? notes.type : TYPES[message.role];
  const type = notes.wrapping !== undefined || usual === "absent" ? undefined : usual;
  const item = {
    ...optionalField("type", type),
    ...fields,
    ...writeId(message.id, notes.id),
    ...writeNulls(fields, notes),
  };
  const whole = dropOutdatedOutput(writer.complete(item, message, ["content"]), message);
  return closeEnvelope(whole, notes.wrapping);
}

/** Writes null again for fields that were null, unless they have a value now. */
function writeNulls(fields: Fields, { nulls }: JsonObject): Fields {
  if (!Array.isArray(nulls)) return {};
  const empty = nulls
    .filter((key) => typeof key === "string")
    .filter((key) => fields[key] === undefined || fields[key] === "");
  return Object.fromEntries(empty.map((key) => [key, null]));
}

function messageNotes(message: Message): JsonObject {
  return writer.noteFieldsOf(message, "content");
}
