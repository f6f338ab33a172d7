/**
 * A message that the model no longer reads in its own words, brought back into the conversation: quoted in front of what
 * is said next, with its place, so that the model reads it once more and everybody sees where it is from.
 */
import type { Block, ShownMessage } from "../api/values.ts";

const SPEAKERS = { user: "the user", assistant: "the assistant", tool: "a tool", system: "the system" } as const;

export function quoteRecalled(messages: readonly ShownMessage[], text: string): string {
  return [...messages.map(quote), text].filter((each) => each !== "").join("\n\n");
}

function quote({ seq, role, name, blocks }: ShownMessage): string {
  const lines = blocks.flatMap(writeBlock).join("\n").split("\n");
  const head = `Recalled from earlier, message ${seq ?? "?"} by ${name ?? SPEAKERS[role]}:`;
  return [head, ...lines.map((line) => (line === "" ? ">" : `> ${line}`))].join("\n");
}

function writeBlock(block: Block): readonly string[] {
  switch (block.type) {
    case "text":
      return [block.text];
    case "tool":
      return [`${block.call.tool}(${block.call.input})`, block.call.output ?? ""].filter((each) => each !== "");
    case "image":
      return ["[its image comes with this message]"];
    case "attachment":
      return [`[${block.label}]`];
    case "reasoning":
      return [];
  }
}
