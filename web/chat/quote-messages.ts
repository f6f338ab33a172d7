/** Quotes messages that the model no longer reads word for word, with their positions, in front of the next message. */
import type { Block, ShownMessage } from "../api/values.ts";

const SPEAKERS = { user: "the user", assistant: "the assistant", tool: "a tool", system: "the system" } as const;

export function quoteMessages(messages: readonly ShownMessage[], text: string): string {
  return [...messages.map(quote), text].filter((each) => each !== "").join("\n\n");
}

function quote({ seq, role, name, blocks }: ShownMessage): string {
  const lines = blocks.flatMap(writeBlock).join("\n").split("\n");
  const head = `Quoted from earlier, message ${seq ?? "?"} by ${name ?? SPEAKERS[role]}:`;
  return [head, ...lines.map((line) => (line === "" ? ">" : `> ${line}`))].join("\n");
}

function writeBlock(block: Block): readonly string[] {
  switch (block.type) {
    case "text":
      return [block.text];
    case "tool":
      return [`${block.call.tool}(${block.call.input})`, block.call.output ?? ""].filter((each) => each !== "");
    case "image":
      return ["[its image is attached to this message]"];
    case "attachment":
      return [`[${block.label}]`];
    case "reasoning":
      return [];
  }
}
