/** Reads the prompt that a session shows, to print it. */
import { isObject } from "../check-value.ts";
import { decodeInput } from "../message/formats/decode-input.ts";
import type { Message } from "../message/message.ts";

export interface ShownPrompt {
  readonly instructions: string | undefined;
  /** Their ids are their positions, from 1. */
  readonly messages: readonly Message[];
}

/** Reads a prompt in the format of the AI SDK. Instructions with a cache mark are a message there. */
export function readShownPrompt(prompt: Readonly<Record<string, unknown>>): ShownPrompt {
  const { instructions } = prompt;
  const text = isObject(instructions) ? instructions.content : instructions;
  const format = { format: "ai-sdk-model", fallbackId: (index: number) => String(index + 1) } as const;
  return {
    instructions: typeof text === "string" ? text : undefined,
    messages: decodeInput(prompt.messages, format).messages.flat(),
  };
}
