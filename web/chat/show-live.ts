/** A message that is under way, as the page shows messages. */
import type { UIMessage } from "ai";
import { findPreview } from "../api/images.ts";
import { writeValue } from "../api/read-entries.ts";
import type { Block, ShownMessage } from "../api/values.ts";

export function showLive(message: UIMessage): ShownMessage {
  return {
    id: message.id,
    role: message.role === "user" ? "user" : "assistant",
    blocks: message.parts.flatMap(showPart),
    isErased: false,
  };
}

function showPart(part: UIMessage["parts"][number]): readonly Block[] {
  if (part.type === "text") return part.text === "" ? [] : [{ type: "text", text: part.text }];
  if (part.type === "reasoning") return part.text === "" ? [] : [{ type: "reasoning", text: part.text }];
  if (part.type === "file") {
    const [url, name] = [findPreview(part.url), part.filename ?? part.mediaType];
    return [url === undefined ? { type: "attachment", label: name } : { type: "image", url, name }];
  }
  if (!("toolCallId" in part)) return [];
  const failed = part.state === "output-error";
  const output = failed ? part.errorText : part.state === "output-available" ? writeValue(part.output) : undefined;
  const tool = part.type === "dynamic-tool" ? part.toolName : part.type.replace(/^tool-/, "");
  return [{ type: "tool", call: { callId: part.toolCallId, tool, input: writeValue(part.input), output, failed } }];
}
