/**
 * Where a conversation turned to another topic, told from its words, files, tools, pauses and from what people say
 * where they turn: without a model, in any script, and never inside a round. It is the tracker of `topic-tracker.ts`
 * fed with a whole list; who follows a growing conversation keeps a tracker instead.
 */
import { AMOUNT, checkOptions } from "../check-options.ts";
import { type AnyMessage, readMessages } from "../message/formats/read-messages.ts";
import type { Message } from "../message/message.ts";
import { CONFIDENT_FROM } from "./topic-boundary.ts";
import { createTopicTracker, type TopicChange } from "./topic-tracker.ts";

export interface TopicBoundariesOptions {
  /** From 0 to 1; what is less sure is left out. Below 0.2 nothing is a boundary, whatever is asked. */
  readonly minConfidence?: number | undefined;
}

/** Takes messages in any shape that can be read; an index is a place in the list that was given. */
export function findTopicBoundaries(
  input: readonly AnyMessage[],
  options: TopicBoundariesOptions = {},
): readonly TopicChange[] {
  checkOptions(options, { minConfidence: AMOUNT }, "findTopicBoundaries");
  const { minConfidence = CONFIDENT_FROM } = options;
  const { messages, places } = readMessages(input);
  const tracker = createTopicTracker();
  for (const message of messages) tracker.add(message);
  return tracker.changes(minConfidence).map((change) => ({ ...change, index: places[change.index] ?? change.index }));
}

export function findNewestBoundary(
  messages: readonly Message[],
  minConfidence: number = CONFIDENT_FROM,
): TopicChange | undefined {
  return findTopicBoundaries(messages, { minConfidence }).at(-1);
}
