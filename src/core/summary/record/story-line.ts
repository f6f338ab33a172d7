import type { MessageId } from "../../message/message.ts";

/** One line of the story: who said or did what, and on which day where that is known. */
export interface StoryLine {
  readonly body: string;
  readonly date?: string | undefined;
  readonly messageIds?: readonly MessageId[] | undefined;
  /** How much it mattered among the lines of its summary, from 0 to 1. */
  readonly salience?: number | undefined;
}

/** Stands for the day of a line that has none, after one that has. */
export const NO_DATE = "undated";
