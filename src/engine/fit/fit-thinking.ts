/** Keeps thinking up to the first change of the history, and drops that of other instructions or tools. */
import type { Message } from "../../core/message/message.ts";
import type { AssembledItem, AssembledPrompt } from "../../core/prompt/assemble-prompt.ts";
import { sendThinking } from "../../core/prompt/send-thinking.ts";
import { countThinking, hasThinking, removeThinking } from "../../core/prompt/walk-thinking.ts";
import type { ThinkingReport } from "../state/preserve-thinking.ts";
import { type Origin, originOf } from "./encode-fitted.ts";
import type { FitSettings, LastSurroundings } from "./fit-run.ts";

export interface FittedThinking {
  readonly assembled: AssembledPrompt;
  readonly report: ThinkingReport | undefined;
}

export interface FitOutput {
  readonly origins: WeakMap<Message, Origin>;
  readonly history: readonly unknown[];
  /** The result with all thinking. */
  readonly messages: readonly unknown[];
  readonly isFolded: boolean;
  readonly lastSurroundings: LastSurroundings;
}

export function fitThinking(
  assembled: AssembledPrompt,
  { limits, counts }: FitSettings,
  { origins, history, messages, isFolded, lastSurroundings }: FitOutput,
): FittedThinking {
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
