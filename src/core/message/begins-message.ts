/**
 * Whether one message is the beginning of another: the same parts, the last of them perhaps cut short. A client that
 * left while a reply was streamed has such a beginning of what the log has.
 */
import { hashMessage } from "./hash-message.ts";
import type { Message, Part } from "./message.ts";

export function beginsMessage(beginning: Message, whole: Message): boolean {
  const { parts } = beginning;
  if (beginning.role !== whole.role || parts.length > whole.parts.length) return false;
  return parts.every((part, index) => {
    const other = whole.parts[index];
    if (other === undefined) return false;
    return isSame(part, other) || (index === parts.length - 1 && isCutShort(part, other));
  });
}

function isSame(part: Part, other: Part): boolean {
  return hashOf(part) === hashOf(other);
}

/** Of a call that was still being written only the name is known for sure. */
function isCutShort(part: Part, whole: Part): boolean {
  if (part.type === "text" || part.type === "reasoning") {
    return whole.type === part.type && whole.text.startsWith(part.text);
  }
  return part.type === "unknown" && part.format === "ai-sdk-ui" && whole.type === "tool-call";
}

function hashOf(part: Part): string {
  return hashMessage({ id: "", role: "assistant", parts: [part] });
}
