/**
 * Reads the items of a history and recognises in them what an earlier call of `fit` wrote: the summary and the markers
 * at its beginning. They become the record and the truncation that they were, so that a list that is fed back goes on
 * where it was, and is not summarised again as if it had been said.
 */
import { type DecodedInput, type DecodeInputOptions, decodeInput } from "../core/message/formats/decode-input.ts";
import type { Message, Part } from "../core/message/message.ts";
import type { SummaryRenderer } from "../core/plan/plan-settings.ts";
import { findSeam, type ReadCover, readCover } from "../core/prompt/read-cover.ts";
import { takesTurns } from "./encode-fitted.ts";

/** An item whose first `parts` parts are a cover of ours. */
export interface CoverItem {
  readonly item: number;
  readonly parts: number;
}

export interface DecodedHistory extends DecodedInput {
  readonly cover?: ReadCover | undefined;
  /** Where it stood. */
  readonly coverItems: readonly CoverItem[];
}

export interface DecodeHistoryOptions extends DecodeInputOptions {
  readonly renderer: SummaryRenderer;
}

/** Decodes a history from its beginning on, or what is new of it: only the beginning can hold a cover. */
export function decodeHistory(
  items: readonly unknown[],
  { renderer, ...options }: DecodeHistoryOptions,
): DecodedHistory {
  const decoded = decodeInput(items, options);
  const heads = decoded.messages.flatMap((messages) => messages.slice(0, 1));
  const isWhole = (options.firstIndex ?? 0) === 0 && heads.length === decoded.messages.length;
  const cover = isWhole ? readCover(heads, { renderer, joinsTurns: takesTurns(decoded.format) }) : undefined;
  if (cover === undefined) return { ...decoded, coverItems: [] };
  const seam = findSeam(heads, cover);
  const coverItems = cover.pieces.map(({ index, parts }) => ({ item: index, parts }));
  const messages = splitCoverItems(decoded.messages, { coverItems, firstItem: 0 });
  return { ...decoded, messages: seam === undefined ? messages : messages.with(seam, []), cover, coverItems };
}

export interface SplitOptions {
  readonly coverItems: readonly CoverItem[];
  /** Which item the first of the lists is. */
  readonly firstItem: number;
}

/** Parts the cover from what a format had joined to it. Each list has the messages of one item. */
export function splitCoverItems(
  lists: readonly (readonly Message[])[],
  { coverItems, firstItem }: SplitOptions,
): readonly (readonly Message[])[] {
  return coverItems.reduce((split: readonly (readonly Message[])[], { item, parts }) => {
    const index = item - firstItem;
    const [first, ...others] = split[index] ?? [];
    if (first === undefined || parts >= first.parts.length) return split;
    const cover = { ...first, id: `${first.id}#cover`, parts: first.parts.slice(0, parts) };
    return split.with(index, [cover, ...splitTexts(first, parts), ...others]);
  }, lists);
}

/** The messages that a format joined to a cover: each began with a text. */
function splitTexts(message: Message, from: number): readonly Message[] {
  const groups: Part[][] = [];
  for (const part of message.parts.slice(from)) {
    const last = groups.at(-1);
    if (last === undefined || part.type === "text") groups.push([part]);
    else last.push(part);
  }
  return groups.map((parts, index) => ({ ...message, id: `${message.id}#${index}`, parts }));
}
