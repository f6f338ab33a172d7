/** A tool's result with the call that it answers, wherever in the view that call stands. Pairs, and judges nothing. */
import type { ViewMessage } from "../../log/view.ts";
import type { ToolCallPart, ToolResultPart } from "../../message/message.ts";

/** One part of one message. Broken logs repeat messages, so a part does not say where it stands. */
export type Place = `${number}/${number}`;

export interface ToolUse {
  readonly item: ViewMessage;
  readonly part: ToolResultPart;
  readonly place: Place;
  /** The tool by the result's word, else by its call's. */
  readonly tool: string;
  readonly call: ToolCallPart | undefined;
}

/** Every result of the view, oldest first. */
export function findToolUses(messages: readonly ViewMessage[]): readonly ToolUse[] {
  const calls = new Map<string, ToolCallPart>();
  return messages.flatMap((item) =>
    item.message.parts.flatMap((part, partIndex): ToolUse[] => {
      if (part.type === "tool-call") calls.set(part.callId, part);
      if (part.type !== "tool-result") return [];
      const call = calls.get(part.callId);
      const tool = part.tool ?? call?.tool ?? "a tool";
      return [{ item, part, place: placeOf(item, partIndex), tool, call }];
    }),
  );
}

export function placeOf({ seq }: ViewMessage, partIndex: number): Place {
  return `${seq}/${partIndex}`;
}

/** The words that a name is made of, in lower case: `readFile`, `read_file` and `fs.read-file` share two. */
export function nameWords(name: string): readonly string[] {
  return name
    .split(/[^A-Za-z]+|(?<=[a-z])(?=[A-Z])/)
    .filter((word) => word !== "")
    .map((word) => word.toLowerCase());
}
