import type { FilePart, ImagePart, Message, ToolOutput, UnknownPart } from "./message.ts";

/** The words of a message, for previews and search: what was said and what tools gave back, not how it was wrapped. */
export function messageText(message: Message): string {
  return message.parts
    .flatMap((part) => {
      if (part.type === "text" || part.type === "reasoning") return [part.text];
      return part.type === "tool-result" ? [outputText(part.output)] : [];
    })
    .join("\n");
}

// Whether somebody said something: a user or an assistant, in words. Tool output, thoughts and system text are not
// that.
export function hasWords(message: Message): boolean {
  if (message.role !== "user" && message.role !== "assistant") return false;
  return message.parts.some((part) => part.type === "text" && /\S/u.test(part.text));
}

/** `image: image/png`, or the kind alone where its type is not known. */
export function describeMedia(part: ImagePart | FilePart | UnknownPart): string {
  return part.type === "unknown" || part.mediaType === undefined ? part.type : `${part.type}: ${part.mediaType}`;
}

/** What a tool gave back as one text, with a word in place of what is not text. */
export function outputText(output: ToolOutput): string {
  switch (output.type) {
    case "text":
      return output.text;
    case "json":
      return JSON.stringify(output.value);
    case "parts":
      return output.parts.map((part) => (part.type === "text" ? part.text : `[${describeMedia(part)}]`)).join("\n");
    default:
      return output satisfies never;
  }
}
