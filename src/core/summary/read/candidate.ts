/** A line that could stand in the story of a summary, and what its salience is judged by. */
import type { MessageId } from "../../message/message.ts";

export interface Candidate {
  /** The line with who said it before it, without the mark of the list and without its date. */
  readonly body: string;
  /** Writes the same in more of the words in which it was said, and in all of them. */
  readonly fuller?: readonly (() => string)[] | undefined;
  /** What it was made from, with secrets replaced: its names must be found there. */
  readonly raw: string;
  /** The day it was said, where the source knows. */
  readonly date?: string | undefined;
  /** Its place in the story. */
  readonly order: number;
  /** Its message, or undefined where an earlier summary said it. */
  readonly messageId?: MessageId | undefined;
  /** All messages that it was made from, where they are others than its own. */
  readonly messageIds?: readonly MessageId[] | undefined;
  /** The number of its message, where people talk: what is near belongs together. */
  readonly turn?: number | undefined;
  /** How much it mattered in an earlier summary, from 0 to 1. */
  readonly salience?: number | undefined;
  /** How much its words count for, by who said it and what it does. */
  readonly weight: number;
}

export function sourcesOf({ messageId, messageIds }: Candidate): readonly MessageId[] {
  return messageIds === undefined ? (messageId === undefined ? [] : [messageId]) : [...new Set(messageIds)];
}
