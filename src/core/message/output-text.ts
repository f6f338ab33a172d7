import type { ToolOutput } from "./message.ts";

/** What a tool gave back as one text, with a word in place of what is not text. */
export function outputText(output: ToolOutput): string {
  switch (output.type) {
    case "text":
      return output.text;
    case "json":
      return JSON.stringify(output.value);
    case "parts":
      return output.parts.map((part) => (part.type === "text" ? part.text : `[${part.type}]`)).join("\n");
    default:
      return output satisfies never;
  }
}
