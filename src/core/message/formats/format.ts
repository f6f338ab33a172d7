/**
 * A format is one way that the world writes messages. It decodes one item of a list at a time, so that a border can
 * read as messages arrive, and encodes a whole list, because most wires group several of our messages into one item.
 *
 * Decoding never guesses: what is broken is a `message-invalid` with the path of the fault, what is merely unknown is
 * carried. Encoding never throws: it leaves out only what the target cannot hold.
 */
import type { Fields } from "../../check-value.ts";
import type { Message } from "../message.ts";

export const FORMAT_NAMES = [
  "ai-sdk-model",
  "ai-sdk-ui",
  "openai-chat",
  "openai-responses",
  "anthropic",
  "gemini",
  "langchain",
  "palimpsest",
] as const;

export type FormatName = (typeof FORMAT_NAMES)[number];

export interface DecodeContext {
  /** Where the item stands in what the caller gave, for the error: `messages[3]`. */
  readonly path: string;
  /** The id of the message where the item carries none. Items that become several messages use `id#0`, `id#1`, … */
  readonly fallbackId: string;
}

/** The rules of a format in which users and assistants alternate and the first item is a user's. */
export interface AlternationRules {
  /** Writes an item in which the user says the text. */
  writeUserItem(text: string): object;
  /** Joins two neighbouring items of one role, or returns undefined if they must stay separate items. */
  joinItems(first: Fields, second: Fields): object | undefined;
  /** Returns whether the item must begin a turn, so that it cannot be joined to the item before it. */
  beginsTurn(item: unknown): boolean;
}

export interface Format {
  readonly name: FormatName;
  /** Absent where items of one role may follow each other. */
  readonly alternation?: AlternationRules | undefined;
  /** True where a result may name only its function, so that its call is looked up in the messages before it. */
  readonly matchesCallsByName?: true | undefined;
  /** `sure` when the item has a mark that only this format has, `possible` when it could be read as it, else `no`. */
  recognise(item: unknown): "sure" | "possible" | "no";
  /** One item to one or more messages. Throws `message-invalid` with the path of the fault. */
  decode(item: unknown, context: DecodeContext): readonly Message[];
  /** Messages to items of this format, grouped as the format groups them. */
  encode(messages: readonly Message[]): readonly unknown[];
}
