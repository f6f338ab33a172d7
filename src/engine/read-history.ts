/**
 * Reads the items of a history and recognises in them what an earlier call of `fit` wrote: the summary and the markers
 * at its beginning and stand-ins for results. They become what they were, so that a list that is fed back goes on where
 * it was. `find-own-prunes.ts` reads the notes and markers in place of what was pruned or cut.
 */
import type { DecodedInput } from "../core/message/formats/decode-input.ts";
import { requireFormat } from "../core/message/formats/formats.ts";
import type { Message, Part } from "../core/message/message.ts";
import { MISSING_RESULT_TEXT } from "../core/message/repair-messages.ts";
import type { SummaryRenderer } from "../core/plan/plan-settings.ts";
import { type Cover, findSeam, readCover } from "../core/prompt/read-cover.ts";
import { splitJoined } from "./state/joined-turns.ts";

/** An item whose first `parts` parts are a cover of ours. */
export interface CoverItem {
  readonly item: number;
  readonly parts: number;
}

export interface DecodedHistory extends Pick<DecodedInput, "format"> {
  /** For each item, the messages that it became. */
  readonly items: readonly (readonly Message[])[];
  readonly cover?: Cover | undefined;
  /** Where it stood. */
  readonly coverItems: readonly CoverItem[];
}

export interface ReadHistoryOptions {
  readonly renderer: SummaryRenderer;
  /** Which item of the history the first one is. Only the beginning can hold a cover. */
  readonly firstItem: number;
}

export function readHistory(
  { format, messages }: DecodedInput,
  { renderer, firstItem }: ReadHistoryOptions,
): DecodedHistory {
  const heads = messages.flatMap((each) => findWords(each) ?? []);
  const isWhole = firstItem === 0 && heads.length === messages.length;
  const joinsTurns = requireFormat(format).alternation !== undefined;
  const cover = isWhole ? readCover(heads, { renderer, joinsTurns }) : undefined;
  const coverItems = (cover?.pieces ?? []).map(({ index, parts }) => ({ item: index, parts }));
  const seam = cover && findSeam(heads, cover);
  const split = readOwnItems(messages, { coverItems, firstItem });
  return { format, items: seam === undefined ? split : split.with(seam, []), cover, coverItems };
}

export interface SplitOptions {
  readonly coverItems: readonly CoverItem[];
  /** Which item the first of the lists is. */
  readonly firstItem: number;
}

/** Takes what we wrote out of messages; each list has the messages of one item. */
export function readOwnItems(
  lists: readonly (readonly Message[])[],
  { coverItems, firstItem }: SplitOptions,
): readonly (readonly Message[])[] {
  const partsOf = new Map(coverItems.map(({ item, parts }) => [item, parts]));
  return lists.map((messages, index) => splitCover(messages, partsOf.get(index + firstItem)).flatMap(withoutStandIns));
}

/** The message of an item that may be a cover. Results that stood beside it in one item are messages before it. */
function findWords(messages: readonly Message[]): Message | undefined {
  return messages.find(({ role }) => role !== "tool") ?? messages[0];
}

/** Parts the cover from what a format had joined to it. */
function splitCover(messages: readonly Message[], parts: number | undefined): readonly Message[] {
  const joined = findWords(messages);
  if (joined === undefined || parts === undefined || parts >= joined.parts.length) return messages;
  const cover = { ...joined, id: `${joined.id}#cover`, parts: joined.parts.slice(0, parts) };
  const rest = splitJoined(joined.parts.slice(parts)).map((each, index) => ({
    ...joined,
    id: `${joined.id}#${index}`,
    parts: each,
  }));
  return [cover, ...messages.flatMap((message) => (message === joined ? rest : [message]))];
}

/** The result may have come since, and where it has not, the same stand-in is written again. */
function withoutStandIns(message: Message): readonly Message[] {
  if (message.role !== "tool" || !message.parts.some(isStandIn)) return [message];
  const parts = message.parts.filter((part) => !isStandIn(part));
  return parts.length === 0 ? [] : [{ ...message, parts }];
}

function isStandIn(part: Part): boolean {
  return part.type === "tool-result" && part.output.type === "text" && part.output.text === MISSING_RESULT_TEXT;
}
