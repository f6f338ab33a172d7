/**
 * Finds topic boundaries by words, files, tools, pauses and announcements: without a model, in any script, and never
 * inside a round. For a growing conversation, use `createTopicTracker` instead.
 */
import { AMOUNT, checkOptions } from "../check-options.ts";
import { type AnyMessage, readMessages } from "../message/formats/read-messages.ts";
import type { Message } from "../message/message.ts";
import { MIN_TOPIC_CONFIDENCE } from "./topic-boundary.ts";
import { createTopicTracker, type TopicChange } from "./topic-tracker.ts";

export interface TopicBoundariesOptions {
  /** From 0 to 1. Boundaries with less confidence are omitted; the detector never returns one below 0.2. */
  readonly minConfidence?: number | undefined;
}

/**
 * Accepts messages in any supported format. Indexes refer to the given list.
 *
 * @example
 * ```ts
 * for (const { index, reason } of findTopicBoundaries(history)) console.log(index, reason);
 * ```
 */
export function findTopicBoundaries(
  input: readonly AnyMessage[],
  options: TopicBoundariesOptions = {},
): readonly TopicChange[] {
  checkOptions(options, { minConfidence: AMOUNT }, "findTopicBoundaries");
  const { minConfidence = MIN_TOPIC_CONFIDENCE } = options;
  const { messages, places } = readMessages(input);
  const tracker = createTopicTracker();
  for (const message of messages) tracker.add(message);
  return tracker.changes(minConfidence).map((change) => ({ ...change, index: places[change.index] ?? change.index }));
}

/**
 * Returns the newest place where the topic changed, or undefined.
 *
 * @example
 * ```ts
 * const newest = findNewestBoundary(messages, 0.8);
 * console.log(newest?.index);
 * ```
 */
export function findNewestBoundary(
  messages: readonly Message[],
  minConfidence: number = MIN_TOPIC_CONFIDENCE,
): TopicChange | undefined {
  return findTopicBoundaries(messages, { minConfidence }).at(-1);
}
