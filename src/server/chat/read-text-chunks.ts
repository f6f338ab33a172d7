/**
 * Adds the chunks of a plain text reply to a UI message, as the AI SDK's reader does. Other chunks, such as those of
 * tools, need the AI SDK, which is installed if a model is.
 */
import type { TextUIPart, UIMessage, UIMessageChunk } from "ai";

/** Returns undefined if a chunk is of another kind. */
export function readTextChunks(message: UIMessage, chunks: readonly UIMessageChunk[]): UIMessage | undefined {
  const parts = [...message.parts];
  const open = new Map<string, TextUIPart>();
  for (const chunk of chunks) {
    if ("providerMetadata" in chunk) return undefined;
    switch (chunk.type) {
      case "start-step":
        parts.push({ type: "step-start" });
        break;
      case "finish-step":
        break;
      case "text-start": {
        const part: TextUIPart = { type: "text", text: "", state: "streaming" };
        open.set(chunk.id, part);
        parts.push(part);
        break;
      }
      case "text-delta":
      case "text-end": {
        const part = open.get(chunk.id);
        if (part === undefined) return undefined;
        if (chunk.type === "text-delta") part.text += chunk.delta;
        else part.state = "done";
        break;
      }
      default:
        if (!("transient" in chunk && chunk.transient === true)) return undefined;
    }
  }
  return { ...message, parts };
}
