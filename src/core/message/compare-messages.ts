/**
 * Compares a message that a client sends with the one that the log has: words, calls and results. Metadata of a provider,
 * such as the signature of thinking, is no part of that, nor is thinking that the client left out: many clients keep
 * neither. A client that left while a reply was streamed has a beginning: the same parts, the last perhaps cut short.
 */
import { hashMessage } from "./hash-message.ts";
import type { Message, Part } from "./message.ts";

export type SaidComparison = "same" | "beginning" | "different";

export function compareSaid(sent: Message, stored: Message): SaidComparison {
  if (sent.role !== stored.role || sent.name !== stored.name) return "different";
  const whole = stored.parts.map(bare);
  const parts = sent.parts.filter((part) => part.type !== "reasoning" || part.text !== "").map(bare);
  let place = 0;
  for (const [index, part] of parts.entries()) {
    while (isLeftOut(part, whole[place])) place += 1;
    const other = whole[place];
    if (other === undefined) return "different";
    if (hashOf(part) !== hashOf(other)) {
      return index === parts.length - 1 && isCutShort(part, other) ? "beginning" : "different";
    }
    place += 1;
  }
  return whole.slice(place).every(({ type }) => type === "reasoning") ? "same" : "beginning";
}

/** Thinking of the log that the client does not have at this place. */
function isLeftOut(part: Part, other: Part | undefined): boolean {
  if (other?.type !== "reasoning") return false;
  return part.type !== "reasoning" || !other.text.startsWith(part.text);
}

/** Of a call that was still being written only the name is known for sure. */
function isCutShort(part: Part, whole: Part): boolean {
  if (part.type === "text" || part.type === "reasoning") {
    return whole.type === part.type && whole.text.startsWith(part.text);
  }
  return part.type === "unknown" && part.format === "ai-sdk-ui" && whole.type === "tool-call";
}

/** The part without what only a provider reads. */
function bare(part: Part): Part {
  switch (part.type) {
    case "unknown":
      return part;
    case "tool-call":
      return { ...part, inputText: undefined, extras: undefined };
    default:
      return { ...part, extras: undefined };
  }
}

function hashOf(part: Part): string {
  return hashMessage({ id: "", role: "assistant", parts: [part] });
}
