/** How heavy stretches of a log are, for stores that walk through it and for the columns of those that do not. */
import type { Entry, MessageEntry } from "../core/log/entry.ts";
import type { Stretch, StretchWeight } from "../ports/store.ts";

/** What a message was counted as when it came: there is one counter then. Undefined where nobody counted. */
export function weightOf({ tokens }: Pick<MessageEntry, "tokens">): number | undefined {
  const [first] = Object.values(tokens);
  return first;
}

/** Takes entries in order, as many at a time as there are, and sums them up by stretch. */
export class Scales {
  readonly weights: readonly StretchWeight[];
  readonly #stretches: readonly Stretch[];
  #index = 0;

  constructor(stretches: readonly Stretch[]) {
    this.#stretches = stretches;
    this.weights = stretches.map(() => ({ messages: 0, tokens: 0 }));
  }

  add(entries: Iterable<Entry>): void {
    const weights = this.weights as { messages: number; tokens: number }[];
    for (const entry of entries) {
      while (entry.seq > (this.#stretches[this.#index]?.lastSeq ?? Number.POSITIVE_INFINITY)) this.#index += 1;
      const weight = weights[this.#index];
      if (weight === undefined || entry.type !== "message") continue;
      if (entry.seq < (this.#stretches[this.#index]?.firstSeq ?? 0)) continue;
      weight.messages += 1;
      weight.tokens += weightOf(entry) ?? 0;
    }
  }
}
