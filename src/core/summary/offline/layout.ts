/**
 * How an offline summary is written, and how its story is read back when it is folded into the next one. Headings stand
 * alone on a line; everything that comes from the conversation stands on one line after a dash, so that no text from it
 * can pass for a heading. A day is written where it begins and holds until another one is written.
 */
import { NO_DATE, type StoryLine } from "./story-line.ts";

export interface Layout {
  readonly goals: readonly string[];
  readonly constraints: readonly string[];
  readonly decisions: readonly string[];
  /** What the user said something is. */
  readonly known: readonly string[];
  readonly open: readonly string[];
  readonly done: readonly string[];
  /** In order. */
  readonly story: readonly StoryLine[];
  /** Each with a word for how they were used. */
  readonly names: readonly NameGroup[];
}

export interface NameGroup {
  readonly label: string;
  readonly names: readonly string[];
}

export const EMPTY_LAYOUT: Layout = {
  goals: [],
  constraints: [],
  decisions: [],
  known: [],
  open: [],
  done: [],
  story: [],
  names: [],
};

const HEADINGS = {
  goals: "Goal:",
  constraints: "Must hold:",
  decisions: "Decided:",
  known: "Known:",
  open: "Open:",
  done: "Done:",
  story: "What happened:",
  names: "Names:",
} as const;

export const BULLET = "- ";

export function writeLayout(layout: Layout): string {
  return [
    ...section(HEADINGS.goals, layout.goals),
    ...section(HEADINGS.constraints, layout.constraints),
    ...section(HEADINGS.decisions, layout.decisions),
    ...section(HEADINGS.known, layout.known),
    ...section(HEADINGS.open, layout.open),
    ...section(HEADINGS.done, layout.done),
    ...section(HEADINGS.story, writeStory(layout.story)),
    ...section(HEADINGS.names, writeNames(layout.names)),
  ].join("\n");
}

function section(heading: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [heading, ...lines.map((line) => `${BULLET}${line}`)];
}

function writeStory(story: readonly StoryLine[]): readonly string[] {
  let date: string | undefined;
  return story.map((line) => {
    const isSame = line.date === date;
    date = line.date;
    return isSame ? line.body : `${line.date ?? NO_DATE} ${line.body}`;
  });
}

/** The marks between names are chosen so that two of them never read as a third. */
function writeNames(groups: readonly NameGroup[]): readonly string[] {
  return groups.map(({ label, names }) => `${label}: ${names.join("; ")}`);
}

const DATED = /^(\d{4}-\d{2}-\d{2}|undated) (?=\S)/;

/** The story of a text that was written by `writeLayout`. */
export function readStory(text: string): readonly StoryLine[] {
  const lines = text.split("\n");
  const start = lines.indexOf(HEADINGS.story);
  if (start < 0) return [];
  const story: StoryLine[] = [];
  let date: string | undefined;
  for (const line of lines.slice(start + 1)) {
    if (!line.startsWith(BULLET)) break;
    const content = line.slice(BULLET.length);
    const found = DATED.exec(content);
    if (found !== null) date = found[1] === NO_DATE ? undefined : found[1];
    story.push({ date, body: content.slice(found?.[0].length ?? 0) });
  }
  return story;
}
