/** Replaces lone surrogates, which make providers refuse a request. The log keeps the original. */
import { FormCache } from "./known-forms.ts";
import { type Message, type Part, withParts } from "./message.ts";

const cache = new FormCache<Message>();

/** Returns the same object if there is nothing to replace. */
export function makeWellFormed(message: Message): Message {
  return cache.find(message, () =>
    withParts(
      message,
      message.parts.map((part) => (isWellFormed(part) ? part : (replaceHalves(part) as Part))),
    ),
  );
}

function isWellFormed(value: unknown): boolean {
  if (typeof value === "string") return value.isWellFormed();
  if (typeof value !== "object" || value === null) return true;
  return Object.entries(value).every(([key, field]) => key.isWellFormed() && isWellFormed(field));
}

function replaceHalves(value: unknown): unknown {
  if (typeof value === "string") return value.toWellFormed();
  if (Array.isArray(value)) return value.map(replaceHalves);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key.toWellFormed(), replaceHalves(field)]));
}
