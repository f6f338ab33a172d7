import type { FilePart, ImagePart, ToolOutput, UnknownPart } from "./message.ts";

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
