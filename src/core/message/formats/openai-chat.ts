/**
 * OpenAI's chat completions messages: what most servers and tools speak. A trip through here and back is deeply equal,
 * unknown fields and the exact spelling of arguments included.
 */
import { isObject, type SourceObject } from "./decode-value.ts";
import type { Format } from "./format.ts";
import { decodeOpenAiChat } from "./openai-chat-decode.ts";
import { encodeOpenAiChat } from "./openai-chat-encode.ts";

export const openAiChatFormat: Format = {
  name: "openai-chat",
  recognise,
  decode: decodeOpenAiChat,
  encode: encodeOpenAiChat,
};

const ROLES: readonly unknown[] = ["system", "developer", "user", "assistant", "tool", "function"];
const PART_TYPES: readonly unknown[] = ["text", "image_url", "input_audio", "file", "refusal"];

function recognise(item: unknown): "sure" | "possible" | "no" {
  if (!isObject(item) || !ROLES.includes(item.role) || item.type !== undefined || item.parts !== undefined) return "no";
  if (hasMark(item)) return "sure";
  if (item.role === "tool" || item.role === "function" || item.tool_calls !== undefined) return "no";
  return isChatContent(item.content) ? "possible" : "no";
}

function hasMark(item: SourceObject): boolean {
  if (item.role === "tool") return typeof item.tool_call_id === "string" && item.content !== undefined;
  if (item.role === "function") return typeof item.name === "string" && item.content !== undefined;
  if (isObject(item.function_call)) return true;
  const [call] = Array.isArray(item.tool_calls) ? item.tool_calls : [];
  return isObject(call) && (isObject(call.function) || isObject(call.custom));
}

/** A file part of the AI SDK has its data beside the type, a chat file has it inside. */
function isChatContent(content: unknown): boolean {
  if (typeof content === "string" || content === null) return true;
  if (!Array.isArray(content)) return false;
  return content.every(
    (part) => isObject(part) && PART_TYPES.includes(part.type) && (part.type !== "file" || isObject(part.file)),
  );
}
