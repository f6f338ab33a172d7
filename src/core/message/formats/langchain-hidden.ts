/**
 * Items of OpenAI's Responses API that LangChain keeps beside the content of an AI message and sends back: encrypted
 * reasoning, compactions and tools that OpenAI ran. They are read as parts, so that they are counted and move to other
 * providers; the message's own fields keep their form. Texts and calls are in the content already.
 */
import { type Fields, isObject } from "../../check-value.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../json.ts";
import type { Message, Part } from "../message.ts";
import { decodeOpenAiResponses } from "./openai-responses-decode.ts";

/** Types of items that the content and the calls of a LangChain message repeat. */
const REPEATED: ReadonlySet<unknown> = new Set(["message", "function_call", "custom_tool_call"]);

/** Reads the items as parts; malformed ones are skipped, because LangChain passes them on unread. */
export function readHiddenParts(fields: Fields, path: string): readonly Part[] {
  return listHiddenItems(fields).flatMap((item) => {
    if (REPEATED.has(item.type)) return [];
    try {
      return decodeOpenAiResponses(item, { path, fallbackId: "" }).flatMap(({ role, parts }) =>
        role === "assistant" ? parts : [],
      );
    } catch {
      return [];
    }
  });
}

/** LangChain sends all items of the response if it has them, or else the reasoning and the tools beside the content. */
function listHiddenItems(fields: Fields): readonly Fields[] {
  const output = findOutput(fields.response_metadata);
  if (output !== undefined) return output;
  const { reasoning, tool_outputs: tools } = isObject(fields.additional_kwargs) ? fields.additional_kwargs : {};
  const thought = isObject(reasoning) ? [{ summary: [], ...reasoning, type: "reasoning" }] : [];
  return [...thought, ...(Array.isArray(tools) ? tools.filter(isObject) : [])];
}

function findOutput(metadata: unknown): readonly Fields[] | undefined {
  const output = isObject(metadata) && metadata.output_version !== "v1" ? metadata.output : undefined;
  return Array.isArray(output) && output.length > 0 && output.every(isItem) ? output : undefined;
}

function isItem(item: unknown): item is Fields {
  return isObject(item) && typeof item.type === "string";
}

/** Whether the part is sent from the message's own fields. */
export function isHidden(part: Part): boolean {
  if (part.type === "unknown") return part.format === "openai-responses";
  return part.type === "reasoning" && isJsonObject(part.extras?.["wire:openai-responses"]);
}

/**
 * Removes the items of the response if the message says something else now, such as after a cut: LangChain would send
 * the items instead of the message.
 */
export function dropOutdatedOutput(item: Fields, { parts }: Pick<Message, "parts">): Fields {
  const output = findOutput(item.response_metadata);
  if (output === undefined || describeItems(output) === describeParts(parts)) return item;
  const { output: _, ...metadata } = item.response_metadata as Fields;
  return { ...item, response_metadata: metadata };
}

function describeItems(items: readonly Fields[]): string {
  const texts = items.flatMap(({ type, content }) => (type === "message" && Array.isArray(content) ? content : []));
  const calls = items.filter(({ type }) => type === "function_call" || type === "custom_tool_call");
  return describe({
    texts: texts.flatMap((part: unknown) => (isObject(part) && part.type === "output_text" ? [String(part.text)] : [])),
    calls: calls.map(({ call_id: id, arguments: input }) => [String(id), parse(input)]),
  });
}

function describeParts(parts: readonly Part[]): string {
  const calls = parts.flatMap((part) => (part.type === "tool-call" ? [part] : []));
  return describe({
    texts: parts.flatMap((part) => (part.type === "text" ? [part.text] : [])),
    calls: calls.map(({ callId, input }) => [callId, input]),
  });
}

interface Said {
  readonly texts: readonly string[];
  readonly calls: readonly (readonly [string, JsonValue | undefined])[];
}

/** Custom calls have text as input, which LangChain wraps; only their ids are compared. */
function describe({ texts, calls }: Said): string {
  const inputs = calls.map(([id, input]) => [id, isCustom(input) ? null : (input ?? null)]);
  return JSON.stringify([texts.join("").trim(), inputs]);
}

function isCustom(input: JsonValue | undefined): boolean {
  return isJsonObject(input) && typeof input.input === "string" && Object.keys(input).length === 1;
}

function parse(text: unknown): JsonObject | undefined {
  try {
    const value: unknown = typeof text === "string" ? JSON.parse(text) : undefined;
    return isObject(value) ? (value as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}
