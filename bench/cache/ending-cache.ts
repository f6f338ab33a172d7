/**
 * A prompt cache that remembers where messages end, as OpenAI documents it for GPT-5.6 and later. Every request
 * writes the prefixes that end with its newest user or tool message and with the caller's newest three marks. A later
 * request reads the longest written prefix that ends with a message of those roles or with a mark. There is no fallback
 * to an unmarked prefix, and no rounding.
 */
import type { CacheRules } from "../../src/core/budget/model-info.ts";
import type { CacheOutcome } from "../../src/replay/prompt-cache.ts";
import { PrefixChain } from "./prefix-chain.ts";
import type { SentBlock } from "./sent-block.ts";

const MARKS_WRITTEN = 3;
const PLACES_LOOKED_AT = 80;

export class EndingCache {
  readonly #rules: CacheRules;
  readonly #chain = new PrefixChain();
  readonly #expiresMs = new Map<number, number>();

  constructor(rules: CacheRules) {
    this.#rules = rules;
  }

  send(blocks: readonly SentBlock[], timeMs: number): CacheOutcome {
    const { minimumTokens, ttlMs } = this.#rules;
    const prefixes = this.#chain.prefixesOf(blocks);
    const totalTokens = prefixes.at(-1)?.tokens ?? 0;
    const placesOf = (isPlace: (block: SentBlock) => boolean) =>
      blocks.flatMap((block, index) => {
        const prefix = prefixes[index];
        return isPlace(block) && prefix !== undefined && prefix.tokens >= minimumTokens ? [prefix] : [];
      });
    const found = placesOf(({ endsInput, isMarked }) => endsInput || isMarked)
      .slice(-PLACES_LOOKED_AT)
      .findLast(({ id }) => (this.#expiresMs.get(id) ?? Number.NEGATIVE_INFINITY) >= timeMs);
    const written = [
      ...placesOf(({ endsInput }) => endsInput).slice(-1),
      ...placesOf(({ isMarked }) => isMarked).slice(-MARKS_WRITTEN),
    ];
    for (const { id } of found === undefined ? written : [...written, found]) this.#expiresMs.set(id, timeMs + ttlMs);
    const readTokens = found?.tokens ?? 0;
    const writeTokens = Math.max(0, ...written.map(({ tokens }) => tokens - readTokens));
    return { readTokens, writeTokens, plainTokens: totalTokens - readTokens - writeTokens };
  }
}
