/**
 * A provider's prompt cache, by content: a prefix is found if all its blocks are equal and it was written or read
 * within its lifetime. With markers, a request marks its last block, so only whole earlier requests can be read.
 * Without markers, a prefix that ends at any block border can be read, in steps of 128 tokens.
 *
 * It leaves out the look-back of twenty blocks: a second marker on the newest block of the previous request, which
 * every client can set, makes it unnecessary.
 */
import type { CacheRules } from "../core/budget/model-info.ts";
import type { PromptBlock } from "./prompt-blocks.ts";

export interface CacheOutcome {
  readonly readTokens: number;
  readonly writeTokens: number;
  /** Tokens that were neither read nor written, because the prompt is below the provider's minimum. */
  readonly plainTokens: number;
}

interface Node {
  readonly next: Map<number, Node>;
  /** When the prefix expires; -Infinity if it was never written. */
  expiresMs: number;
  isMarked: boolean;
}

const AUTOMATIC_STEP_TOKENS = 128;

export class PromptCache {
  readonly #rules: CacheRules;
  readonly #root: Node = emptyNode();

  constructor(rules: CacheRules) {
    this.#rules = rules;
  }

  send(blocks: readonly Pick<PromptBlock, "content" | "tokens">[], timeMs: number): CacheOutcome {
    const { minimumTokens, breakpoints, ttlMs } = this.#rules;
    const totalTokens = blocks.reduce((sum, block) => sum + block.tokens, 0);
    if (totalTokens < minimumTokens) return { readTokens: 0, writeTokens: 0, plainTokens: totalTokens };
    let node = this.#root;
    let walkedTokens = 0;
    let foundTokens = 0;
    let isUnbroken = true;
    for (const block of blocks) {
      const next = node.next.get(block.content) ?? emptyNode();
      node.next.set(block.content, next);
      walkedTokens += block.tokens;
      const isAlive = next.expiresMs >= timeMs;
      isUnbroken &&= isAlive;
      if (isUnbroken && (breakpoints === 0 || next.isMarked)) foundTokens = walkedTokens;
      next.expiresMs = timeMs + ttlMs;
      node = next;
    }
    node.isMarked = true;
    const readTokens = this.#readable(foundTokens);
    return { readTokens, writeTokens: totalTokens - readTokens, plainTokens: 0 };
  }

  #readable(foundTokens: number): number {
    const { minimumTokens, breakpoints } = this.#rules;
    if (foundTokens < minimumTokens) return 0;
    return breakpoints > 0 ? foundTokens : foundTokens - (foundTokens % AUTOMATIC_STEP_TOKENS);
  }
}

function emptyNode(): Node {
  return { next: new Map(), expiresMs: Number.NEGATIVE_INFINITY, isMarked: false };
}
