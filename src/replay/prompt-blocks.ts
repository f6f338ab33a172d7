/**
 * A message as the provider's cache and its bill see it: blocks with a content and a size. The same content is counted
 * once and has the same number everywhere, so that prompts can be compared block by block.
 */
import { createHash } from "node:crypto";
import type { JsonValue } from "../core/message/json.ts";
import type { Message, Part } from "../core/message/message.ts";
import { outputText } from "../core/message/message-text.ts";
import { countPart } from "../core/tokens/count-message.ts";
import type { Counter } from "../core/tokens/counter.ts";
import { findIdentifiers } from "./find-identifiers.ts";

export interface PromptBlock {
  /** Equal for equal content. */
  readonly content: number;
  readonly tokens: number;
  readonly text: string;
  readonly identifiers: ReadonlySet<string>;
}

export class BlockBook {
  readonly counter: Counter;
  readonly #byContent = new Map<string, PromptBlock>();
  readonly #byMessage = new WeakMap<Message, readonly PromptBlock[]>();

  constructor(counter: Counter) {
    this.counter = counter;
  }

  blocksOf(message: Message): readonly PromptBlock[] {
    const known = this.#byMessage.get(message);
    if (known !== undefined) return known;
    const blocks = message.parts.map((part, index) =>
      this.#blockOf(part, { role: message.role, isFirst: index === 0 }),
    );
    this.#byMessage.set(message, blocks);
    return blocks;
  }

  tokensOf(messages: readonly Message[]): number {
    return messages.reduce(
      (sum, message) => this.blocksOf(message).reduce((part, { tokens }) => part + tokens, sum),
      0,
    );
  }

  /** A block of a known size without words, for content that the logs lack: system text and tool schemas. */
  opaqueBlock(name: string, tokens: number): PromptBlock {
    return this.#intern(`opaque ${name} ${tokens}`, () => ({ tokens, text: "" }));
  }

  #blockOf(part: Part, { role, isFirst }: { readonly role: string; readonly isFirst: boolean }): PromptBlock {
    // Extras are wire details such as markers, which do not change the content.
    const { extras: _, ...content } = "extras" in part ? part : { ...part, extras: undefined };
    const key = createHash("sha1")
      .update(`${role} ${isFirst} ${JSON.stringify(content)}`)
      .digest("base64");
    const overhead = isFirst ? this.counter.messageOverheadTokens : 0;
    return this.#intern(key, () => ({ tokens: overhead + countPart(part, this.counter), text: textOf(part) }));
  }

  #intern(key: string, make: () => Pick<PromptBlock, "tokens" | "text">): PromptBlock {
    const known = this.#byContent.get(key);
    if (known !== undefined) return known;
    const made = make();
    const block = { ...made, content: this.#byContent.size, identifiers: findIdentifiers(made.text) };
    this.#byContent.set(key, block);
    return block;
  }
}

/**
 * Returns the words of a part, with each string of a structured value on its own line, so that no escape joins two
 * words.
 */
export function textOf(part: Part): string {
  switch (part.type) {
    case "text":
    case "reasoning":
      return part.text;
    case "tool-call":
      return [part.tool, ...stringsOf(part.input)].join("\n");
    case "tool-result":
      return part.output.type === "json" ? stringsOf(part.output.value).join("\n") : outputText(part.output);
    case "image":
    case "file":
    case "source":
    case "unknown":
      return "";
    default:
      return part satisfies never;
  }
}

function stringsOf(value: JsonValue | undefined): readonly string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [String(value)];
  return Array.isArray(value)
    ? value.flatMap(stringsOf)
    : Object.entries(value).flatMap(([key, item]) => [key, ...stringsOf(item)]);
}
