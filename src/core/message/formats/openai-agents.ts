/**
 * Items of the OpenAI Agents SDK (`AgentInputItem`). They are read as items of the Responses API. Fields that only the
 * SDK has are kept beside them, so that a changed item keeps its id and its state.
 */
import { type Fields, isObject } from "../../check-value.ts";
import { toJsonObject } from "../decode-value.ts";
import type { Message } from "../message.ts";
import type { DecodeContext, Format } from "./format.ts";
import { toAgentItem, toResponsesItem } from "./openai-agents-items.ts";
import { encodeOpenAiResponses } from "./openai-responses.ts";
import { decodeOpenAiResponses } from "./openai-responses-decode.ts";

export const openAiAgentsFormat: Format = {
  name: "openai-agents",
  variantOf: "openai-responses",
  recognize,
  decode,
  encode,
};

const OWN_TYPES: ReadonlySet<unknown> = new Set(["function_call_result", "hosted_tool_call", "computer_call_result"]);
const ROLES: readonly unknown[] = ["system", "user", "assistant"];

function recognize(item: unknown): "sure" | "possible" | "no" {
  if (!isObject(item) || item.call_id !== undefined || item.parts !== undefined || item.summary !== undefined) {
    return "no";
  }
  if (isAgentItem(item)) return "sure";
  if (item.type === "compaction") return "possible";
  if (!ROLES.includes(item.role) || (item.type !== undefined && item.type !== "message")) return "no";
  if (typeof item.content === "string") return "possible";
  return Array.isArray(item.content) && item.content.every(isPart) ? "possible" : "no";
}

function isPart(part: unknown): boolean {
  return isObject(part) && /^(input|output)_|^refusal$|^audio$/.test(String(part.type));
}

/** Whether the item has a mark that only the SDK's items have. */
function isAgentItem({ type, callId, providerData, content, summary }: Fields): boolean {
  if (OWN_TYPES.has(type) || isObject(providerData)) return true;
  const hasMedia = (part: unknown) => isObject(part) && (part.image !== undefined || part.file !== undefined);
  if (Array.isArray(content) && content.some((part) => isPart(part) && hasMedia(part))) return true;
  if (type === "reasoning") return Array.isArray(content) && summary === undefined;
  return typeof type === "string" && typeof callId === "string";
}

/** Types of items whose other fields are kept under one name of the item of the Responses API. */
const KEEPING: ReadonlySet<unknown> = new Set(["function_call", "function_call_result", "reasoning", "message"]);
const KEPT = "agents";

function decode(item: unknown, context: DecodeContext): readonly Message[] {
  if (!isObject(item)) return decodeOpenAiResponses(item, context);
  const { type = "message", id, status, providerData, name } = item;
  const fields = { id, status, providerData, ...(type === "function_call_result" ? { name } : {}) };
  const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
  const kept = KEEPING.has(type) && Object.keys(given).length > 0 ? { [KEPT]: toJsonObject(given, context.path) } : {};
  return decodeOpenAiResponses({ ...toResponsesItem(item), ...kept }, context);
}

function encode(messages: readonly Message[]): readonly unknown[] {
  return encodeOpenAiResponses(messages).map((item) => {
    const { [KEPT]: kept, ...fields } = item as Fields;
    return isObject(kept) ? { ...toAgentItem(fields), ...kept } : toAgentItem(fields);
  });
}
