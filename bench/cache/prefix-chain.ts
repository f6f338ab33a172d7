/** Numbers every prefix of a prompt: equal blocks in the same order have the same number. */
import type { SentBlock } from "./sent-block.ts";

export interface Prefix {
  readonly id: number;
  /** Tokens of all blocks up to here. */
  readonly tokens: number;
}

export class PrefixChain {
  readonly #ids = new Map<string, number>();

  /** One number for each block: the prefix that ends with it. */
  prefixesOf(blocks: readonly Pick<SentBlock, "content" | "tokens">[]): readonly Prefix[] {
    let id = -1;
    let sum = 0;
    return blocks.map(({ content, tokens }) => {
      const key = `${id} ${content}`;
      id = this.#ids.get(key) ?? this.#ids.size;
      this.#ids.set(key, id);
      sum += tokens;
      return { id, tokens: sum };
    });
  }
}
