/**
 * Counts messages once. What a store kept beside its entries is taken over, what is new is counted in steps that let
 * the event loop turn, and what the planner asks for between is answered at once.
 */

import type { MessageEntry } from "../../core/log/entry.ts";
import { hashText } from "../../core/message/hash-message.ts";
import { canonicalJson } from "../../core/message/json.ts";
import type { Message, Part } from "../../core/message/message.ts";
import { countPart, countPartInSteps } from "../../core/tokens/count-message.ts";
import { countText, countTextInSteps, runSteps } from "../../core/tokens/count-text.ts";
import { countTokens } from "../../core/tokens/count-tokens.ts";
import type { Counter, CounterId } from "../../core/tokens/counter.ts";
import type { MediaFamily } from "../../core/tokens/media-tokens.ts";
import { describeTools } from "./describe-tools.ts";

const TEXTS_REMEMBERED = 16;

export interface CountedTools {
  readonly tokens: number;
  readonly hash: string;
}

export class MessageCounts {
  /** Beside entries: the encoder, and the rule for images where that is not the common one. */
  readonly id: CounterId;
  readonly counter: Counter;
  readonly #media: MediaFamily;
  readonly #known = new WeakMap<Message, number>();
  readonly #knownParts = new WeakMap<Part, number>();
  readonly #knownTexts = new Map<string, number>();
  #lastTools: CountedTools | undefined;

  constructor(counter: Counter, media: MediaFamily) {
    this.id = media === "unknown" ? counter.id : `${counter.id}+${media}`;
    this.counter = counter;
    this.#media = media;
  }

  readonly count = (message: Message): number => {
    const known = this.#known.get(message);
    if (known !== undefined) return known;
    const tokens = this.#sumParts(message);
    this.#known.set(message, tokens);
    return tokens;
  };

  readonly countPart = (part: Part): number => {
    const known = this.#knownParts.get(part);
    if (known !== undefined) return known;
    const tokens = countPart(part, this.counter, this.#media);
    this.#knownParts.set(part, tokens);
    return tokens;
  };

  /** For instructions and notes, which come again with every request. */
  countText(text: string): number {
    return this.#knownTexts.get(text) ?? runSteps(this.countTextInSteps(text));
  }

  *countTextInSteps(text: string): Generator<undefined, number> {
    const known = this.#knownTexts.get(text);
    if (known !== undefined) return known;
    if (this.#knownTexts.size >= TEXTS_REMEMBERED) this.#knownTexts.clear();
    const tokens = (yield* countTextInSteps(text, this.counter)) + this.counter.messageOverheadTokens;
    this.#knownTexts.set(text, tokens);
    return tokens;
  }

  /** Tool definitions, with a hash of what a model sees of them. They are looked at each time: hosts change them. */
  countTools(tools: unknown): CountedTools {
    const described = describeTools(tools);
    const hash = hashText(canonicalJson(described));
    if (this.#lastTools?.hash === hash) return this.#lastTools;
    this.#lastTools = { hash, tokens: countTokens(described, { counter: this.counter }) };
    return this.#lastTools;
  }

  /** Makes `count` and `countPart` cheap for this message. */
  *countInSteps(message: Message): Generator<undefined, void> {
    for (const part of message.parts) yield* this.#countPartInSteps(part);
    if (!this.#known.has(message)) this.#known.set(message, this.#sumParts(message));
  }

  *#countPartInSteps(part: Part): Generator<undefined, void> {
    if (this.#knownParts.has(part)) return;
    this.#knownParts.set(part, yield* countPartInSteps(part, { counter: this.counter, media: this.#media }));
  }

  #sumParts(message: Message): number {
    const name = message.name === undefined ? 0 : countText(message.name, this.counter);
    return message.parts.reduce((sum, part) => sum + this.countPart(part), name + this.counter.messageOverheadTokens);
  }

  /** Takes over what is stored; true when this counter has counted the entry before. */
  adopt({ message, tokens, recounts }: MessageEntry): boolean {
    const stored = tokens[this.id] ?? recounts?.[this.id];
    if (stored !== undefined) this.#known.set(message, stored);
    return stored !== undefined;
  }
}
