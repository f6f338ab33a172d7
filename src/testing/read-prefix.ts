/** Reads a request to Anthropic's Messages API as hashes, as the provider's check of thinking compares them. */
import { createHash } from "node:crypto";
import { isJsonObject, type JsonObject, type JsonValue } from "../core/message/json.ts";

export interface SentThinking {
  /** The path as the provider writes it, `messages.3.content.0`. */
  readonly path: string;
  readonly block: JsonObject;
  /** Identifies the block for the provider: its signature, or the data of a redacted one. */
  readonly signature: string;
  /** Number of items before it, thinking not counted. */
  readonly at: number;
}

export interface RequestPrefix {
  /** The hash of each item and all before it, without thinking: system, tools, then roles and blocks. */
  readonly chain: readonly string[];
  /** Index of each item's message; undefined for system and tools. */
  readonly messageOf: readonly (number | undefined)[];
  readonly thinking: readonly SentThinking[];
}

/** Items before the first message: the system text and the tools. */
export const SYSTEM_ITEM = 0;
export const TOOLS_ITEM = 1;

/** Hashes system text, tools and content blocks as one chain, without cache marks. Thinking is listed separately. */
export function readPrefix(body: JsonObject): RequestPrefix {
  const chain: string[] = [];
  const messageOf: (number | undefined)[] = [];
  const thinking: SentThinking[] = [];
  const add = (item: JsonValue, message?: number) => {
    const hash = createHash("sha256").update(chain.at(-1) ?? "");
    chain.push(hash.update(canonicalText(item)).digest("base64url"));
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

/** Lists the content blocks of a message. A text counts as one block. */
export function listBlocks(content: JsonValue | undefined): readonly JsonValue[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : listItems(content);
}

/** Returns the signature of a thinking block, empty if it has none; undefined for other blocks. */
export function findSignature(block: JsonValue): string | undefined {
  if (!isJsonObject(block)) return undefined;
  if (block.type === "thinking") return typeof block.signature === "string" ? block.signature : "";
  if (block.type === "redacted_thinking") return typeof block.data === "string" ? block.data : "";
  return undefined;
}

/** Returns a value as text, with sorted keys and without cache marks. */
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
