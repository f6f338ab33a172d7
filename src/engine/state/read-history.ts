/** Reads a history, and recognizes what an earlier call of `fit` wrote: summary, markers and stand-ins. */
import type { DecodedInput } from "../../core/message/formats/decode-input.ts";
import { requireFormat } from "../../core/message/formats/formats.ts";
import type { Message, Part } from "../../core/message/message.ts";
import { MISSING_RESULT_TEXT } from "../../core/message/repair-messages.ts";
import type { SummaryRenderer } from "../../core/plan/plan-settings.ts";
import { type Cover, findPinnedSeparator, readCover } from "../../core/prompt/read-cover.ts";

export interface CoverItem {
  readonly item: number;
  readonly parts: number;
}

export interface DecodedHistory extends Pick<DecodedInput, "format"> {
  readonly items: readonly (readonly Message[])[];
  readonly cover?: Cover | undefined;
  readonly coverItems: readonly CoverItem[];
}

export interface ReadHistoryOptions {
  readonly renderer: SummaryRenderer;
  /** Index of the first item in the history. Only a list that starts at 0 can contain a cover. */
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
  const separator = cover && findPinnedSeparator(heads, cover);
  const split = readOwnItems(messages, { coverItems, firstItem });
  return { format, items: separator === undefined ? split : split.with(separator, []), cover, coverItems };
}

export function readOwnItems(
  lists: readonly (readonly Message[])[],
  { coverItems, firstItem }: Pick<DecodedHistory, "coverItems"> & Pick<ReadHistoryOptions, "firstItem">,
): readonly (readonly Message[])[] {
  const partsOf = new Map(coverItems.map(({ item, parts }) => [item, parts]));
  return lists.map((messages, index) => splitCover(messages, partsOf.get(index + firstItem)).flatMap(withoutStandIns));
}

/** Finds the message of an item that may be a cover. Tool results of the same item come before it. */
function findWords(messages: readonly Message[]): Message | undefined {
  return messages.find(({ role }) => role !== "tool") ?? messages[0];
}

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

/** Removes stand-ins: the result may have arrived, and otherwise the same stand-in is written again. */
function withoutStandIns(message: Message): readonly Message[] {
  if (message.role !== "tool" || !message.parts.some(isStandIn)) return [message];
  const parts = message.parts.filter((part) => !isStandIn(part));
  return parts.length === 0 ? [] : [{ ...message, parts }];
}

function isStandIn(part: Part): boolean {
  return part.type === "tool-result" && part.output.type === "text" && part.output.text === MISSING_RESULT_TEXT;
}

/** The last two requests are kept. More texts than that are the blocks of one request. */
const MAX_REQUESTS = 2;

/** Returns the parts of each message that was joined to a cover; up to two are separated, by their texts. */
export function splitJoined(parts: readonly Part[]): readonly (readonly Part[])[] {
  const groups: Part[][] = [];
  for (const part of parts) {
    const last = groups.at(-1);
    if (last === undefined || part.type === "text") groups.push([part]);
    else last.push(part);
  }
  return groups.length <= MAX_REQUESTS ? groups : [parts];
}
