/**
 * The facts that triggers check. They come from the view, the request's limits and the clock, not from the log.
 * `prompt({ next })` appends `next` before triggers are checked, and records its request afterwards. In the phase
 * `post-response`, triggers are checked after a reply.
 */
import { findPreambleSeqs, type Head } from "../../log/head.ts";
import type { View, ViewMessage } from "../../log/view.ts";
import { hasText } from "../../message/message-text.ts";

export interface ViewFacts {
  /** Messages that could be folded: above the view floor and outside the preamble. Does not count the summary. */
  readonly messages: number;
  /** The user and assistant messages among them that have text. */
  readonly textMessages: number;
  /** Records in the chain: the newest record's depth plus one, or 0 without a summary. */
  readonly summaryRecords: number;
}

export interface SizeFacts {
  readonly promptTokens: number;
  /** Tokens of the conversation: everything but instructions and tools. Includes summary and pins. */
  readonly conversationTokens: number;
  readonly windowTokens: number;
  /** Window − reserve − instructions − tools. */
  readonly budgetTokens: number;
  readonly limitTokens: number;
}

/** The numbers that a provider gave when it refused a prompt for its size. */
export interface RefusalFacts {
  readonly promptTokens?: number | undefined;
  readonly limitTokens?: number | undefined;
}

export interface SessionFacts {
  /** Messages after the last seq that the newest compaction had read; undefined before the first. */
  readonly messagesSinceCompaction: number | undefined;
  readonly armed: boolean;
  /** Time since the previous prompt was handed out; undefined if there is none. */
  readonly sinceRequestMs: number | undefined;
  /** How long the model's provider keeps a prefix: `cache.ttlMs` of its `ModelInfo`. */
  readonly cacheTtlMs: number;
  readonly refusal: RefusalFacts | undefined;
  readonly isAsked: boolean;
}

export interface TriggerFacts extends ViewFacts, SizeFacts, SessionFacts {}

export function countViewFacts(view: View): ViewFacts {
  const preamble = new Set(findPreambleSeqs(view.head));
  const messages = view.messages.filter(({ seq }) => !preamble.has(seq));
  const summaryRecords = view.head.summary === undefined ? 0 : view.head.summary.depth + 1;
  return { messages: messages.length, textMessages: countTextMessages(messages), summaryRecords };
}

export function sumViewFacts(left: ViewFacts, right: ViewFacts): ViewFacts {
  const [messages, textMessages] = [left.messages + right.messages, left.textMessages + right.textMessages];
  return { ...left, messages, textMessages };
}

/** Updates the facts after one more message without counting the others again. */
export function addToFacts(facts: ViewFacts, { seq, message }: ViewMessage, head: Head): ViewFacts {
  if (findPreambleSeqs(head).includes(seq)) return facts;
  const textMessages = facts.textMessages + (hasText(message) ? 1 : 0);
  return { ...facts, messages: facts.messages + 1, textMessages };
}

/** Counts user and assistant messages with text. */
export function countTextMessages(messages: readonly ViewMessage[]): number {
  return messages.filter(({ message }) => hasText(message)).length;
}

export function countMessagesAfter(view: Pick<View, "messages">, seq: number): number {
  const { messages } = view;
  let [low, high] = [0, messages.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((messages[middle]?.seq ?? 0) > seq) high = middle;
    else low = middle + 1;
  }
  return messages.length - low;
}

export function areSoftTriggersHeld(head: Head): boolean {
  return head.messageCount < head.holdThroughCount;
}
