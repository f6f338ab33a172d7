import type { Message } from "./message.ts";
import { outputText } from "./output-text.ts";

/** The words of a message, for previews and search: what was said and what tools gave back, not how it was wrapped. */
export function messageText(message: Message): string {
  return message.parts
    .flatMap((part) => {
      if (part.type === "text" || part.type === "reasoning") return [part.text];
      return part.type === "tool-result" ? [outputText(part.output)] : [];
    })
    .join("\n");
}
