/**
 * Half a surrogate pair cannot be written as UTF-8, and providers refuse the request that holds one. The log keeps what
 * was said to the last unit; what is shown has the replacement character in such places.
 */
import { KnownForms } from "./known-forms.ts";
import type { Message, Part } from "./message.ts";

const checked = new KnownForms<Message>();

/** The same object where there is nothing to replace. */
export function wellFormedMessage(message: Message): Message {
  const known = checked.get(message);
  if (known !== undefined) return known;
  const parts = message.parts.map((part) => (isWellFormed(part) ? part : wellFormedPart(part)));
  const untouched = parts.every((part, index) => part === message.parts[index]);
  const shown = untouched ? message : { ...message, parts };
  checked.set(message, shown);
  return shown;
}

function wellFormedPart(part: Part): Part {
  return mend(part) as Part;
}

function isWellFormed(value: unknown): boolean {
  if (typeof value === "string") return value.isWellFormed();
  if (typeof value !== "object" || value === null) return true;
  return Object.entries(value).every(([key, field]) => key.isWellFormed() && isWellFormed(field));
}

function mend(value: unknown): unknown {
  if (typeof value === "string") return value.toWellFormed();
  if (Array.isArray(value)) return value.map(mend);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key.toWellFormed(), mend(field)]));
}
