/**
 * AI SDK model messages, as `generateText` and `streamText` accept them. One item is one message. Content may be a
 * string or parts, and is written back in the same form; parts that a role cannot contain are left out.
 */
import { type Fields, invalidMessage, isObject } from "../../check-value.ts";
import { findWireExtras, joinExtras, takeId, withExtras, writeId } from "../decode-value.ts";
import { type Extras, isRole, type Message, type Part, ROLES, type Role } from "../message.ts";
import { takeModelExtras, writeOptions } from "./ai-sdk-media.ts";
import { decodeModelPart, encodeModelPart, type FindToolName } from "./ai-sdk-model-part.ts";
import type { DecodeContext, Format } from "./format.ts";
import { findBareText } from "./wire-item.ts";
import { WireObject } from "./wire-object.ts";

const NAME = "ai-sdk-model";
const MESSAGE_KEYS = ["role", "content", "id"];

/** Kinds of parts with a field that only this format has. */
const MARKS: ReadonlyMap<unknown, string> = new Map([
  ["tool-call", "toolCallId"],
  ["tool-result", "toolCallId"],
  ["tool-approval-request", "approvalId"],
  ["tool-approval-response", "approvalId"],
  ["reasoning", "text"],
  ["reasoning-file", "data"],
  ["image", "image"],
  ["file", "data"],
  ["custom", "kind"],
]);

/** Fields that other formats use for what this one puts into content. */
const FOREIGN_KEYS = ["tool_calls", "tool_call_id", "function_call", "parts"];

export const aiSdkModelFormat: Format = { name: NAME, recognize, decode, encode };

function recognize(item: unknown): "sure" | "possible" | "no" {
  if (!isObject(item) || !isRole(item.role) || FOREIGN_KEYS.some((key) => item[key] !== undefined)) return "no";
  const { role, content, type, providerOptions } = item;
  if (typeof content === "string") {
    if (role === "tool" || type !== undefined) return "no";
    return providerOptions === undefined ? "possible" : "sure";
  }
  if (role === "system" || !Array.isArray(content) || !content.every(isTyped)) return "no";
  if (providerOptions !== undefined || content.some(isMarked)) return "sure";
  return type === undefined && role !== "tool" && content.every((part) => part.type === "text") ? "possible" : "no";
}

function isTyped(part: unknown): part is Fields {
  return isObject(part) && typeof part.type === "string";
}

function isMarked(part: Fields): boolean {
  const mark = MARKS.get(part.type);
  return part.providerOptions !== undefined || (mark !== undefined && part[mark] !== undefined);
}

function decode(item: unknown, context: DecodeContext): readonly Message[] {
  const source = new WireObject(NAME, item, context.path);
  const { role, content } = source.fields;
  if (!isRole(role)) throw invalidMessage(source.pathOf("role"), `one of ${ROLES.join(", ")}`, role);
  const { id, note } = takeId(source.fields.id, context);
  const parts = decodeContent(source, role);
  const wasParts = typeof content !== "string" && needsContentNote(parts);
  const notes = { id: note, content: wasParts ? "parts" : undefined };
  return [{ id, role, parts, ...takeModelExtras(source, MESSAGE_KEYS, notes) }];
}

function decodeContent(source: WireObject, role: Role): readonly Part[] {
  const { content } = source.fields;
  if (role === "system") return [{ type: "text", text: source.text("content") }];
  if (typeof content === "string" && role !== "tool") return [{ type: "text", text: content }];
  return source.list("content", (part) => decodeModelPart(part, role));
}

/** Whether the parts need a note to be written as a list again: one bare text, or none. */
function needsContentNote(parts: readonly Part[]): boolean {
  const [first] = parts;
  return parts.length === 0 || (parts.length === 1 && first?.type === "text" && first.extras === undefined);
}

function encode(messages: readonly Message[]): readonly unknown[] {
  const tools = new Map<string, string>();
  return messages.flatMap((message) => {
    for (const part of message.parts) if (part.type === "tool-call") tools.set(part.callId, part.tool);
    return encodeMessage(message, (callId) => tools.get(callId));
  });
}

function encodeMessage(message: Message, toolOf: FindToolName): readonly unknown[] {
  const { id, role, parts } = message;
  const notes = findWireExtras(message.extras, NAME);
  const content = role === "system" ? joinTexts(parts) : encodeContent(message, toolOf);
  // Leaves out a message without content, which providers refuse, unless the source had none.
  const isEmpty = content === undefined || (typeof content !== "string" && content.length === 0);
  if (isEmpty && !(notes?.content === "parts" && parts.length === 0)) return [];
  const extras = role === "system" ? joinExtras(...parts.map(extrasOf), message.extras) : message.extras;
  const item = { ...writeId(id, notes?.id), role, content, ...writeOptions(extras, NAME, "providerOptions") };
  return [withExtras(item, { extras: message.extras, name: NAME, knownKeys: [...MESSAGE_KEYS, "providerOptions"] })];
}

function encodeContent({ role, parts, extras }: Message, toolOf: FindToolName): string | readonly unknown[] {
  const content = parts.flatMap((part) => encodeModelPart(part, role, toolOf));
  const staysParts = role === "tool" || findWireExtras(extras, NAME)?.content === "parts";
  return (staysParts || content.length !== 1 ? undefined : findBareText(content[0])) ?? content;
}

/** System content is one string, so text parts become paragraphs. */
function joinTexts(parts: readonly Part[]): string | undefined {
  const texts = parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
  return texts.length === 0 ? undefined : texts.join("\n\n");
}

function extrasOf(part: Part): Extras | undefined {
  return part.type === "unknown" ? undefined : part.extras;
}
