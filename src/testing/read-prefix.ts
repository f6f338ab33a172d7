/** Reads a request to Anthropic's Messages API as hashes, as the provider's check of thinking compares them. */
import { createHash } from "node:crypto";
import { isJsonObject, type JsonObject, type JsonValue } from "../core/message/json.ts";

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
