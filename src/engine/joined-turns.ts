/** Formats in which neighbours of one role are one message, and what such a message is taken apart into. */
import type { FormatName } from "../core/message/formats/format.ts";
import type { Part } from "../core/message/message.ts";

/** Anthropic and Gemini want users and assistants in turn, and a user first. */
export function takesTurns(format: FormatName): boolean {
  return format === "anthropic" || format === "gemini";
}

/** The parts of the messages that were joined to a cover: each is taken to begin with a text. */
export function splitJoined(parts: readonly Part[]): readonly (readonly Part[])[] {
  const groups: Part[][] = [];
  for (const part of parts) {
    const last = groups.at(-1);
    if (last === undefined || part.type === "text") groups.push([part]);
    else last.push(part);
  }
  return groups;
}
