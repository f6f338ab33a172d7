/**
 * Measures how much of what an agent needs next is in the prompt: of the identifiers in its next thirty tool calls that
 * were mentioned before, the share that the prompt contains anywhere. It is a ceiling on what a model could use, not
 * answer accuracy.
 */
import type { BlockBook, PromptBlock } from "./blocks.ts";
import { textOf } from "./blocks.ts";
import { findIdentifiers } from "./identifiers.ts";
import type { ReplaySession } from "./read-sessions.ts";

export interface NameRecall {
  readonly needed: number;
  readonly found: number;
}

const NEXT_CALLS = 30;

export class RecallJudge {
  /** The index of the message that mentioned each identifier first. */
  readonly #firstSaid = new Map<string, number>();
  readonly #calls: readonly { readonly index: number; readonly identifiers: ReadonlySet<string> }[];

  constructor({ messages }: ReplaySession, book: BlockBook) {
    for (const [index, message] of messages.entries()) {
      for (const { identifiers } of book.blocksOf(message)) {
        for (const word of identifiers) if (!this.#firstSaid.has(word)) this.#firstSaid.set(word, index);
      }
    }
    this.#calls = messages.flatMap((message, index) =>
      message.parts.flatMap((part) =>
        part.type === "tool-call" ? [{ index, identifiers: findIdentifiers(textOf(part)) }] : [],
      ),
    );
  }

  judge(prompt: readonly PromptBlock[], index: number): NameRecall {
    const needed = this.#neededFrom(index);
    let found = 0;
    for (const word of needed) if (holds(prompt, word)) found += 1;
    return { needed: needed.size, found };
  }

  #neededFrom(index: number): ReadonlySet<string> {
    const next = this.#calls.filter((call) => call.index >= index).slice(0, NEXT_CALLS);
    const words = new Set(next.flatMap(({ identifiers }) => [...identifiers]));
    return new Set([...words].filter((word) => (this.#firstSaid.get(word) ?? index) < index));
  }
}

function holds(prompt: readonly PromptBlock[], word: string): boolean {
  return prompt.some(({ identifiers }) => identifiers.has(word)) || prompt.some(({ text }) => text.includes(word));
}
