/**
 * How names were used: by the tool that was given a name last, or else by whether somebody said it or it only stood in
 * output. It makes a list of names say what each is good for, at the price of one word for many.
 */
import type { Message, ToolCallPart } from "../../message/message.ts";
import type { Claim, Fact } from "../record.ts";
import { foldLabel } from "./fold-line.ts";

export interface NameUses {
  add(message: Message, names: readonly Claim[]): void;
  /** A word for how the name was used. */
  labelOf(name: Fact): string;
}

const SAID = "said";
const IN_OUTPUT = "in output";

export function createNameUses(): NameUses {
  const tools = new Map<string, string>();
  return {
    add(message, names) {
      const calls = message.parts.filter((part) => part.type === "tool-call");
      if (calls.length === 0) return;
      for (const { text } of names) {
        const call = calls.length === 1 ? calls[0] : findCall(calls, text);
        if (call !== undefined) tools.set(text.toLowerCase(), foldLabel(call.tool));
      }
    },
    labelOf: ({ text, saidBy }) => tools.get(text.toLowerCase()) ?? (saidBy === "tool" ? IN_OUTPUT : SAID),
  };
}

function findCall(calls: readonly ToolCallPart[], name: string): ToolCallPart | undefined {
  return calls.find(({ input }) => JSON.stringify(input).includes(name));
}
