/**
 * A policy at work on one session: it gets the requests in order and returns what it would send. It may keep state, and
 * must not look ahead.
 */
import type { Message } from "../core/message/message.ts";
import type { PromptBlock } from "./prompt-blocks.ts";
import type { CacheOutcome } from "./prompt-cache.ts";
import type { PaidSummary } from "./shared-summarizer.ts";

export interface PolicyRequest {
  /** All messages so far. Each request passes the same list, which grows. */
  readonly history: readonly Message[];
  readonly timeMs: number;
  /** The usage of the previous request; undefined for the first. */
  readonly reported: CacheOutcome | undefined;
}

export interface PolicyPrompt {
  readonly blocks: readonly PromptBlock[];
  /** True if the past was changed for this prompt: something of the previous prompt is missing or not whole. */
  readonly isCut: boolean;
  /** The requests to a summarizer for this prompt. */
  readonly summaries: readonly PaidSummary[];
  /** Passages of hidden messages that this prompt quotes. */
  readonly recalledText?: string | undefined;
  /** Counts the rules of the provider that the prompt breaks. */
  readonly countComplaints?: (() => number) | undefined;
  readonly isOverBudget?: boolean | undefined;
}

export interface PolicyRun {
  send(request: PolicyRequest): Promise<PolicyPrompt>;
  close?(): Promise<void>;
}
