/** A place that a search has found, as the page shows it. */
import { readFields, readNumber, readText } from "./fields.ts";
import { trimAfter, trimBefore } from "./trim-snippet.ts";
import type { Hit } from "./values.ts";

export function readHit(value: unknown): Hit {
  const hit = readFields(value);
  const snippet = readText(hit.snippet);
  const [start, length] = [readNumber(hit.matchStart), readNumber(hit.matchLength)];
  return {
    sessionId: readText(hit.sessionId),
    seq: readNumber(hit.seq),
    messageId: readText(hit.messageId),
    role: readText(hit.role),
    before: trimBefore(snippet.slice(0, start)),
    match: snippet.slice(start, start + length),
    after: trimAfter(snippet.slice(start + length)),
  };
}
