/**
 * Compares text, calls and results of a client's message with those in the log. It ignores provider metadata and
 * thinking that the client left out, because many clients keep neither. A client that disconnected during a reply has
 * only its beginning: the same parts, the last one possibly cut short.
 */
import { hashMessage } from "./hash-message.ts";
import type { Message, Part } from "./message.ts";

export type MessageComparison = "same" | "beginning" | "different";

export function compareMessages(sent: Message, stored: Message): MessageComparison {
  if (sent.role !== stored.role || sent.name !== stored.name) return "different";
  const whole = stored.parts.map(dropProviderFields);
  const parts = sent.parts.filter((part) => part.type !== "reasoning" || part.text !== "").map(dropProviderFields);
  let place = 0;
  for (const [index, part] of parts.entries()) {
    while (isLeftOut(part, whole[place])) place += 1;
    const other = whole[place];
    if (other === undefined) return "different";
    if (hashPart(part) !== hashPart(other)) {
      return index === parts.length - 1 && isCutShort(part, other) ? "beginning" : "different";
    }
    place += 1;
  }
  return whole.slice(place).every(({ type }) => type === "reasoning") ? "same" : "beginning";
}

/** Whether this thinking of the log is missing from the client's message. */
function isLeftOut(part: Part, other: Part | undefined): boolean {
  if (other?.type !== "reasoning") return false;
  return part.type !== "reasoning" || !other.text.startsWith(part.text);
}

/** While a call is still being written, only its name is certain. */
function isCutShort(part: Part, whole: Part): boolean {
  if (part.type === "text" || part.type === "reasoning") {
    return whole.type === part.type && whole.text.startsWith(part.text);
  }
  return part.type === "unknown" && part.format === "ai-sdk-ui" && whole.type === "tool-call";
}

function dropProviderFields(part: Part): Part {
  switch (part.type) {
    case "unknown":
      return part;
    case "tool-call":
      return { ...part, inputText: undefined, extras: undefined };
    default:
      return { ...part, extras: undefined };
  }
}

function hashPart(part: Part): string {
  return hashMessage({ id: "", role: "assistant", parts: [part] });
}
