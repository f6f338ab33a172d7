/** Counts each message once: uses stored counts, counts new messages in steps, and other messages on demand. */
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

export interface ToolCount {
  readonly tokens: number;
  readonly hash: string;
}

export class MessageCounts {
  /** The id that is stored with entries: the encoder, and the rule for images if it is not the common one. */
  readonly id: CounterId;
  readonly counter: Counter;
  readonly #media: MediaFamily;
  readonly #known = new WeakMap<Message, number>();
  readonly #knownParts = new WeakMap<Part, number>();
  readonly #knownTexts = new Map<string, number>();
  #lastTools: ToolCount | undefined;

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

  /** Cached, because instructions and notes come with every request. */
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

  /** Counts and hashes tool definitions. Reads them each time, because hosts change them. */
  countTools(tools: unknown): ToolCount {
    const described = describeTools(tools);
    const hash = hashText(canonicalJson(described));
    if (this.#lastTools?.hash === hash) return this.#lastTools;
    this.#lastTools = { hash, tokens: countTokens(described, { counter: this.counter }) };
    return this.#lastTools;
  }

  *countInSteps(message: Message): Generator<undefined, void> {
    for (const part of message.parts) yield* this.#countPartInSteps(part);
    if (!this.#known.has(message)) this.#known.set(message, this.#sumParts(message));
  }

  /** Counts a message that is not counted again, and so caches nothing. */
  *measureInSteps({ name, parts }: Message): Generator<undefined, number> {
    let tokens = this.counter.messageOverheadTokens + (name === undefined ? 0 : countText(name, this.counter));
    for (const part of parts) tokens += yield* countPartInSteps(part, { counter: this.counter, media: this.#media });
    return tokens;
  }

  *#countPartInSteps(part: Part): Generator<undefined, void> {
    if (this.#knownParts.has(part)) return;
    this.#knownParts.set(part, yield* countPartInSteps(part, { counter: this.counter, media: this.#media }));
  }

  #sumParts(message: Message): number {
    const name = message.name === undefined ? 0 : countText(message.name, this.counter);
    return message.parts.reduce((sum, part) => sum + this.countPart(part), name + this.counter.messageOverheadTokens);
  }

  /** Uses the stored count. Returns true if this counter has counted the entry before. */
  adopt({ message, tokens, recounts }: MessageEntry): boolean {
    const stored = tokens[this.id] ?? recounts?.[this.id];
    if (stored !== undefined) this.#known.set(message, stored);
    return stored !== undefined;
  }
}
