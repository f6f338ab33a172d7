/**
 * Writes the layout of an offline summary and parses its lists and story. Headings have their own line, and text from
 * the conversation follows a dash, so that it cannot forge a heading. A date applies until the next one. Also writes and
 * parses the facts that code adds to a summary.
 */
import type { MessageId } from "../../message/message.ts";
import { HEADINGS, type Headings, type Section, toEnglishHeading } from "./headings.ts";
import type { Fact, FactKind, FactStatus, SummaryLine, SummaryRecord } from "./record.ts";

export interface Layout extends Readonly<Record<Exclude<Section, "story" | "names">, readonly SummaryLine[]>> {
  readonly story: readonly StoryLine[];
  readonly names: readonly NameGroup[];
}

export interface NameGroup {
  readonly label: string;
  readonly names: readonly string[];
  /** Used instead of a semicolon, which would take a fifth of the room in a list of many short names. */
  readonly separator?: string | undefined;
  readonly messageIds: readonly MessageId[];
}

export const BULLET = "- ";

/** Marks the next step among open items. */
export const NEXT_PREFIX = "Next: ";

/** Writes the lines with their sources; headings have none. */
export function writeLines(layout: Layout, headings: Headings = HEADINGS): readonly SummaryLine[] {
  const sections: Readonly<Record<Section, readonly SummaryLine[]>> = {
    ...layout,
    story: writeStory(layout.story),
    names: writeNames(layout.names),
  };
  return (Object.keys(HEADINGS) as Section[]).flatMap((name) => writeSection(headings[name], sections[name]));
}

export function joinLines(lines: readonly SummaryLine[]): string {
  return lines.map(({ text }) => text).join("\n");
}

/** Returns a model's text without the lines that code added at its end. */
export function withoutAddedLines({ text, lines = [] }: Pick<SummaryRecord, "text" | "lines">): string {
  const added = joinLines(lines);
  return added !== "" && text.endsWith(`\n${added}`) ? text.slice(0, -added.length).trimEnd() : text;
}

function writeSection(heading: string, lines: readonly SummaryLine[]): readonly SummaryLine[] {
  if (lines.length === 0) return [];
  return [{ text: heading, messageIds: [] }, ...lines.map((line) => ({ ...line, text: `${BULLET}${line.text}` }))];
}

/** Writes a date only where it changes. */
export function writeStory(story: readonly StoryLine[]): readonly SummaryLine[] {
  let date: string | undefined;
  return story.map((line) => {
    const isSame = line.date === date;
    date = line.date;
    const text = isSame ? line.body : `${line.date ?? NO_DATE} ${line.body}`;
    const { messageIds = [], salience } = line;
    return { text, messageIds, ...(salience === undefined ? {} : { salience }) };
  });
}

function writeNames(groups: readonly NameGroup[]): readonly SummaryLine[] {
  return groups.map(({ label, names, separator = "; ", messageIds }) => ({
    text: `${label}: ${names.join(separator)}`,
    messageIds,
  }));
}

/** Maps the English form of each heading to its items, without bullets. Headings may be in any language. */
export function readSections(text: string, headings: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const sections = new Map<string, string[]>();
  let open: string[] | undefined;
  for (const line of text.split("\n")) {
    if (line.startsWith(BULLET)) {
      open?.push(line.slice(BULLET.length));
      continue;
    }
    const heading = toEnglishHeading(line);
    open = headings.includes(heading) ? (sections.get(heading) ?? []) : undefined;
    if (open !== undefined) sections.set(heading, open);
  }
  return sections;
}

const DATED = /^(\d{4}-\d{2}-\d{2}|\d{1,2} [A-Z][a-z]{2,8} \d{4}|undated) (?=\S)/;

/** Parses the story. The sources come from the written lines with the same text. */
export function readStory(text: string, written: readonly SummaryLine[] = []): readonly StoryLine[] {
  const sources = new Map(written.map((line) => [line.text, line]));
  const lines = text.split("\n");
  const start = lines.findIndex((line) => toEnglishHeading(line) === HEADINGS.story);
  if (start < 0) return [];
  const story: StoryLine[] = [];
  let date: string | undefined;
  for (const line of lines.slice(start + 1)) {
    if (!line.startsWith(BULLET)) break;
    const content = line.slice(BULLET.length);
    const found = DATED.exec(content);
    if (found !== null) date = found[1] === NO_DATE ? undefined : found[1];
    const { messageIds, salience } = sources.get(line) ?? {};
    story.push({ date, body: content.slice(found?.[0].length ?? 0), messageIds, salience });
  }
  return story;
}

export interface StoryLine {
  /** The line with its speaker, without bullet and date. */
  readonly body: string;
  readonly date?: string | undefined;
  /** All messages that the line was made from, if there are several. */
  readonly messageIds?: readonly MessageId[] | undefined;
  /** Rank among the lines of its summary, from 0 to 1. */
  readonly salience?: number | undefined;
}

/** Written before an undated line that follows a dated one. */
export const NO_DATE = "undated";

export const FACTS_HEADING = "Facts kept from the conversation:";

type RenderableFact = Pick<Fact, "kind" | "text" | "status" | "owner" | "due">;

export function renderFacts(facts: readonly RenderableFact[]): string {
  if (facts.length === 0) return "";
  const lines = facts.filter(({ kind }) => kind !== "identifier").map(renderFact);
  const names = facts.filter(({ kind }) => kind === "identifier").map(({ text }) => text);
  return [FACTS_HEADING, ...lines, ...(names.length === 0 ? [] : [`- ${LABELS.identifier}: ${names.join("; ")}`])].join(
    "\n",
  );
}

export function renderFact({ kind, text, status, owner, due }: RenderableFact): string {
  const label = status === "done" ? DONE_LABEL : LABELS[kind];
  return `- ${label}: ${text}${renderOwnerAndDue({ owner, due })}`;
}

export function renderOwnerAndDue({ owner, due }: Pick<Fact, "owner" | "due">): string {
  const who = [owner, due === undefined ? undefined : `due ${due}`].filter((piece) => piece !== undefined).join("; ");
  return who === "" ? "" : ` (${who})`;
}

export type RenderedFact = Pick<Fact, "kind" | "text" | "owner" | "due"> & { readonly status?: FactStatus };

const DUE = / \((?:([^();]+); )?due ([^();]+)\)$/u;

/** Parses owner and due date. An owner without a date cannot be distinguished from the text. */
export function readOwnerAndDue(line: string): Pick<Fact, "text" | "owner" | "due"> {
  const found = DUE.exec(line);
  if (found === null) return { text: line };
  const [whole, owner, due] = found;
  return { text: line.slice(0, -whole.length), ...(owner === undefined ? {} : { owner }), due };
}

/** Expects a line without its bullet. */
export function readRenderedFacts(line: string): readonly RenderedFact[] {
  const border = line.indexOf(": ");
  const [label, rest] = [line.slice(0, border), line.slice(border + 2)];
  if (border < 0 || rest === "") return [];
  if (label === DONE_LABEL) return [{ kind: "open-item", ...readOwnerAndDue(rest), status: "done" }];
  const kind = KINDS.get(label);
  if (kind === undefined) return [];
  if (kind === "identifier") return rest.split("; ").map((text) => ({ kind, text }));
  return [{ kind, ...readOwnerAndDue(rest) }];
}

const DONE_LABEL = "done";

const LABELS: Readonly<Record<FactKind, string>> = {
  "pin-note": "pinned",
  constraint: "must hold",
  reported: "reported",
  goal: "goal",
  "user-message": "user said",
  "open-item": "open",
  question: "open question",
  decision: "decided",
  definition: "known",
  identifier: "names",
  command: "ran",
  "notebook-cell": "notebook",
  error: "error",
  participant: "participant",
};

const KINDS: ReadonlyMap<string, FactKind> = new Map(
  Object.entries(LABELS).map(([kind, label]) => [label, kind as FactKind]),
);
