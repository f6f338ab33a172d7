/** One line of the story: who said or did what, and on which day where that is known. */
export interface StoryLine {
  readonly body: string;
  readonly date?: string | undefined;
}

/** Stands for the day of a line that has none, after one that has. */
export const NO_DATE = "undated";
