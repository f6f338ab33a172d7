import type { JsonObject } from "../../src/core/message/json.ts";

/** Counts the blocks of thinking in a request to Anthropic. */
export function countThinking({ messages }: JsonObject): number {
  return (messages as JsonObject[]).flatMap(blocksOf).filter(isThinking).length;
}

export function blocksOf({ content }: JsonObject): readonly JsonObject[] {
  return Array.isArray(content) ? (content as JsonObject[]) : [];
}

export function isThinking({ type }: JsonObject): boolean {
  return type === "thinking";
}
