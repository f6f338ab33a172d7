/** A line that could stand in the story of a summary, and what its salience is judged by. */
import type { MessageId } from "../../message/message.ts";

export interface Candidate {
  /** The line with who said it before it, without the mark of the list and without its date. */
  readonly body: string;
  /** What it was made from, with secrets replaced: its names must be found there. */
  readonly raw: string;
  /** The day it was said, where the source knows. */
  readonly date?: string | undefined;
  /** Its place in the story. */
  readonly order: number;
  /** Its message, or undefined where an earlier summary said it. */
  readonly messageId?: MessageId | undefined;
  /** How much its words count for, by who said it and what it does. */
  readonly weight: number;
}
