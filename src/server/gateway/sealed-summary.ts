/**
 * Summaries as items that only this gateway can read: clients keep a compaction as an opaque text and send it back. The
 * text contains the whole summary, so that any server can open it, and the upstream gets it as a message.
 */
import { isJsonObject, type JsonObject, type JsonValue } from "../../core/message/json.ts";
import { replaceField } from "./replace-field.ts";

const PREFIX = "palimpsest.1.";

export function sealSummary(text: string): string {
  return `${PREFIX}${Buffer.from(text).toString("base64url")}`;
}

export function openSummary(sealed: JsonValue | undefined): string | undefined {
  if (typeof sealed !== "string" || !sealed.startsWith(PREFIX)) return undefined;
  return Buffer.from(sealed.slice(PREFIX.length), "base64url").toString();
}

/** Replaces the summaries of this gateway in the list of a body. Returns undefined if there are none. */
export function openSummaries(text: string, body: JsonObject): string | undefined {
  if (!text.includes(PREFIX) || !Array.isArray(body.input)) return undefined;
  const list: readonly JsonValue[] = body.input;
  const opened = list.map(openItem);
  return opened.every((item, index) => item === list[index])
    ? undefined
    : replaceField(text, "input", JSON.stringify(opened));
}

function openItem(item: JsonValue): JsonValue {
  if (!isJsonObject(item) || typeof item.type !== "string") return item;
  if (!["compaction", "compaction_summary", "context_compaction"].includes(item.type)) return item;
  const summary = openSummary(item.encrypted_content);
  if (summary === undefined) return item;
  return { type: "message", role: "user", content: [{ type: "input_text", text: summary }] };
}
