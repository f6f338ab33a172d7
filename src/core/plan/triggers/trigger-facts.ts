/**
 * What a trigger may look at, as one value. Everything comes from a view, its head, the limits of the request and the
 * clock of the engine; nothing here needs the log. What must be counted over the view is counted by `countView`.
 */
import { type Head, preambleSeqs } from "../../log/head.ts";
import type { View, ViewMessage } from "../../log/view.ts";
import { hasWords } from "../../message/message-text.ts";

/** From the view and its head alone. */
export interface ViewFacts {
  /** Messages that could be folded: above the view floor and no preamble. A summary is none of them. */
  readonly messages: number;
  /** Those of them that were said by a user or an assistant and have words. */
  readonly textMessages: number;
  /** Records in the chain: one more than the depth of the newest, 0 without a summary. */
  readonly summaryRecords: number;
}

/** From the limits of the request and its estimate, after calibration. */
export interface SizeFacts {
  /** Everything that would be sent. */
  readonly promptTokens: number;
  /** What of it is conversation: all but instructions and tools. Summary and pins are conversation. */
  readonly conversationTokens: number;
  readonly windowTokens: number;
  /** Window − reserve − instructions − tools. */
  readonly budgetTokens: number;
  /** What the whole prompt may take. */
  readonly limitTokens: number;
}

/** What a provider said when it refused a prompt for its size, as far as it gave numbers. */
export interface RefusalFacts {
  readonly promptTokens?: number | undefined;
  readonly limitTokens?: number | undefined;
}

/** From what has happened to this session until now. */
export interface MomentFacts {
  /** `countMessagesAfter` the last seq that the newest compaction had read; undefined before the first. */
  readonly messagesSinceCompaction: number | undefined;
  /** The state that `updateArmed` keeps. */
  readonly armed: boolean;
  /** Now − the time of the last request; undefined when nothing was ever sent, and then nothing is cached. */
  readonly idleMs: number | undefined;
  /** How long the model's provider keeps a prefix: `cache.ttlMs` of its `ModelInfo`. */
  readonly cacheTtlMs: number;
  /** The answer to the last prompt, where it was such a refusal. */
  readonly refusal: RefusalFacts | undefined;
  /** Whether a compaction was asked for by name. */
  readonly isAsked: boolean;
}

export interface TriggerFacts extends ViewFacts, SizeFacts, MomentFacts {}

export function countView(view: View): ViewFacts {
  const preamble = new Set(preambleSeqs(view.head));
  const messages = view.messages.filter(({ seq }) => !preamble.has(seq));
  return {
    messages: messages.length,
    textMessages: countTextMessages(messages),
    summaryRecords: countRecords(view.head),
  };
}

/** Of two parts of one view. */
export function joinFacts(left: ViewFacts, right: ViewFacts): ViewFacts {
  const [messages, textMessages] = [left.messages + right.messages, left.textMessages + right.textMessages];
  return { ...left, messages, textMessages };
}

/** The same after one more message, without counting the others again. */
export function addToFacts(facts: ViewFacts, { seq, message }: ViewMessage, head: Head): ViewFacts {
  if (preambleSeqs(head).includes(seq)) return facts;
  const textMessages = facts.textMessages + (hasWords(message) ? 1 : 0);
  return { ...facts, messages: facts.messages + 1, textMessages };
}

/** Neither system messages nor blank ones: the same list is counted, folded and shown. */
export function countTextMessages(messages: readonly ViewMessage[]): number {
  return messages.filter(({ message }) => hasWords(message)).length;
}

/** Messages since a place in the log. The tail that a compaction left is older than that place, so it does not count. */
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

/** Whether an undo still holds back what can wait. */
export function holdsSoft(head: Head): boolean {
  return head.messageCount < head.holdThroughCount;
}

function countRecords({ summary }: Head): number {
  return summary === undefined ? 0 : summary.depth + 1;
}
