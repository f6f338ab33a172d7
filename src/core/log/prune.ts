/**
 * A prune replaces one part of one message in the view. The replacement is a rule or a short text, never a copy of the
 * original, and applying it is pure: the same log gives the same bytes.
 */
import type { JsonValue } from "../message/json.ts";
import type { Message, MessageId, Part } from "../message/message.ts";
import { outputText } from "../message/output-text.ts";

export type Replacement =
  /** The part becomes this text: a result's output, a text, or a note in place of an image. */
  | { readonly type: "text"; readonly text: string }
  /** The middle of every longer string in the part goes; `marker` says so. */
  | { readonly type: "middle"; readonly keepCharacters: number; readonly marker: string };

export interface Prune {
  readonly seq: number;
  readonly messageId: MessageId;
  readonly partIndex: number;
  /** `cut` keeps both ends of an oversized text, `pruned` leaves a placeholder. */
  readonly fate: "pruned" | "cut";
  readonly replacement: Replacement;
  readonly reason: string;
}

/** The same message under the same prunes is the same object, so that what was counted once is not counted again. */
const applied = new WeakMap<Message, { readonly key: string; readonly shown: Message }>();

export function applyPrunes(message: Message, prunes: readonly Prune[]): Message {
  if (prunes.length === 0) return message;
  const key = JSON.stringify(prunes.map(({ partIndex, replacement }) => [partIndex, replacement]));
  const known = applied.get(message);
  if (known?.key === key) return known.shown;
  const shown = replaceParts(message, prunes);
  applied.set(message, { key, shown });
  return shown;
}

function replaceParts(message: Message, prunes: readonly Prune[]): Message {
  const byPart = new Map(prunes.map((prune) => [prune.partIndex, prune.replacement]));
  const parts = message.parts.map((part, index) => {
    const replacement = byPart.get(index);
    return replacement === undefined ? part : replacePart(part, replacement);
  });
  return { ...message, parts };
}

export function replacePart(part: Part, replacement: Replacement): Part {
  switch (part.type) {
    case "text":
    case "reasoning":
      return { type: part.type, text: replaceText(part.text, replacement) };
    case "tool-result":
      return { ...part, output: { type: "text", text: replaceText(outputText(part.output), replacement) } };
    case "tool-call":
      return { ...part, input: replaceJson(part.input, replacement), inputText: undefined };
    case "image":
    case "file":
    case "source":
    case "unknown":
      return { type: "text", text: replacement.type === "text" ? replacement.text : replacement.marker };
    default:
      return part satisfies never;
  }
}

/** Keeps both ends, cut between characters and never inside a surrogate pair. */
export function cutMiddle(text: string, options: { readonly keepCharacters: number; readonly marker: string }): string {
  if (text.length <= options.keepCharacters + options.marker.length) return text;
  const head = Math.ceil(options.keepCharacters * 0.7);
  const tail = options.keepCharacters - head;
  return `${wholeHead(text, head)}${options.marker}${wholeTail(text, tail)}`;
}

function replaceText(text: string, replacement: Replacement): string {
  return replacement.type === "text" ? replacement.text : cutMiddle(text, replacement);
}

function replaceJson(value: JsonValue, replacement: Replacement): JsonValue {
  if (replacement.type === "text") return { removed: replacement.text };
  return cutStrings(value, replacement);
}

function cutStrings(
  value: JsonValue,
  options: { readonly keepCharacters: number; readonly marker: string },
): JsonValue {
  if (typeof value === "string") return cutMiddle(value, options);
  if (Array.isArray(value)) return value.map((item) => cutStrings(item, options));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, field]) => [key, field === undefined ? field : cutStrings(field, options)]),
  );
}

/** The start of a text, without half a character at its end. */
export function wholeHead(text: string, length: number): string {
  return text.slice(0, isHighSurrogate(text, length - 1) ? length - 1 : length);
}

function wholeTail(text: string, length: number): string {
  const start = text.length - length;
  return text.slice(isHighSurrogate(text, start - 1) ? start + 1 : start);
}

function isHighSurrogate(text: string, index: number): boolean {
  const code = text.charCodeAt(index);
  return code >= 0xd800 && code <= 0xdbff;
}
