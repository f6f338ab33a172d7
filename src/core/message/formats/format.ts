/**
 * A format is one way to write messages. It decodes one item at a time, so that items can be read as they arrive, and
 * encodes a whole list, because most formats group several messages into one item. Decoding never guesses: broken input
 * is a `message-invalid` error with its path, and unknown input is kept. Encoding never throws.
 *
 * To add a format, add its name below and its row in `formats.ts`:
 * - Detection asks every format about every item. Return `sure` only for a mark that no other format has: two formats
 *   that are sure of items in one list are an error. Without a mark, the first name below that reads all items wins.
 * - A format that extends another one is listed after it and is `sure` of its own fields only. Lists that also have a
 *   mark of the other one are then an error, unless it is a variant of the other one (`variantOf`) or the caller names
 *   one.
 * - Fields without a meaning here are kept under `extras["wire:<name>"]` (`WireObject`) and written back by the same
 *   format only. Notes, such as the original form of the content, are kept there too, under a key that the format
 *   interprets (`knownKeys`), so that no unknown field can have the same key.
 * - A format is how messages are written; a provider (`core/prompt/provider.ts`) is where prompts are sent. Reading
 *   needs no provider. A new provider also needs a renderer and a validator.
 */
import type { Fields } from "../../check-value.ts";
import type { Message } from "../message.ts";

/** The names of all formats of messages. */
export const FORMAT_NAMES = [
  "ai-sdk-model",
  "ai-sdk-ui",
  "openai-chat",
  "openai-responses",
  "openai-agents",
  "anthropic",
  "gemini",
  "langchain",
  "palimpsest",
] as const;

/** The name of a format of messages. */
export type FormatName = (typeof FORMAT_NAMES)[number];

export interface DecodeContext {
  /** Place of the item in the caller's list, for errors: `messages[3]`. */
  readonly path: string;
  /** Id of the message if the item has none. Items that become several messages use `id#0`, `id#1`, … */
  readonly fallbackId: string;
}

/** The rules of a format in which users and assistants alternate and the first item is a user's. */
export interface AlternationRules {
  writeUserItem(text: string): object;
  /** Joins two neighboring items of one role, or returns undefined if they must stay separate items. */
  joinItems(first: Fields, second: Fields): object | undefined;
  /** Returns whether the item must begin a turn, so that it cannot be joined to the item before it. */
  beginsTurn(item: unknown): boolean;
}

/** How messages are written in one format: detects, decodes and encodes them. */
export interface Format {
  readonly name: FormatName;
  /** The format of which this one is a variant: a list with marks of both is read as the variant. */
  readonly variantOf?: FormatName | undefined;
  /** Absent if items of one role may follow each other. */
  readonly alternation?: AlternationRules | undefined;
  /** True if a result may name only its function, so that its call is looked up in earlier messages. */
  readonly matchesCallsByName?: true | undefined;
  /** `sure` if the item has a mark that only this format has, `possible` if it could be read as such, else `no`. */
  recognize(item: unknown): "sure" | "possible" | "no";
  /** Decodes one item to one or more messages. Throws `message-invalid` with the path of the error. */
  decode(item: unknown, context: DecodeContext): readonly Message[];
  encode(messages: readonly Message[]): readonly unknown[];
  /** Turns encoded items into instances of the classes in the caller's history. Absent if the format has no classes. */
  readonly rebuild?: (<Item>(items: Item[], history: readonly Item[]) => Item[]) | undefined;
}
