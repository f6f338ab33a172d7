/** Splits a message that was joined from neighbours of one role, as formats with alternating roles require. */
import type { Part } from "../../core/message/message.ts";

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
