/** How large a prompt may be after a provider has refused a larger one. */
import type { RefusalFacts } from "../../core/plan/triggers/trigger-facts.ts";

/** A provider that refused a prompt gets one of at most this share of it. */
const SMALLER = 0.8;

/** What the provider said, in our own count: it may count otherwise than we do. */
export function findCeiling(tokens: number, said: RefusalFacts | undefined): number {
  const smaller = Math.floor(tokens * SMALLER);
  const { promptTokens, limitTokens } = said ?? {};
  if (promptTokens === undefined || limitTokens === undefined || promptTokens <= 0) return smaller;
  return Math.max(1, Math.min(smaller, Math.floor((tokens * limitTokens) / promptTokens)));
}
