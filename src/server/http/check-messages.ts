/** Limits the size of one message in any format: its number of parts, and its text without attachments. */
import { type Fields, isObject } from "../../core/check-value.ts";
import { listWords } from "../../core/language/list-words.ts";
import { RefusedRequest } from "./answer-error.ts";

const MAX_PARTS = 1_000;
const MAX_CHARACTERS = 1_000_000;
const ATTACHMENTS: readonly unknown[] = listWords("file image image_url image-data input_image input_file media");

const FIELDS = ["messages", "message", "next"] as const;

export function checkMessages(body: unknown): void {
  if (!isObject(body)) return;
  for (const field of FIELDS) {
    const given = body[field];
    const messages = Array.isArray(given) ? given : [given];
    for (const [index, message] of messages.entries()) {
      if (isObject(message)) checkMessage(message, `body.${field}.${index}`);
    }
  }
}

function checkMessage(message: Fields, path: string): void {
  for (const name of ["content", "parts"]) {
    const parts = message[name];
    if (Array.isArray(parts) && parts.length > MAX_PARTS) {
      throw new RefusedRequest("request-too-large", `${path}.${name}: expected at most ${MAX_PARTS} parts.`);
    }
  }
  if (countBodyCharacters(message) <= MAX_CHARACTERS) return;
  const text = `${path}: more than ${MAX_CHARACTERS} characters without attachments. Split the message.`;
  throw new RefusedRequest("request-too-large", text);
}

/** Counts the characters of all texts. The depth was limited when the body was read. */
function countBodyCharacters(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + countBodyCharacters(item), 0);
  if (!isObject(value) || isAttachment(value)) return 0;
  return Object.values(value).reduce<number>((sum, item) => sum + countBodyCharacters(item), 0);
}

function isAttachment(value: Fields): boolean {
  return ATTACHMENTS.includes(value.type) || "inlineData" in value || "inline_data" in value;
}
