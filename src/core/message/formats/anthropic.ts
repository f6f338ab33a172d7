/**
 * Anthropic's Messages API. Its user messages carry the tool results, so one item may be a tool message and a user
 * message of ours. A trip through here and back is deeply equal where results stand first, as the API demands.
 */

import { type Fields, isObject } from "../../check-value.ts";
import { decodeAnthropic } from "./anthropic-decode.ts";
import { encodeAnthropic } from "./anthropic-encode.ts";
import type { Format } from "./format.ts";

export const anthropicFormat: Format = {
  name: "anthropic",
  alternation: {
    writeUserItem: (text) => ({ role: "user", content: text }),
    joinItems: (first, second) => ({ ...first, content: [...blocksOf(first), ...blocksOf(second)] }),
    beginsTurn: thinksAndCalls,
  },
  recognise,
  decode: decodeAnthropic,
  encode: encodeAnthropic,
};

const OWN_BLOCKS: ReadonlySet<unknown> = new Set([
  "tool_use",
  "tool_result",
  "thinking",
  "redacted_thinking",
  "server_tool_use",
  "mcp_tool_use",
  "mcp_tool_result",
  "search_result",
  "container_upload",
]);

const ROLES: ReadonlySet<unknown> = new Set(["user", "assistant", "system"]);

function recognise(item: unknown): "sure" | "possible" | "no" {
  if (!isObject(item) || !ROLES.has(item.role)) return "no";
  const answer = item.type === "message" && item.role === "assistant" && "stop_reason" in item;
  if (item.type !== undefined && !answer) return "no";
  if (item.parts !== undefined || item.tool_calls !== undefined) return "no";
  if (typeof item.content === "string") return "possible";
  if (!Array.isArray(item.content) || !item.content.every(isObject)) return "no";
  if (answer || item.content.some(isOwnBlock)) return "sure";
  return item.content.every((block) => block.type === "text") ? "possible" : "no";
}

function isOwnBlock(block: Fields): boolean {
  const media = block.type === "image" || block.type === "document";
  return OWN_BLOCKS.has(block.type) || (media && isObject(block.source) && typeof block.source.type === "string");
}

function blocksOf({ content }: Fields): readonly unknown[] {
  return Array.isArray(content) ? content : [{ type: "text", text: content }];
}

/** Thinking that led to tool calls must be at the beginning of its turn. */
function thinksAndCalls(item: unknown): boolean {
  const types = isObject(item) && Array.isArray(item.content) ? item.content.map((block) => block?.type) : [];
  const thinksFirst = types[0] === "thinking" || types[0] === "redacted_thinking";
  return thinksFirst && types.includes("tool_use");
}
