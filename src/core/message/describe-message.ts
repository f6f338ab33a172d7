/** Formats a message for people: the role, then its parts as lines. Long output is shortened. */
import type { JsonValue } from "./json.ts";
import type { Message, Part, ToolOutput } from "./message.ts";
import { takeHead } from "./whole-text.ts";

const SHORT = 200;

/** `isFull` shows tool calls and results in full. */
export function describeMessage({ id, role, name, parts }: Message, isFull: boolean): readonly string[] {
  const who = name === undefined ? role : `${role} (${toLine(name)})`;
  const lines = parts.flatMap((part) => describePart(part, isFull).split(LINE_END));
  return [`${who}  [${toLine(id)}]`, ...lines.map((line) => `  ${line}`)];
}

/** Everything that a program may show as the start of a line. A part's lines are indented, so that none looks like a head. */
const LINE_END = /\r\n|[\n\v\f\r\u0085\u2028\u2029]/;

function toLine(text: string): string {
  return text.replaceAll(/[\s\p{Cc}]+/gu, " ");
}

function describePart(part: Part, isFull: boolean): string {
  const cut = (text: string) => (isFull ? text : shortenToLine(text));
  switch (part.type) {
    case "text":
      return part.text;
    case "reasoning":
      return `(thought: ${cut(part.text)})`;
    case "tool-call":
      return `(calls ${part.tool}: ${cut(JSON.stringify(part.input))})`;
    case "tool-result":
      return `(${part.tool ?? "tool"} ${part.failed ? "failed" : "returned"}: ${cut(writeOutput(part.output))})`;
    case "image":
    case "file":
      return `(${part.type}${part.mediaType === undefined ? "" : `, ${part.mediaType}`})`;
    case "source":
      return `(source: ${part.title ?? part.url ?? part.id})`;
    case "unknown":
      return `(a part of ${part.format})`;
    default:
      return part satisfies never;
  }
}

function writeOutput(output: ToolOutput): string {
  switch (output.type) {
    case "text":
      return output.text;
    case "json":
      return JSON.stringify(output.value satisfies JsonValue);
    case "parts":
      return output.parts.map((part) => (part.type === "text" ? part.text : `(${part.type})`)).join("\n");
    default:
      return output satisfies never;
  }
}

function shortenToLine(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length <= SHORT ? line : `${takeHead(line, SHORT)}… ${text.length} characters`;
}
