/**
 * Rendered prompts as values that can be compared. `renderUnits` gives one text for each block with its role: two
 * prompts share a prefix if one list begins with the other. `readPrefix` gives hashes, as Anthropic's check uses them.
 */

import { createHash } from "node:crypto";
import { type Fields, isObject } from "../core/check-value.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../core/message/json.ts";
import type { RenderTarget } from "../core/prompt/render/render-prompt.ts";

/** The parts of a request that we render, whichever provider it is for. */
export interface RenderedBody {
  readonly instructions?: string | { readonly content: string } | undefined;
  readonly system?: readonly JsonObject[] | undefined;
  readonly systemInstruction?: JsonObject | undefined;
  readonly messages?: readonly unknown[] | undefined;
  readonly input?: readonly unknown[] | undefined;
  readonly contents?: readonly unknown[] | undefined;
}

/** The shape of the body says how to read it; the provider is asked for so that no two kinds are compared. */
export function renderUnits(body: RenderedBody, _provider: RenderTarget): readonly string[] {
  const { instructions, system = [], systemInstruction } = body;
  const text = typeof instructions === "object" ? instructions.content : instructions;
  const paragraphs = text === undefined ? [] : text.split("\n\n");
  const parts = Array.isArray(systemInstruction?.parts) ? systemInstruction.parts : [];
  const items = body.messages ?? body.input ?? body.contents ?? [];
  return [...paragraphs, ...system, ...parts].map((block) => unit("system", block)).concat(items.flatMap(itemUnits));
}

/** The lists of an item give a unit for each element; what stands beside them belongs to the item as a whole. */
function itemUnits(item: unknown): readonly string[] {
  if (!isObject(item)) return [unit("", item)];
  const { role = "", content: written, parts, tool_calls: calls, output, ...named } = withoutMark(item);
  const content = withoutMarkedBlock(written, "text");
  const others = output === undefined ? named : { ...named, output: withoutMarkedBlock(output, "input_text") };
  const lists = [content, parts, calls].filter((list) => Array.isArray(list));
  const text = typeof content === "string" ? { content } : {};
  const rest = { ...text, ...others };
  const units = lists.flatMap((list) => list.map((block) => unit(role, block)));
  return Object.keys(rest).length === 0 || (units.length > 0 && isLabel(rest)) ? units : [unit(role, rest), ...units];
}

/** The words `type: "message"` say nothing that the blocks do not. */
function isLabel(rest: Fields): boolean {
  return Object.keys(rest).length === 1 && rest.type === "message";
}

function unit(role: unknown, block: unknown): string {
  return `${String(role)} ${JSON.stringify(isObject(block) ? withoutMark(block) : block)}`;
}

/** Marks say what a provider should remember; they are no part of what it reads. */
function withoutMark({ cache_control: _, prompt_cache_breakpoint: __, ...block }: Fields): Fields {
  if (!isObject(block.providerOptions)) return block;
  const { providerOptions, ...rest } = block;
  const kept = Object.entries(providerOptions).flatMap(([name, fields]) => {
    if (!isObject(fields)) return [[name, fields]];
    const { cacheControl: _mark, promptCacheBreakpoint: _other, ...others } = fields;
    return Object.keys(others).length === 0 ? [] : [[name, others]];
  });
  return kept.length === 0 ? rest : { ...rest, providerOptions: Object.fromEntries(kept) };
}

/** One block that is there to bear a mark says what a plain text says. */
function withoutMarkedBlock(value: unknown, type: "text" | "input_text"): unknown {
  if (!Array.isArray(value)) return value;
  const [block, ...others] = value;
  if (isObject(block) && others.length === 0 && block.type === type && isMarked(block)) return block.text;
  return value.map((each) => (isObject(each) ? withoutMark(each) : each));
}

function isMarked({ prompt_cache_breakpoint: mark, providerOptions }: Fields): boolean {
  const options = isObject(providerOptions) ? providerOptions.openai : undefined;
  return mark !== undefined || (isObject(options) && options.promptCacheBreakpoint !== undefined);
}

/** A thinking block in a request. */
export interface SentThinking {
  /** The path as the provider writes it, `messages.3.content.0`. */
  readonly path: string;
  readonly block: JsonObject;
  /** Identifies the block for the provider: its signature, or the data of a redacted one. */
  readonly signature: string;
  /** How many items other than thinking stand before it. */
  readonly at: number;
}

export interface RequestPrefix {
  /** For each item other than thinking the hash of it and of all before it: system, tools, then roles and blocks. */
  readonly chain: readonly string[];
  /** The message of each item, or undefined for system and tools. */
  readonly messageOf: readonly (number | undefined)[];
  readonly thinking: readonly SentThinking[];
}

/** Items before the first message: the system text and the tools. */
export const SYSTEM_ITEM = 0;
export const TOOLS_ITEM = 1;

/**
 * Reads a request to Anthropic's Messages API as the prefix check compares it: one chain of hashes over system text,
 * tools and content blocks, with thinking listed by signature and place. `cache_control` and the order of keys do not
 * count, and a text alone equals a list of one text block.
 */
export function readPrefix(body: JsonObject): RequestPrefix {
  const chain: string[] = [];
  const messageOf: (number | undefined)[] = [];
  const thinking: SentThinking[] = [];
  const add = (item: JsonValue, message?: number) => {
    chain.push(hashItem(chain.at(-1) ?? "", item));
    messageOf.push(message);
  };
  add(listBlocks(body.system));
  add(listItems(body.tools));
  for (const [index, message] of listItems(body.messages).entries()) {
    if (!isJsonObject(message)) continue;
    add({ role: message.role ?? null }, index);
    for (const [place, block] of listBlocks(message.content).entries()) {
      const signature = findSignature(block);
      if (signature === undefined || !isJsonObject(block)) add(block, index);
      else thinking.push({ path: `messages.${index}.content.${place}`, block, signature, at: chain.length });
    }
  }
  return { chain, messageOf, thinking };
}

/** The content blocks of a message, where a text alone stands for one block. */
export function listBlocks(content: JsonValue | undefined): readonly JsonValue[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : listItems(content);
}

/** The signature of a thinking block, empty where it has none; undefined for any other block. */
export function findSignature(block: JsonValue): string | undefined {
  if (!isJsonObject(block)) return undefined;
  if (block.type === "thinking") return typeof block.signature === "string" ? block.signature : "";
  if (block.type === "redacted_thinking") return typeof block.data === "string" ? block.data : "";
  return undefined;
}

/** A value as text, without cache marks and with its keys in order. */
export function canonicalText(value: JsonValue | undefined): string {
  if (!isJsonObject(value)) {
    return Array.isArray(value) ? `[${value.map(canonicalText).join(",")}]` : (JSON.stringify(value) ?? "null");
  }
  const content = value.type === "tool_result" ? { content: listBlocks(value.content) } : {};
  const fields = Object.entries({ ...value, ...content })
    .filter(([key, field]) => key !== "cache_control" && field !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${fields.map(([key, field]) => `${JSON.stringify(key)}:${canonicalText(field)}`).join(",")}}`;
}

function listItems(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

function hashItem(previous: string, item: JsonValue): string {
  return createHash("sha256").update(previous).update(canonicalText(item)).digest("base64url");
}
