/**
 * OpenAI's Responses API: a flat list of items, in which calls, results and thoughts stand beside messages. An item is
 * one message of ours, and a trip through here and back is deeply equal.
 */
import { isObject } from "./decode-value.ts";
import type { Format } from "./format.ts";
import { decodeOpenAiResponses } from "./openai-responses-decode.ts";
import { encodeOpenAiResponses } from "./openai-responses-encode.ts";

export const openAiResponsesFormat: Format = {
  name: "openai-responses",
  recognise,
  decode: decodeOpenAiResponses,
  encode: encodeOpenAiResponses,
};

const ROLES: readonly unknown[] = ["system", "developer", "user", "assistant"];
const OWN_PARTS: ReadonlySet<unknown> = new Set(["input_text", "output_text", "input_image", "input_file"]);
const OWN_ITEMS: ReadonlySet<unknown> = new Set(["reasoning", "item_reference", "compaction", "mcp_list_tools"]);

function recognise(item: unknown): "sure" | "possible" | "no" {
  if (!isObject(item) || item.parts !== undefined || item.tool_calls !== undefined) return "no";
  if (item.role === undefined) return isOwnItem(item.type) ? "sure" : "no";
  if (!ROLES.includes(item.role) || (item.type !== undefined && item.type !== "message")) return "no";
  if (typeof item.content === "string") return item.type === "message" ? "sure" : "possible";
  if (!Array.isArray(item.content)) return "no";
  return item.content.some((part) => isObject(part) && OWN_PARTS.has(part.type)) ? "sure" : "no";
}

/** Items without a role name their kind; calls and their outputs are known by how the name ends. */
function isOwnItem(type: unknown): boolean {
  return typeof type === "string" && (OWN_ITEMS.has(type) || /_call(_output)?$|^mcp_approval_/.test(type));
}
