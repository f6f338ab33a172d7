/**
 * What leaves in an export holds no secret that has a known format: each becomes a token, the same one wherever it
 * stands. A message that changed by it gets the hash of what it is now. Bytes of images and files are left alone.
 */
import type { Entry } from "../../core/log/entry.ts";
import { hashMessage } from "../../core/message/hash-message.ts";
import { redactMessage } from "../../core/summary/secrets/redact-messages.ts";
import { redactSecrets } from "../../core/summary/secrets/redact-secrets.ts";

export function redactEntry(entry: Entry): Entry {
  const isSaid = entry.type === "message" && entry.erased !== true;
  const redacted = redactTexts(isSaid ? { ...entry, message: redactMessage(entry.message) } : entry);
  if (redacted.type !== "message" || redacted.erased === true) return redacted;
  return { ...redacted, hash: hashMessage(redacted.message) };
}

/** The same shape, with other words where a secret stood. */
export function redactTexts<Value>(value: Value): Value {
  return redactUnder("", value) as Value;
}

function redactUnder(key: string, value: unknown): unknown {
  if (typeof value === "string") return redactText(key, value);
  if (Array.isArray(value)) return value.map((item) => redactUnder(key, item));
  if (typeof value !== "object" || value === null || isBytes(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, redactUnder(name, item)]));
}

/** Some secrets are known by what they are called, so the name is read with them. */
function redactText(name: string, text: string): string {
  const before = `${name}: "`;
  const named = redactSecrets(before + text).text;
  return named.startsWith(before) ? named.slice(before.length) : redactSecrets(text).text;
}

function isBytes(value: object): boolean {
  return "type" in value && value.type === "data" && "base64" in value;
}
