/** Marks a prompt's breakpoints on its messages. Reasoning cannot have a mark, so the last other part gets it. */
import { findWireExtras, joinExtras, wireName } from "../../message/decode-value.ts";
import type { FormatName } from "../../message/formats/format.ts";
import type { Extras, Message, Part, ToolOutput } from "../../message/message.ts";
import { outputText } from "../../message/message-text.ts";

export const CACHE_MARK = { type: "ephemeral" } as const;
const MARK: Extras = { anthropic: { cacheControl: CACHE_MARK } };

/** `block`: the last block that can have a mark. `text`: the last text before media. `message`: the whole message. */
export type MarkPlace = "block" | "text" | "message";

export function markBreakpoints(
  messages: readonly Message[],
  { breakpoints, on }: { readonly breakpoints: readonly number[]; readonly on: MarkPlace },
): readonly Message[] {
  if (breakpoints.length === 0) return messages;
  const marked = new Set(breakpoints);
  const mark = (message: Message) => {
    if (on === "text" && isMedia(message.parts.at(-1))) return markText(message);
    return on === "message" ? { ...message, extras: joinExtras(message.extras, MARK) } : markBlock(message, MARK);
  };
  return messages.map((message, index) => (marked.has(index) ? mark(message) : message));
}

export const OPENAI_MARK = { mode: "explicit" } as const;

/** OpenAI accepts no mark on assistant messages, so the message before gets it. Without `wire`, uses AI SDK marks. */
export function markForOpenAi(
  messages: readonly Message[],
  { breakpoints, wire }: { readonly breakpoints: readonly number[]; readonly wire?: FormatName | undefined },
): readonly Message[] {
  if (breakpoints.length === 0) return messages;
  const bears = ({ role, parts }: Message): boolean => role !== "assistant" && parts.some(canHaveMark);
  const marked = new Set(breakpoints.map((index) => messages.slice(0, index + 1).findLastIndex(bears)));
  return messages.map((message, index) => (marked.has(index) ? markOpenAiBlock(message, wire) : message));
}

function markOpenAiBlock(message: Message, wire: FormatName | undefined): Message {
  if (wire === undefined) return markBlock(message, { openai: { promptCacheBreakpoint: OPENAI_MARK } });
  const extras: Extras = { [wireName(wire)]: { prompt_cache_breakpoint: OPENAI_MARK } };
  const place = message.parts.findLastIndex(canHaveMark);
  const part = message.parts[place];
  if (part?.type !== "tool-result") return markBlock(message, extras);
  // Only the results of functions are text.
  if (findWireExtras(part.extras, wire)?.type !== undefined) return message;
  return { ...message, parts: message.parts.with(place, { ...part, output: markOutput(part.output, extras) }) };
}

function markOutput(output: ToolOutput, extras: Extras): ToolOutput {
  const parts = output.type === "parts" ? output.parts : [{ type: "text", text: outputText(output) } as const];
  const place = parts.findLastIndex(({ type }) => type === "text");
  const last = parts[place];
  if (last?.type !== "text") return output;
  return { type: "parts", parts: parts.with(place, { ...last, extras: joinExtras(last.extras, extras) }) };
}

function isMedia(part: Part | undefined): boolean {
  return part?.type === "image" || part?.type === "file";
}

/** If a message has only media, the mark is on the media. */
function markText(message: Message): Message {
  const place = message.parts.findLastIndex(({ type }) => type === "text");
  const part = message.parts[place];
  if (part?.type !== "text") return markBlock(message, MARK);
  return { ...message, parts: message.parts.with(place, { ...part, extras: joinExtras(part.extras, MARK) }) };
}

function markBlock(message: Message, extras: Extras): Message {
  const place = message.parts.findLastIndex(canHaveMark);
  const part = message.parts[place];
  if (part === undefined || !canHaveMark(part)) return message;
  return { ...message, parts: message.parts.with(place, { ...part, extras: joinExtras(part.extras, extras) }) };
}

function canHaveMark(part: Part): part is Exclude<Part, { type: "unknown" }> {
  return part.type !== "reasoning" && part.type !== "source" && part.type !== "unknown";
}
