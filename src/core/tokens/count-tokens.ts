/** Counts a text, a message, a plain `{ role, content }`, a tool's schema, or a list. Estimates without a counter. */
import { ANYTHING, checkOptions, type OptionRule, oneOf } from "../check-options.ts";
import { PalimpsestError } from "../errors.ts";
import { isOwnMessage } from "../message/formats/read-messages.ts";
import type { Message } from "../message/message.ts";
import { type CountMethod, countMessage, countUnknown } from "./count-message.ts";
import { countText, runSteps } from "./count-text.ts";
import type { Counter } from "./counter.ts";
import { requireCounter } from "./estimate.ts";
import { MEDIA_RULES, type MediaFamily } from "./media-tokens.ts";

export interface PlainMessage {
  readonly role: string;
  /** A string, or parts in any supported format. */
  readonly content?: unknown;
}

export interface ToolSchema {
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema?: unknown;
}

/** An object of any other shape is counted as its JSON. */
export type Countable = string | Message | PlainMessage | ToolSchema | object | readonly Countable[];

export interface CountOptions {
  readonly counter?: Counter | undefined;
  /** The family's rules for images and documents. Without it, the more expensive of the common rules apply. */
  readonly media?: MediaFamily | undefined;
}

const COUNT_RULES = {
  counter: ANYTHING,
  media: oneOf(...Object.keys(MEDIA_RULES)),
} satisfies Record<keyof CountOptions, OptionRule>;

/**
 * Counts the tokens of a text or of messages; by default with the estimate.
 *
 * @example
 * ```ts
 * console.log(countTokens("How many tokens?"), countTokens(history));
 * ```
 */
export function countTokens(value: Countable, options: CountOptions = {}): number {
  checkOptions(options, COUNT_RULES, "countTokens");
  const { media = "unknown" } = options;
  return countValue(value, { counter: requireCounter(options.counter), media });
}

function countValue(value: Countable, how: CountMethod): number {
  if (typeof value === "string") return countText(value, how.counter);
  if (isList(value)) return value.reduce<number>((tokens, item) => tokens + countValue(item, how), 0);
  if (typeof value !== "object" || value === null) throw createUncountableError(value);
  if (isOwnMessage(value)) return countMessage(value, how.counter, how.media);
  if ("parts" in value && Array.isArray(value.parts)) return countPlain({ role: "", content: value.parts }, how);
  if (isPlainMessage(value)) return countPlain(value, how);
  return runSteps(countUnknown(value, how));
}

function createUncountableError(value: unknown): PalimpsestError {
  const found = value === null ? "null" : typeof value;
  const text = `value: expected a text, a message, a tool or a list of them, found ${found}.`;
  return new PalimpsestError("message-invalid", text, { details: { path: "value" } });
}

function isPlainMessage(value: object): value is PlainMessage {
  return "role" in value;
}

function countPlain(message: PlainMessage, how: CountMethod): number {
  const rest = Object.entries(message).filter(([name]) => !COUNTED_SEPARATELY.has(name));
  const fields = rest.length === 0 ? 0 : runSteps(countUnknown(Object.fromEntries(rest), how));
  return how.counter.messageOverheadTokens + countContent(message.content, how) + fields;
}

/** The role is in the overhead, the content is counted separately, and providers do not read message ids. */
const COUNTED_SEPARATELY: ReadonlySet<string> = new Set(["role", "content", "id"]);

function countContent(content: unknown, how: CountMethod): number {
  if (content === undefined || content === null) return 0;
  if (typeof content === "string") return countText(content, how.counter);
  if (!Array.isArray(content)) return runSteps(countUnknown(content, how));
  return content.reduce<number>((tokens, item) => tokens + countItem(item, how), 0);
}

/** Counts a text-only part as its text, without the JSON around it. */
function countItem(item: unknown, how: CountMethod): number {
  if (typeof item === "string") return countText(item, how.counter);
  if (typeof item === "object" && item !== null && "text" in item && typeof item.text === "string") {
    return countText(item.text, how.counter);
  }
  return runSteps(countUnknown(item, how));
}

/** Narrows to a readonly array, which `Array.isArray` does not. */
function isList(value: Countable): value is readonly Countable[] {
  return Array.isArray(value);
}
