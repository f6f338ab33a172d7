/**
 * Keeps or removes thinking in the result of `fit`. The prompts that the messages answer are unknown, so for a model that
 * binds thinking it is kept up to the first change of the history, and left out after it.
 */
import type { Message } from "../../core/message/message.ts";
import type { AssembledItem, AssembledPrompt } from "../../core/prompt/assemble-prompt.ts";
import { sendThinking } from "../../core/prompt/send-thinking.ts";
import { countThinking, hasThinking, removeThinking } from "../../core/prompt/walk-thinking.ts";
import type { ThinkingReport } from "../state/preserve-thinking.ts";
import { type Origin, originOf } from "./encode-fitted.ts";
import type { FitSettings } from "./fit-run.ts";

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
}

export function fitThinking(
  assembled: AssembledPrompt,
  { limits, counts }: FitSettings,
  { origins, history, messages, isFolded }: FitOutput,
): FittedThinking {
  if (!limits.info.bindsThinking || limits.model === undefined) return { assembled, report: undefined };
  const unchanged = countUnchanged(history, messages);
  const isBehind = (item: AssembledItem) => (originOf(item, origins)?.item ?? unchanged) >= unchanged;
  const thinking = assembled.items.filter(({ message }) => hasThinking(message));
  const lost = thinking.filter(isBehind).map(({ message }) => message);
  const replaced = new Map(lost.map((message) => [message, removeThinking(message)]));
  const sent = sendThinking(assembled, replaced, { count: counts.count, chains: new Map() });
  const sum = (list: readonly Message[]) => list.reduce((total, message) => total + countThinking(message), 0);
  const blocks = sum(lost);
  const sentBlocks = sum(thinking.map(({ message }) => message)) - blocks;
  const gone = { reason: isFolded ? "summary" : "messages", blocks, tokens: assembled.tokens - sent.tokens } as const;
  return { assembled: sent, report: { sentBlocks, leftOut: blocks === 0 ? [] : [gone] } };
}

/** Counts the items at the beginning that are returned unchanged. */
function countUnchanged(history: readonly unknown[], messages: readonly unknown[]): number {
  const isSame = (item: unknown, index: number) =>
    item === history[index] || JSON.stringify(item) === JSON.stringify(history[index]);
  const first = messages.findIndex((item, index) => !isSame(item, index));
  return first === -1 ? messages.length : first;
}
