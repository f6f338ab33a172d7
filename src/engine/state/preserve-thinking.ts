import type { Message } from "../../core/message/message.ts";
import { messageText } from "../../core/message/message-text.ts";
import { type AssembledPrompt, isSystemText } from "../../core/prompt/assemble-prompt.ts";
import { mapReplacedMessages, type SectionChains, sendThinking } from "../../core/prompt/send-thinking.ts";
import {
  type LeftOutThinking,
  type ThinkingRules,
  type ThinkingWalk,
  walkThinking,
} from "../../core/prompt/walk-thinking.ts";
import { describeTools } from "../context/describe-tools.ts";
import type { MessageCounts } from "../context/message-counts.ts";
import type { Limits, PromptRequest } from "../context/prompt-request.ts";
import type { WeighedWorkspace } from "../workspace/workspace-content.ts";

export interface ThinkingReport {
  readonly sentBlocks: number;
  readonly leftOut: readonly LeftOutThinking[];
}

/** Finds the rules of a prompt; undefined if its model is unknown or does not bind thinking. */
export function findThinkingRules(
  request: PromptRequest,
  { info, ...limits }: Limits,
  { counts, placed }: { readonly counts: MessageCounts; readonly placed: WeighedWorkspace | undefined },
): ThinkingRules | undefined {
  const model = request.model ?? limits.model;
  if (!info.bindsThinking || model === undefined) return undefined;
  // Providers treat an empty list as none.
  const tools = describeTools(request.tools).length === 0 ? "" : counts.countTools(request.tools).hash;
  const instructions = joinInstructions(request.instructions, placed) ?? "";
  return { model, provider: request.provider ?? "ai-sdk", instructions, tools };
}

/** Appends the outlines of a workspace to the instructions. */
export function joinInstructions(
  instructions: string | undefined,
  placed: WeighedWorkspace | undefined,
): string | undefined {
  const texts = [instructions, placed?.system && messageText(placed.system)];
  const written = texts.filter((text) => text !== undefined && text.trim() !== "");
  return written.length === 0 ? instructions : written.join("\n\n");
}

/** Returns the durable messages in prompt order. */
export function orderMessages({ items }: AssembledPrompt, placed: WeighedWorkspace | undefined): readonly Message[] {
  if (placed === undefined) return items.map(({ message }) => message);
  const preamble = items.filter(isSystemText).map(({ message }) => message);
  return [...preamble, ...placed.places.flatMap(({ messages }) => messages)];
}

export interface PreservedPrompt {
  readonly assembled: AssembledPrompt;
  readonly placed: WeighedWorkspace | undefined;
  readonly walk: ThinkingWalk | undefined;
}

/** Remembers the last walk over a session's thinking, so that a prompt costs only what is new. */
export interface ThinkingMemo {
  walk: ThinkingWalk | undefined;
  readonly chains: SectionChains;
}

export function createThinkingMemo(): ThinkingMemo {
  return { walk: undefined, chains: new Map() };
}

export interface PreserveOptions {
  readonly rules: ThinkingRules | undefined;
  readonly counts: MessageCounts;
  readonly memo: ThinkingMemo;
}

export function preserveThinking(
  assembled: AssembledPrompt,
  placed: WeighedWorkspace | undefined,
  { rules, counts, memo }: PreserveOptions,
): PreservedPrompt {
  if (rules === undefined) return { assembled, placed, walk: undefined };
  const { originOf } = assembled;
  const items = placed === undefined ? assembled.items : findItems(assembled, placed);
  const walk = walkThinking(items, {
    rules,
    originOf: (source) => originOf.call(assembled, source),
    previous: memo.walk,
  });
  memo.walk = walk;
  const replaced = mapReplacedMessages(walk);
  if (replaced.size === 0) return { assembled, placed, walk };
  const sent = sendThinking(assembled, replaced, { count: counts.count, chains: memo.chains });
  return { assembled: sent, placed: placed && replaceIn(placed, replaced), walk };
}

function findItems(assembled: AssembledPrompt, placed: WeighedWorkspace) {
  const known = new Map(assembled.items.map((item) => [item.message, item]));
  return orderMessages(assembled, placed).map((message) => known.get(message) ?? { message, sources: [] });
}

function replaceIn(placed: WeighedWorkspace, replaced: ReadonlyMap<Message, Message>): WeighedWorkspace {
  const places = placed.places.map((place) => ({
    ...place,
    messages: place.messages.map((message) => replaced.get(message) ?? message),
  }));
  return { ...placed, places };
}
