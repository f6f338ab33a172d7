import type { FilePart, ImagePart, Message, ToolOutput, UnknownPart } from "./message.ts";

/** Returns the text of a message for previews and search: text, reasoning and tool output. */
export function messageText(message: Message): string {
  return message.parts
    .flatMap((part) => {
      if (part.type === "text" || part.type === "reasoning") return [part.text];
      return part.type === "tool-result" ? [outputText(part.output)] : [];
    })
    .join("\n");
}

/** Whether a user or an assistant message has text. Tool output, reasoning and system text do not count. */
export function hasText(message: Message): boolean {
  if (message.role !== "user" && message.role !== "assistant") return false;
  return message.parts.some((part) => part.type === "text" && /\S/u.test(part.text));
}

/** Returns `image: image/png`, or the kind alone if its type is unknown. */
export function describeMedia(part: ImagePart | FilePart | UnknownPart): string {
  return part.type === "unknown" || part.mediaType === undefined ? part.type : `${part.type}: ${part.mediaType}`;
}

/** Returns tool output as one text, with a description in place of media. */
export function outputText(output: ToolOutput): string {
  if (output.type !== "parts") return output.type === "text" ? output.text : JSON.stringify(output.value);
  return output.parts.map((part) => (part.type === "text" ? part.text : `[${describeMedia(part)}]`)).join("\n");
}
