/**
 * Encodes messages as plain LangChain messages, `{ type, content, … }`. A tool message becomes one for each result,
 * because LangChain's holds one. A wrapped message is wrapped again; a message without content is left out.
 */
import { type Fields, isObject } from "../../check-value.ts";
import { findWireExtras, giveId } from "../decode-value.ts";
import { isJsonObject, type JsonObject } from "../json.ts";
import type { Message, Role, ToolOutput, ToolResultPart } from "../message.ts";
import { encodeBlock } from "./langchain-block.ts";
import { encodeEntries, encodeModelBlocks } from "./langchain-call.ts";
import { closeEnvelope } from "./langchain-envelope.ts";
import { field } from "./wire-item.ts";
import { WireWriter } from "./wire-object.ts";

const NAME = "langchain";
const writer = new WireWriter(NAME);

export const TYPES: Readonly<Record<Role, string>> = { user: "human", assistant: "ai", system: "system", tool: "tool" };

export function encodeLangChain(messages: readonly Message[]): readonly unknown[] {
  return messages.flatMap((message) => {
    if (messageNotes(message).removal === true) return encodeRemoval(message);
    return message.role === "tool" ? encodeAnswers(message) : encodeWords(message);
  });
}

function encodeRemoval(message: Message): readonly unknown[] {
  const [part] = message.parts;
  if (part?.type !== "unknown" || !isJsonObject(part.value)) return [];
  return [closeEnvelope(part.value, messageNotes(message).wrapping)];
}

function encodeWords(message: Message): readonly unknown[] {
  const { role, parts, name } = message;
  const notes = messageNotes(message);
  const isModel = role === "assistant";
  const blocks = isModel ? encodeModelBlocks(parts) : parts.flatMap(encodeBlock);
  const entries = isModel ? encodeEntries(parts) : [];
  const isOwn = findWireExtras(message.extras, NAME) !== undefined;
  if (blocks.length === 0 && entries.length === 0 && !isOwn) return [];
  const calls = entries.length > 0 || notes.calls === "empty" ? entries : undefined;
  return [
    finish(message, {
      ...encodeContent(blocks, notes),
      ...field("tool_calls", calls),
      ...field("name", notes.name === "absent" ? undefined : name),
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
    ...field("name", result.tool),
    ...field("status", status),
  });
}

function encodeOutput(output: ToolOutput, notes: JsonObject): Fields {
  switch (output.type) {
    case "text":
      return encodeContent(output.text === "" ? [] : [{ type: "text", text: output.text }], notes);
    case "json":
      return { content: JSON.stringify(output.value) };
    case "parts":
      return { content: output.parts.flatMap(encodeBlock) };
    default:
      return output satisfies never;
  }
}

/** Writes a string if there is only text and the content was not a list of blocks. */
function encodeContent(blocks: readonly unknown[], notes: JsonObject): Fields {
  if (notes.content === "absent" && blocks.length === 0) return {};
  if (notes.content === "blocks") return { content: blocks };
  if (blocks.length === 0) return { content: "" };
  return { content: (blocks.length === 1 ? findBareText(blocks[0]) : undefined) ?? blocks };
}

function findBareText(block: unknown): string | undefined {
  const isBare = isObject(block) && block.type === "text" && Object.keys(block).length === 2;
  return isBare && typeof block.text === "string" ? block.text : undefined;
}

function finish(message: Message, fields: Fields): unknown {
  const notes = messageNotes(message);
  const usual = typeof notes.type === "string" ? notes.type : TYPES[message.role];
  const type = notes.wrapping !== undefined || usual === "absent" ? undefined : usual;
  const item = { ...field("type", type), ...fields, ...giveId(message.id, notes.id), ...giveNulls(fields, notes) };
  const whole = writer.complete(item, message, ["content"]);
  return closeEnvelope(whole, notes.wrapping);
}

/** Writes null again for fields that were null, unless they have a value now. */
function giveNulls(fields: Fields, { nulls }: JsonObject): Fields {
  if (!Array.isArray(nulls)) return {};
  const empty = nulls
    .filter((key) => typeof key === "string")
    .filter((key) => fields[key] === undefined || fields[key] === "");
  return Object.fromEntries(empty.map((key) => [key, null]));
}

function messageNotes(message: Message): JsonObject {
  return writer.fieldsOf(message, "content");
}
