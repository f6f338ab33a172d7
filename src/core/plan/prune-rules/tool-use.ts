/** A tool's result with the call that it answers, wherever in the view that call stands. Pairs, and judges nothing. */
import type { ViewMessage } from "../../log/view.ts";
import type { Part, ToolCallPart, ToolResultPart } from "../../message/message.ts";

export interface ToolUse {
  readonly item: ViewMessage;
  readonly part: ToolResultPart;
  /** The tool by the result's word, else by its call's. */
  readonly tool: string;
  readonly call: ToolCallPart | undefined;
}

/** Every result of the view, oldest first, by the part that it is. */
export function findToolUses(messages: readonly ViewMessage[]): ReadonlyMap<Part, ToolUse> {
  const calls = new Map<string, ToolCallPart>();
  const uses = new Map<Part, ToolUse>();
  for (const item of messages) {
    for (const part of item.message.parts) {
      if (part.type === "tool-call") calls.set(part.callId, part);
      if (part.type !== "tool-result") continue;
      const call = calls.get(part.callId);
      uses.set(part, { item, part, tool: part.tool ?? call?.tool ?? "a tool", call });
    }
  }
  return uses;
}

/** The words that a name is made of, in lower case: `readFile`, `read_file` and `fs.read-file` share two. */
export function nameWords(name: string): readonly string[] {
  return name
    .split(/[^A-Za-z]+|(?<=[a-z])(?=[A-Z])/)
    .filter((word) => word !== "")
    .map((word) => word.toLowerCase());
}
