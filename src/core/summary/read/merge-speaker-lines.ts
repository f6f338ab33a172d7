/** Merges nearby lines of a speaker: `Ana: sold the boat; moved in March`. Splitting reverses this. */
import type { MessageId } from "../../message/message.ts";
import type { StoryLine } from "../record/layout.ts";
import { WRITE_WEIGHTS } from "../weights.ts";
import { type Candidate, sourcesOf } from "./candidate.ts";

const BETWEEN = "; ";

interface OpenLine {
  body: string;
  readonly date: string | undefined;
  readonly messageIds: MessageId[];
  readonly turn: number;
  parts: number;
  /** Salience of the most salient part, which a lesser part must not lower. */
  salience: number | undefined;
}

export function mergeSpeakerLines(candidates: readonly Candidate[]): readonly StoryLine[] {
  const lines: OpenLine[] = [];
  const open = new Map<string, OpenLine>();
  for (const candidate of candidates) {
    const { body, date, turn, salience } = candidate;
    const label = labelOf(body);
    const line = open.get(label);
    if (line !== undefined && canAppend(line, candidate)) {
      line.parts += 1;
      line.salience = higherSalience(line.salience, salience);
      line.body += `${BETWEEN}${body.slice(label.length)}`;
      for (const id of sourcesOf(candidate)) if (!line.messageIds.includes(id)) line.messageIds.push(id);
    } else {
      const messageIds = [...sourcesOf(candidate)];
      const opened = { body, date, messageIds, turn: turn ?? Number.NEGATIVE_INFINITY, parts: 1, salience };
      lines.push(opened);
      if (label !== "") open.set(label, opened);
    }
  }
  return lines.map(({ body, date, messageIds, salience }) => ({ body, date, messageIds, salience }));
}

function higherSalience(left: number | undefined, right: number | undefined): number | undefined {
  return left === undefined || right === undefined ? (left ?? right) : Math.max(left, right);
}

function canAppend(line: OpenLine, { body, date, turn }: Candidate): boolean {
  const isNear = turn !== undefined && turn - line.turn <= WRITE_WEIGHTS.mergedTurns;
  return (
    isNear &&
    line.parts < WRITE_WEIGHTS.mergedParts &&
    line.date === date &&
    line.body.length + body.length <= WRITE_WEIGHTS.mergedCharacters
  );
}

export interface PlacedLine extends StoryLine {
  /** Negative, counted backwards from the first message of the next stretch. */
  readonly turn?: number | undefined;
}

export function splitSpeakerLines(story: readonly StoryLine[]): readonly PlacedLine[] {
  return story.flatMap((line, index) => {
    const label = labelOf(line.body);
    const said = line.body.slice(label.length).split(BETWEEN);
    return said.map((rest) => ({ ...line, body: `${label}${rest}`, turn: index - story.length }));
  });
}

/** Drops parts of a merged line. Returns undefined if none is left. A tool call is one part: `cd a; make`. */
export function dropSpeakerParts(body: string, shouldDrop: (part: string) => boolean): string | undefined {
  const label = labelOf(body);
  const said = body.slice(label.length);
  const parts = label.startsWith(TOOL_LABEL) ? [said] : said.split(BETWEEN);
  const kept = parts.filter((part) => !shouldDrop(part));
  return kept.length === 0 ? undefined : `${label}${kept.join(BETWEEN)}`;
}

const TOOL_LABEL = "tool ";

/** Returns the label with its separator, or an empty string. */
function labelOf(body: string): string {
  const end = body.indexOf(": ");
  return end < 0 || end > MAX_LABEL_CHARACTERS ? "" : body.slice(0, end + 2);
}

const MAX_LABEL_CHARACTERS = 48;
