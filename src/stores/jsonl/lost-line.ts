/**
 * What a damaged line seems to have been, from what can still be read of it. The answer says only what is shown in its
 * place: a line that was certainly no message leaves nothing to show, any other is taken for one.
 */
import { HOLE, numberOfKind } from "./stored-line.ts";

/** What a line begins and an entry goes on with; longer ones are not looked through. */
const READ_BYTES = 2 ** 16;
const ENTRY = /^\{"kind":"entry"|"entry":\{/;
const OTHER_LINE = /^\{"kind":"(?:session|head|counts|lease)"|"(?:header|head)":\{|"(?:counterId|fence)":/;
const OTHER_ENTRY = /"entry":\{[^{}]*?"type":"(?:summary|prune|truncate|clear|pin|unpin|undo|delete|request|note)"/;
const ASSISTANT = /"message":\{[^{}]*?"role":"assistant"/;

const LOST_USER = numberOfKind("lost-user");
const LOST_ASSISTANT = numberOfKind("lost-assistant");

/** The kind to keep for the place of an entry, or undefined for a line that took no place. */
export function kindOfLost(bytes: Buffer | undefined): number | undefined {
  const text = bytes?.toString("latin1", 0, READ_BYTES) ?? "";
  if (!ENTRY.test(text) && OTHER_LINE.test(text)) return undefined;
  if (OTHER_ENTRY.test(text)) return HOLE;
  return ASSISTANT.test(text) ? LOST_ASSISTANT : LOST_USER;
}

/** Who said what a lost place held; undefined where it held no message. */
export function lostRole(kind: number): "user" | "assistant" | undefined {
  if (kind === LOST_USER) return "user";
  return kind === LOST_ASSISTANT ? "assistant" : undefined;
}

/** Where nothing is known of the line that is missing. */
export const UNKNOWN_LOST = LOST_USER;
