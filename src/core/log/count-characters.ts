/** Counts the characters of all texts in the messages of a log: nearly all of the memory that they use. */
import type { Entry } from "./entry.ts";

export function countEntryCharacters(entries: readonly Entry[]): number {
  let sum = 0;
  for (const entry of entries) if (entry.type === "message") sum += countCharacters(entry.message.parts);
  return sum;
}

/** Counts the characters of all texts in a value. */
export function countCharacters(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 0;
  let sum = 0;
  for (const item of Object.values(value)) sum += countCharacters(item);
  return sum;
}
