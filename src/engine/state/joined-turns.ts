/** Splits a message that was joined from neighbours of one role, as formats with alternating roles require. */
import type { Part } from "../../core/message/message.ts";

/** The last two requests are kept. More texts than that are the blocks of one request. */
const MOST_REQUESTS = 2;

/** Returns the parts of each message that was joined to a cover; up to two are separated, by their texts. */
export function splitJoined(parts: readonly Part[]): readonly (readonly Part[])[] {
  const groups: Part[][] = [];
  for (const part of parts) {
    const last = groups.at(-1);
    if (last === undefined || part.type === "text") groups.push([part]);
    else last.push(part);
  }
  return groups.length <= MOST_REQUESTS ? groups : [parts];
}
