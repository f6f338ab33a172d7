/** What Anthropic asks of thoughts: they go back signed, unmoved, and never at the end of a message. */
import type { AnthropicPrompt, Block } from "./anthropic-prompt.ts";
import type { Fault } from "./complaint.ts";

export function isThought({ type }: Block): boolean {
  return type === "thinking" || type === "redacted_thinking";
}

export function findUnsignedThoughts({ turns }: AnthropicPrompt): readonly Fault[] {
  return turns.flatMap(({ blocks }) =>
    blocks.flatMap((block) => {
      const proof = block.type === "thinking" ? block.source.signature : block.source.data;
      return isThought(block) && (typeof proof !== "string" || proof === "") ? [{ path: block.path }] : [];
    }),
  );
}

export function findMisplacedThoughts({ turns }: AnthropicPrompt): readonly Fault[] {
  return turns.flatMap(({ blocks }) => {
    const [first] = blocks;
    const calls = blocks.some((block) => block.type === "tool_use");
    if (first === undefined || isThought(first) || !calls) return [];
    return blocks.filter(isThought).map(({ path }) => ({ path }));
  });
}

export function findTrailingThoughts({ turns }: AnthropicPrompt): readonly Fault[] {
  return turns.flatMap(({ blocks }) => {
    const last = blocks.at(-1);
    return last !== undefined && isThought(last) ? [{ path: last.path }] : [];
  });
}
