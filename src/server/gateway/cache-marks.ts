/** Marks the end of Anthropic messages for the provider's cache, within the four marks that a request may have. */
import type { JsonObject, JsonValue } from "../../core/message/json.ts";

const MAX_MARKS = 4;
const MARK = { type: "ephemeral" } as const;
/** The API refuses a mark on these. */
const UNMARKED: readonly unknown[] = ["thinking", "redacted_thinking"];

/** Marks the last message and, if there is room, the summary at the start. `used` marks are outside of the messages. */
export function addCacheMarks(messages: readonly JsonObject[], used: number): readonly JsonObject[] {
  const places = [messages.length - 1, 0].slice(0, Math.max(0, MAX_MARKS - used));
  return messages.map((message, index) => (places.includes(index) ? markLastBlock(message) : message));
}

function markLastBlock(message: JsonObject): JsonObject {
  const { content } = message;
  const blocks: readonly JsonValue[] =
    typeof content === "string" ? [{ type: "text", text: content }] : Array.isArray(content) ? content : [];
  const last = blocks.at(-1) as JsonObject | undefined;
  if (last === undefined || UNMARKED.includes(last.type)) return message;
  return { ...message, content: [...blocks.slice(0, -1), { ...last, cache_control: MARK }] };
}
