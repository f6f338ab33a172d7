/**
 * Puts the marks of a prompt's breakpoints on its messages, in the words that Anthropic and the AI SDK share. Thoughts
 * cannot bear one, so the last other part of the message does. Providers that remember by themselves are told nothing.
 */
import { joinExtras } from "../../message/formats/decode-value.ts";
import type { Extras, Message, Part } from "../../message/message.ts";

export const CACHE_MARK = { type: "ephemeral" } as const;
const MARK: Extras = { anthropic: { cacheControl: CACHE_MARK } };

/** `block`: on the last block that can bear it; `message`: on the message as a whole, which then stays as it is. */
export function markBreakpoints(
  messages: readonly Message[],
  { breakpoints, on }: { readonly breakpoints: readonly number[]; readonly on: "block" | "message" },
): readonly Message[] {
  if (breakpoints.length === 0) return messages;
  const marked = new Set(breakpoints);
  const mark = on === "block" ? markBlock : markMessage;
  return messages.map((message, index) => (marked.has(index) ? mark(message) : message));
}

function markMessage(message: Message): Message {
  return { ...message, extras: joinExtras(message.extras, MARK) };
}

function markBlock(message: Message): Message {
  const place = message.parts.findLastIndex(bearsMark);
  const part = message.parts[place];
  if (part === undefined || !bearsMark(part)) return message;
  return { ...message, parts: message.parts.with(place, { ...part, extras: joinExtras(part.extras, MARK) }) };
}

function bearsMark(part: Part): part is Exclude<Part, { type: "unknown" }> {
  return part.type !== "reasoning" && part.type !== "source" && part.type !== "unknown";
}
