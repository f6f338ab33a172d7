/**
 * Prints a message as lines of text: text and tool results unchanged, a call as its tool and its arguments as JSON on
 * one line, in which escapes become spaces so that they join no two words.
 */
import type { JsonValue } from "../../../src/core/message/json.ts";
import type { Message, Part, ToolCallPart, ToolOutput } from "../../../src/core/message/message.ts";

export function printMessage({ parts }: Message): readonly string[] {
  return parts.flatMap((part) => printPart(part).split("\n"));
}

/** Returns the texts of a call's arguments, one on each line. Plain numbers are positions and limits, not names. */
export function argumentsOf({ input }: ToolCallPart): string {
  const leaves: string[] = [];
  const visit = (value: JsonValue): void => {
    if (typeof value === "string") leaves.push(value);
    else if (typeof value === "object" && value !== null) for (const item of Object.values(value)) visit(item ?? null);
  };
  visit(input);
  return leaves.join("\n");
}

/** Returns the words of a message without the names of fields. */
export function wordsOf({ parts }: Message): string {
  return parts.map((part) => (part.type === "tool-call" ? argumentsOf(part) : printPart(part))).join("\n");
}

function printPart(part: Part): string {
  switch (part.type) {
    case "text":
    case "reasoning":
      return part.text;
    case "tool-call":
      return `${part.tool} ${unescaped(JSON.stringify(part.input))}`;
    case "tool-result":
      return printOutput(part.output);
    case "image":
    case "file":
    case "source":
    case "unknown":
      return "";
    default:
      return part satisfies never;
  }
}

function printOutput(output: ToolOutput): string {
  if (output.type === "text") return output.text;
  if (output.type === "json") return unescaped(JSON.stringify(output.value));
  return output.parts.map((part) => (part.type === "text" ? part.text : "")).join("\n");
}

function unescaped(json: string): string {
  return json.replaceAll(/\\[nrt"]/g, "  ");
}
