/**
 * A prompt cache with explicit marks, as Anthropic documents its own. A prefix is written only at each mark, all its
 * blocks have to be equal, and from a mark the provider looks back over twenty blocks. An entry expires
 * when its lifetime has passed since the last read or write.
 */
import type { CacheRules } from "../../src/core/budget/model-info.ts";
import type { CacheOutcome } from "../../src/replay/prompt-cache.ts";
import { PrefixChain } from "./prefix-chain.ts";
import type { SentBlock } from "./sent-block.ts";

/** How many blocks the provider looks back, counting the marked block. */
const LOOK_BACK_BLOCKS = 20;

export class MarkedCache {
  readonly #rules: CacheRules;
  readonly #chain = new PrefixChain();
  readonly #expiresMs = new Map<number, number>();

  constructor(rules: CacheRules) {
    this.#rules = rules;
  }

  send(blocks: readonly SentBlock[], timeMs: number): CacheOutcome {
    const prefixes = this.#chain.prefixesOf(blocks);
    const totalTokens = prefixes.at(-1)?.tokens ?? 0;
    const marks = blocks.flatMap(({ isMarked }, index) => (isMarked ? [index] : []));
    if (marks.length > this.#rules.breakpoints)
      throw new Error(`${marks.length} marks are more than a request may have.`);
    const useful = marks.filter((mark) => (prefixes[mark]?.tokens ?? 0) >= this.#rules.minimumTokens);
    const found = useful.map((mark) => this.#findBefore(mark, { prefixes, timeMs }));
    const readTokens = Math.max(0, ...found.map((index) => prefixes[index ?? -1]?.tokens ?? 0));
    const kept = [...useful, ...found].flatMap((index) => prefixes[index ?? -1]?.id ?? []);
    for (const id of kept) this.#expiresMs.set(id, timeMs + this.#rules.ttlMs);
    const markedTokens = prefixes[useful.at(-1) ?? -1]?.tokens ?? 0;
    const writeTokens = Math.max(0, markedTokens - readTokens);
    return { readTokens, writeTokens, plainTokens: totalTokens - readTokens - writeTokens };
  }

  #findBefore(
    mark: number,
    { prefixes, timeMs }: { readonly prefixes: readonly { readonly id: number }[]; readonly timeMs: number },
  ): number | undefined {
    for (let index = mark; index >= 0 && index > mark - LOOK_BACK_BLOCKS; index -= 1) {
      const expiresMs = this.#expiresMs.get(prefixes[index]?.id ?? -1);
      if (expiresMs !== undefined && expiresMs >= timeMs) return index;
    }
    return undefined;
  }
}
