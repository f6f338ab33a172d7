/** Encodes the result of `fit` in the history's format. Unchanged items are returned as the caller's own objects. */
import { type Fields, isObject } from "../../core/check-value.ts";
import { decodeInput } from "../../core/message/formats/decode-input.ts";
import type { AlternationRules, FormatName } from "../../core/message/formats/format.ts";
import { requireFormat } from "../../core/message/formats/formats.ts";
import type { Message } from "../../core/message/message.ts";
import type { AssembledItem, AssembledPrompt } from "../../core/prompt/assemble-prompt.ts";
import { ASSISTANT_CONTINUES, writeSystemNote } from "../../core/prompt/notes.ts";
import { systemText } from "../../core/prompt/render/split-system.ts";
import { sendThinking } from "../../core/prompt/send-thinking.ts";
import { countThinking, hasThinking, removeThinking } from "../../core/prompt/walk-thinking.ts";
import { readCountedSummary, writeCountedSummary, writeSummaryBlock } from "../../core/summary/record/cover-text.ts";
import type { ThinkingReport } from "../state/preserve-thinking.ts";
import { splitJoined } from "../state/read-history.ts";
import type { FitRun, FitSettings, ItemOrigin, LastSurroundings } from "./fit-run.ts";

export interface EncodeOptions<Item> extends Pick<FitRun, "origins" | "coverItems"> {
  readonly format: FormatName;
  readonly history: readonly Item[];
}

export function encodeFitted<Item>(given: readonly AssembledItem[], options: EncodeOptions<Item>): Item[] {
  const { rebuild } = requireFormat(options.format);
  const items = keepCoverItems(encodeItems(given, options), options);
  return rebuild === undefined ? items : rebuild(items, options.history);
}

/** Returns the items of a message that was only joined from several, if the format writes its parts as several items. */
function findJoinedOriginals<Item>(
  { message, sources }: AssembledItem,
  { format, history, origins }: EncodeOptions<Item>,
): readonly Item[] | undefined {
  if (sources.length < 2) return undefined;
  const parts = sources.flatMap((source) => source.parts);
  const isUnchanged =
    parts.length === message.parts.length && parts.every((part, index) => part === message.parts[index]);
  if (!isUnchanged || requireFormat(format).encode([message]).length !== sources.length) return undefined;
  const items = sources.map((source) => {
    const origin = origins.get(source);
    return origin?.count === 1 ? history[origin.item] : undefined;
  });
  return items.every((item) => item !== undefined) ? items : undefined;
}

function keepCoverItems<Item>(result: Item[], { format, history, coverItems }: EncodeOptions<Item>): Item[] {
  const wordsOf = (item: Item) =>
    decodeInput([item], { format, fallbackId: () => "cover" }).messages.flatMap((messages) =>
      messages.map(({ role, parts }) => ({ role, parts: parts.map((part) => ({ ...part, extras: undefined })) })),
    );
  const isSame = (left: Item, right: Item) => JSON.stringify(wordsOf(left)) === JSON.stringify(wordsOf(right));
  return coverItems.reduce((items, { item }) => {
    const [written, own] = [items[item], history[item]];
    return written !== undefined && own !== undefined && isSame(written, own) ? items.with(item, own) : items;
  }, result);
}

function encodeItems<Item>(given: readonly AssembledItem[], options: EncodeOptions<Item>): Item[] {
  const { format, history, origins } = options;
  const { alternation, encode } = requireFormat(format);
  const items = alternation === undefined ? given : countJoined(given);
  const result: Item[] = [];
  let changed: Message[] = [];
  const flush = () => {
    if (changed.length > 0) result.push(...(encode(changed) as Item[]));
    changed = [];
  };
  for (let index = 0; index < items.length; ) {
    const origin = findWholeOrigin(items, index, origins);
    const original = origin && history[origin.item];
    const item = items[index];
    const joined = item && findJoinedOriginals(item, options);
    if (joined !== undefined) {
      flush();
      result.push(...joined);
      index += 1;
    } else if (origin === undefined || original === undefined) {
      if (item !== undefined) changed.push(alternation === undefined ? item.message : asUser(item.message));
      index += 1;
    } else {
      flush();
      result.push(original);
      index += origin.count;
    }
  }
  flush();
  return alternation === undefined ? result : alternate(result, alternation);
}

/** Corrects a cover's count, because `splitJoined` may split joined user messages differently when it reads them. */
function countJoined(items: readonly AssembledItem[]): readonly AssembledItem[] {
  const index = items.findIndex(({ section }) => section === "summary");
  const cover = items[index];
  if (cover === undefined) return items;
  const rest = items.slice(index + 1);
  const end = rest.findIndex(({ message }) => message.role !== "user");
  const joined = rest.slice(0, end < 0 ? rest.length : end).filter(({ sources }) => sources.length > 0);
  const difference = joined.length - splitJoined(joined.flatMap(({ message }) => message.parts)).length;
  if (difference === 0) return items;
  const parts = cover.message.parts.map((part) => {
    const read = part.type === "text" ? readCountedSummary(part.text) : undefined;
    if (read === undefined) return part;
    const write = read.isClosed ? writeSummaryBlock : writeCountedSummary;
    return { ...part, text: write(Math.max(1, read.count + difference), read.text) };
  });
  return items.with(index, { ...cover, message: { ...cover.message, parts } });
}

/** Turns a system message into a user message with a note, for formats without a system role. */
function asUser(message: Message): Message {
  if (message.role !== "system") return message;
  return { ...message, role: "user", parts: [{ type: "text", text: writeSystemNote(systemText(message)) }] };
}

/** Joins adjacent items of one role, and makes a user's item the first. */
function alternate<Item>(items: readonly Item[], rules: AlternationRules): Item[] {
  const turns: Item[] = [];
  for (const item of items) {
    const joined = joinToLast(turns.at(-1), item, rules);
    if (joined === undefined) turns.push(item);
    else if (rules.beginsTurn(item)) turns.push(rules.writeUserItem(ASSISTANT_CONTINUES) as Item, item);
    else turns[turns.length - 1] = joined as Item;
  }
  const [first] = turns;
  if (!isObject(first) || first.role === "user" || beginsCompacted(first)) return turns;
  return [rules.writeUserItem("(The conversation begins with the assistant.)") as Item, ...turns];
}

/** A compaction by the provider stands for the messages before it. */
function beginsCompacted({ content }: Fields): boolean {
  const [block]: readonly unknown[] = Array.isArray(content) ? content : [];
  return isObject(block) && block.type === "compaction";
}

function joinToLast(last: unknown, item: unknown, { joinItems }: AlternationRules): object | undefined {
  const isSameRole = isObject(last) && isObject(item) && last.role === item.role;
  return isSameRole ? joinItems(last, item) : undefined;
}

/** Returns the origin of the item that starts here, if all its messages follow unchanged and in order. */
function findWholeOrigin(
  items: readonly AssembledItem[],
  start: number,
  origins: WeakMap<Message, ItemOrigin>,
): ItemOrigin | undefined {
  const first = originOf(items[start], origins);
  if (first === undefined || first.place !== 0) return undefined;
  for (let place = 1; place < first.count; place += 1) {
    const next = originOf(items[start + place], origins);
    if (next === undefined || next.item !== first.item || next.place !== place) return undefined;
  }
  return first;
}

export function originOf(
  item: AssembledItem | undefined,
  origins: WeakMap<Message, ItemOrigin>,
): ItemOrigin | undefined {
  if (item === undefined || item.sources.length !== 1 || item.sources[0] !== item.message) return undefined;
  return origins.get(item.message);
}

export interface FitOutput extends Pick<FitRun, "origins"> {
  readonly lastSurroundings: LastSurroundings;
  readonly history: readonly unknown[];
  /** The result if all thinking is kept. */
  readonly messages: readonly unknown[];
  readonly isFolded: boolean;
}

export function fitThinking(
  assembled: AssembledPrompt,
  { limits, counts }: FitSettings,
  { origins, history, messages, isFolded, lastSurroundings }: FitOutput,
): { readonly assembled: AssembledPrompt; readonly report: ThinkingReport | undefined } {
  if (!limits.info.bindsThinking || limits.model === undefined) return { assembled, report: undefined };
  const unchanged = countUnchanged(history, messages);
  const itemOf = (item: AssembledItem) => originOf(item, origins)?.item ?? unchanged;
  const isOlder = (item: AssembledItem) => itemOf(item) < lastSurroundings.sinceItem;
  const isBehind = (item: AssembledItem) => itemOf(item) >= unchanged || isOlder(item);
  const thinking = assembled.items.filter(({ message }) => hasThinking(message));
  const lost = thinking.filter(isBehind).map(({ message }) => message);
  const replaced = new Map(lost.map((message) => [message, removeThinking(message)]));
  const sent = sendThinking(assembled, replaced, { count: counts.count, chains: new Map() });
  const sum = (list: readonly Message[]) => list.reduce((total, message) => total + countThinking(message), 0);
  const blocks = sum(lost);
  const sentBlocks = sum(thinking.map(({ message }) => message)) - blocks;
  const changed = isFolded ? "summary" : "messages";
  const reason = unchanged === messages.length ? (lastSurroundings.changed ?? changed) : changed;
  const gone = { reason, blocks, tokens: assembled.tokens - sent.tokens } as const;
  return { assembled: sent, report: { sentBlocks, leftOut: blocks === 0 ? [] : [gone] } };
}

function countUnchanged(history: readonly unknown[], messages: readonly unknown[]): number {
  const isSame = (item: unknown, index: number) =>
    item === history[index] || JSON.stringify(item) === JSON.stringify(history[index]);
  const first = messages.findIndex((item, index) => !isSame(item, index));
  return first === -1 ? messages.length : first;
}
