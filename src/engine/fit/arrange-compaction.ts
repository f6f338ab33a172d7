/**
 * A provider's compaction in a history for `fit`. Its API ignores what comes before it, so a compaction that a fold
 * keeps is put before our summary, and is read back from there. A policy may leave out what a compaction covers.
 */
import { type Fields, isObject } from "../../core/check-value.ts";
import type { View } from "../../core/log/view.ts";
import { hasProviderCompaction } from "../../core/message/provider-compaction.ts";
import type { PlanSettings } from "../../core/plan/plan-settings.ts";
import { isCoverText } from "../../core/prompt/read-cover.ts";

/** What an earlier call found: the newest compaction among the items that it read. */
export interface KnownCompaction {
  /** The index of the compaction, or -1. */
  readonly at: number;
  readonly itemsRead: number;
}

/** Looks only at items that the earlier call did not read, and at the last of those that it did, which may have grown. */
export function findCompaction(history: readonly unknown[], known?: KnownCompaction): KnownCompaction {
  const start = known === undefined ? 0 : Math.max(0, known.itemsRead - 1);
  const found = history.slice(start).findLastIndex(hasCompaction);
  return { at: found < 0 ? (known?.at ?? -1) : start + found, itemsRead: history.length };
}

/** Returns the history in the order in which it is folded. Its items stay the same objects. */
export function readCompaction<Item>(
  history: readonly Item[],
  { at: index }: KnownCompaction,
  settings: PlanSettings,
): readonly Item[] {
  const item = index < 0 ? undefined : history[index];
  if (item === undefined) return history;
  const start = countInstructions(history);
  if (settings.providerCompaction === "allow" && !isAnsweredAfter(history, index)) {
    return [...history.slice(0, start), ...history.slice(Math.max(start, index))];
  }
  const next = history[index + 1];
  if (index !== start || !isCover(next, settings)) return history;
  return [...history.slice(0, start), next as Item, item, ...history.slice(index + 2)];
}

/** Puts a compaction that a fold has kept before the summary. One that was read back is the first message after it. */
export function writeCompaction<Item>(messages: Item[], { head, kept, messages: shown }: View): Item[] {
  const isKept = [...kept, ...shown.slice(0, 1)].some(({ message }) => hasProviderCompaction(message));
  if (!isKept || head.summary === undefined) return messages;
  const index = messages.findLastIndex(hasCompaction);
  const item = messages[index];
  if (item === undefined || !isBareItem(item)) return messages;
  const start = countInstructions(messages);
  return [...messages.slice(0, start), item, ...messages.slice(start, index), ...messages.slice(index + 1)];
}

/** Whether the item is a compaction, or a message with one. */
function hasCompaction(item: unknown): boolean {
  if (isBareItem(item)) return true;
  return isObject(item) && Array.isArray(item.content) && item.content.some(isBareItem);
}

function isBareItem(item: unknown): boolean {
  return isObject(item) && item.type === "compaction";
}

function countInstructions(history: readonly unknown[]): number {
  const first = history.findIndex((item) => !isObject(item) || (item.role !== "system" && item.role !== "developer"));
  return first === -1 ? history.length : first;
}

function isCover(item: unknown, { summary }: PlanSettings): boolean {
  const content: unknown = isObject(item) && item.role === "user" ? item.content : undefined;
  const [first]: readonly unknown[] = Array.isArray(content) ? content : [{ text: content }];
  return isObject(first) && typeof first.text === "string" && isCoverText(first.text, summary.renderer);
}

/** Whether a result after the compaction answers a call before it. */
function isAnsweredAfter(history: readonly unknown[], index: number): boolean {
  const idsOf = (items: readonly unknown[], isResult: boolean) =>
    items.filter(isObject).flatMap((item) => {
      const blocks = Array.isArray(item.content) ? item.content.filter(isObject) : [];
      return [item, ...blocks].flatMap((block) => findCallId(block, isResult));
    });
  const called = new Set(idsOf(history.slice(0, index), false));
  return idsOf(history.slice(index), true).some((id) => called.has(id));
}

function findCallId(block: Fields, isResult: boolean): readonly unknown[] {
  const answers = /result$|_output$/.test(String(block.type));
  if (answers !== isResult) return [];
  const id = isResult
    ? (block.call_id ?? block.callId ?? block.tool_use_id)
    : (block.call_id ?? block.callId ?? block.id);
  return id === undefined ? [] : [id];
}
