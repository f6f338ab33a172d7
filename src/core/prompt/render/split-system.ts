/** Separates the instructions and leading system messages from later ones. It changes no text. */
import type { Message } from "../../message/message.ts";
import type { CompactionUse } from "../use-compaction.ts";

export interface PromptSource {
  readonly instructions: string | undefined;
  readonly messages: readonly Message[];
  /** Indexes of messages with a cache breakpoint; -1 is the system text. */
  readonly breakpoints?: readonly number[] | undefined;
  /** The provider for which to write cache marks, if the format does not determine it. */
  readonly marksFor?: "anthropic" | "openai" | undefined;
  /** Whether to mark the last text of a message that ends in media. */
  readonly marksText?: boolean | undefined;
  /** Key by which a provider that caches automatically groups requests of one conversation. */
  readonly cacheKey?: string | undefined;
  /** The newest compaction that a provider wrote, and what it covers. */
  readonly compaction?: CompactionUse | undefined;
}

export interface SplitPrompt {
  /** The instructions and each leading system message that has text. */
  readonly system: readonly string[];
  readonly messages: readonly Message[];
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

/** Joins instructions as paragraphs, so that adding one does not change the earlier text. */
export function joinSystem(system: readonly string[]): string {
  return system.map((text) => text.trim()).join("\n\n");
}

/** Returns the cache key under OpenAI's name, which both of its formats use. */
export function cacheKeyOf({ cacheKey }: PromptSource): { readonly prompt_cache_key?: string } {
  return cacheKey === undefined ? {} : { prompt_cache_key: cacheKey };
}
