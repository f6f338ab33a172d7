/**
 * Instructions and the system messages at the beginning are one thing to every provider; a system message that comes
 * later is not. This file tells the two apart and changes no text.
 */
import type { Message } from "../../message/message.ts";

export interface PromptSource {
  readonly instructions: string | undefined;
  readonly messages: readonly Message[];
  /** After which messages a provider is told to remember what it has read; -1 is the system text. */
  readonly breakpoints?: readonly number[] | undefined;
  /** Whose marks are written where the shape leaves it open, and whether OpenAI's wires have any at all. */
  readonly marksFor?: "anthropic" | "openai" | undefined;
  /** Whether a mark stands on the last text of a message that ends in media, and not after them. */
  readonly marksText?: boolean | undefined;
  /** By what a provider that finds prefixes itself brings requests of one conversation together. */
  readonly cacheKey?: string | undefined;
}

export interface SplitPrompt {
  /** The instructions and each leading system message, those with words in them. */
  readonly system: readonly string[];
  readonly messages: readonly Message[];
  /** Of `messages`. */
  readonly breakpoints: readonly number[];
  readonly isSystemMarked: boolean;
}

export function splitSystem({ instructions, messages, breakpoints = [] }: PromptSource): SplitPrompt {
  const firstOther = messages.findIndex((message) => message.role !== "system");
  const leading = firstOther === -1 ? messages : messages.slice(0, firstOther);
  const texts = [instructions ?? "", ...leading.map(systemText)];
  return {
    system: texts.filter((text) => text.trim() !== ""),
    messages: messages.slice(leading.length),
    breakpoints: breakpoints.map((index) => index - leading.length).filter((index) => index >= 0),
    isSystemMarked: breakpoints.some((index) => index < leading.length),
  };
}

export function systemText(message: Message): string {
  return message.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n\n");
}

/** For requests whose instructions are one text: paragraphs, so that a further one leaves the earlier as they are. */
export function joinSystem(system: readonly string[]): string {
  return system.map((text) => text.trim()).join("\n\n");
}

/** OpenAI's name for it, in both of its wires. */
export function cacheKeyOf({ cacheKey }: PromptSource): { readonly prompt_cache_key?: string } {
  return cacheKey === undefined ? {} : { prompt_cache_key: cacheKey };
}
