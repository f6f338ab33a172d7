/** Short texts for content that cannot be sent to a provider. They depend only on the part, so they never change. */
import type { FilePart, ImagePart, Part, ToolCallPart, ToolResultPart } from "../message/message.ts";
import { outputText } from "../message/message-text.ts";

export const NO_VISIBLE_TEXT = "(no visible text)";
export const NO_OUTPUT = "(no output)";
export const ASSISTANT_BEGINS = "(The conversation begins with the assistant.)";
export const ASSISTANT_CONTINUES = "(The assistant continues.)";

const MAX_QUOTED_LENGTH = 500;

const SYSTEM_NOTE = "[system note] ";

export function writeSystemNote(text: string): string {
  return `${SYSTEM_NOTE}${text}`;
}

export function readSystemNote(text: string): string | undefined {
  return text.startsWith(SYSTEM_NOTE) ? text.slice(SYSTEM_NOTE.length) : undefined;
}

export function writeMediaNote(part: ImagePart | FilePart): string {
  const name = part.type === "file" ? part.name : undefined;
  const link = part.source.type === "url" && !part.source.url.startsWith("data:") ? part.source.url : undefined;
  const known = [name, part.mediaType, link].filter((word) => word !== undefined && word !== "");
  return known.length === 0 ? `[${part.type}]` : `[${part.type}: ${known.join(", ")}]`;
}

/** Describes a call or result of a tool that another provider ran. */
export function writeToolNote(part: ToolCallPart | ToolResultPart): string {
  if (part.type === "tool-call") return `[${part.tool} was called: ${quoteShortened(JSON.stringify(part.input))}]`;
  return `[${part.tool ?? "The tool"} answered: ${quoteShortened(outputText(part.output))}]`;
}

/** Returns the text for a message that would otherwise be empty. */
export function writeEmptyNote(parts: readonly Part[]): string {
  const source = parts.find((part) => part.type === "source");
  if (source === undefined)
    return parts.some((part) => part.type === "unknown") ? "[unsupported content]" : NO_VISIBLE_TEXT;
  const named = [source.title, source.name, source.url].filter((word) => word !== undefined && word !== "");
  return `[source: ${named.length === 0 ? source.id : named.join(", ")}]`;
}

function quoteShortened(text: string): string {
  return text.length <= MAX_QUOTED_LENGTH ? text : `${text.slice(0, MAX_QUOTED_LENGTH)}…`;
}
