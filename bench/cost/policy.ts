/**
 * What is compared: a policy is given the requests of one session in order and says what it would send. It may keep
 * what it decided before; it must not look ahead.
 */
import type { Message } from "../../src/core/message/message.ts";
import type { Block } from "./blocks.ts";
import type { CacheOutcome } from "./prompt-cache.ts";
import type { PaidSummary } from "./shared-summarizer.ts";

export interface PolicyRequest {
  /** Everything that had been said. The same list, longer, each time. */
  readonly history: readonly Message[];
  readonly timeMs: number;
  /** What the provider reported for the request before; undefined for the first. */
  readonly reported: CacheOutcome | undefined;
}

export interface PolicyPrompt {
  readonly blocks: readonly Block[];
  /** The past was changed for this prompt: something is missing, or not whole, that the prompt before had. */
  readonly isCut: boolean;
  /** What was asked of a summarizer for this prompt. */
  readonly summaries: readonly PaidSummary[];
}

/** A policy at work on one session. */
export interface PolicyRun {
  send(request: PolicyRequest): Promise<PolicyPrompt>;
  close?(): Promise<void>;
}
