/**
 * Completes a model's summary with the lines of a summary by code that the text does not cover. The lines are added at
 * the end of the text, under the headings of a summary by code. The least salient are left out if the cap is reached;
 * the model's text is never shortened.
 */
import { contentStems } from "../../language/words.ts";
import { countText } from "../../tokens/count-text.ts";
import { extractClaims } from "../claims/extract-claims.ts";
import { dropSpeakerParts } from "../read/merge-speaker-lines.ts";
import { createNameKey } from "../read/read-names.ts";
import { HEADINGS, toEnglishHeading } from "../record/headings.ts";
import { BULLET, joinLines, readStory, type StoryLine, writeStory } from "../record/layout.ts";
import type { SummaryLine } from "../record/record.ts";
import { findLargest, type TrimOptions } from "../record/trim-summary.ts";
import { splitSentences } from "../text/split-sentences.ts";
import type { CheckedSummary } from "../verify/complete-record.ts";
import { readNames } from "../write/group-names.ts";

/** `offline` has the lines of a summary by code with the same source and cap. */
export function* addMissingLinesInSteps(
  checked: CheckedSummary,
  offline: readonly SummaryLine[],
  { capTokens, counter }: TrimOptions,
): Generator<undefined, CheckedSummary> {
  const isCovered = createCoverageTest(checked.text);
  yield undefined;
  const missing = findMissing(offline, isCovered);
  yield undefined;
  const ranked = missing.toSorted((left, right) => right.value - left.value);
  const write = (most: number): readonly SummaryLine[] => writeMissing(missing, new Set(ranked.slice(0, most)));
  const complete = (lines: readonly SummaryLine[]): string => `${checked.text}\n\n${joinLines(lines)}`;
  const most = findLargest(missing.length, (some) => countText(complete(write(some)), counter) <= capTokens);
  yield undefined;
  const lines = write(most);
  if (lines.length === 0) return checked;
  const text = complete(lines);
  const verification = { ...checked.verification, addedLines: most };
  return { ...checked, text, lines, tokens: countText(text, counter), verification };
}

interface MissingLine {
  readonly heading: string;
  readonly value: number;
  readonly line: SummaryLine;
  /** Set for a line of the story, so that its date can be written again. */
  readonly story?: StoryLine | undefined;
}

type CoverageTest = (text: string) => boolean;

/**
 * Lines of the story have their salience, from 0 to 1. Facts, the user's words and the names of a file are worth more,
 * bare lists of names less.
 */
const FACT_VALUE = 2;
const FILE_NAMES_VALUE = 1.1;
const BARE_NAMES_VALUE = 0.9;
/** A line is covered if the text has this share of its words. */
const COVERED_SHARE = 0.75;

function findMissing(offline: readonly SummaryLine[], isCovered: CoverageTest): readonly MissingLine[] {
  const missing: MissingLine[] = [];
  const story = readStory(joinLines(offline), offline);
  let heading = "";
  let place = 0;
  for (const line of offline) {
    const isItem = line.text.startsWith(BULLET);
    if (!isItem) heading = line.messageIds.length === 0 ? line.text : "";
    const told = isItem && isStory(heading) ? story[place++] : undefined;
    if (told !== undefined) missing.push(...missingStory(told, { heading, line }, isCovered));
    else if (isItem) {
      const left = isNames(heading) ? withoutTold(line, isCovered) : line;
      if (left !== undefined && !isCovered(left.text))
        missing.push({ heading, line: left, value: weighLine(left.text, heading) });
    }
  }
  return missing;
}

function weighLine(text: string, heading: string): number {
  if (heading !== "" && !isNames(heading)) return FACT_VALUE;
  return readNames(bare(text)).some(({ use, home }) => (use ?? home) !== undefined)
    ? FILE_NAMES_VALUE
    : BARE_NAMES_VALUE;
}

function isNames(heading: string): boolean {
  return toEnglishHeading(heading) === HEADINGS.names;
}

/** Returns a line of names without those that the text has; undefined if none is left and the label names no file. */
function withoutTold(line: SummaryLine, isCovered: CoverageTest): SummaryLine | undefined {
  const border = line.text.indexOf(": ") + 2;
  const separator = line.text.includes("; ", border) ? "; " : " ";
  const names = line.text.slice(border).split(separator);
  const left = names.filter((name) => !isCovered(name));
  if (border < 2) return line;
  if (left.length === 0) return line.text.slice(0, border).includes(" was ") ? line : undefined;
  return { ...line, text: line.text.slice(0, border) + left.join(separator) };
}

function isStory(heading: string): boolean {
  return toEnglishHeading(heading) === HEADINGS.story;
}

function missingStory(
  told: StoryLine,
  place: Pick<MissingLine, "heading" | "line">,
  isCovered: CoverageTest,
): readonly MissingLine[] {
  const body = dropSpeakerParts(told.body, isCovered);
  if (body === undefined) return [];
  return [{ ...place, value: told.salience ?? 0, story: { ...told, body } }];
}

/** Writes the kept lines in their order, each heading once and only above a line. */
function writeMissing(missing: readonly MissingLine[], kept: ReadonlySet<MissingLine>): readonly SummaryLine[] {
  const groups = Map.groupBy(
    missing.filter((each) => kept.has(each)),
    ({ heading }) => heading,
  );
  return [...groups].flatMap(([heading, members]) => {
    const story = writeStory(members.flatMap((each) => each.story ?? []));
    const items = isStory(heading) ? story : members.map(({ line }) => ({ ...line, text: bare(line.text) }));
    return [
      ...(heading === "" ? [] : [{ text: heading, messageIds: [] }]),
      ...items.map((item) => ({ ...item, text: `${BULLET}${item.text}` })),
    ];
  });
}

function bare(item: string): string {
  return item.slice(BULLET.length);
}

/**
 * Returns a function that tells whether the text covers a line: two neighboring sentences have most of its words, and
 * the text has all its names, numbers and dates.
 */
function createCoverageTest(text: string): CoverageTest {
  const keys = new Set(extractClaims(text).map(createNameKey));
  const placesOf = new Map<string, number[]>();
  for (const [place, sentence] of splitSentences(text).entries()) {
    for (const word of contentStems(sentence.text)) {
      const places = placesOf.get(word) ?? [];
      places.push(place);
      placesOf.set(word, places);
    }
  }
  return (line) => {
    if (!extractClaims(line).every((claim) => keys.has(createNameKey(claim)))) return false;
    const words = contentStems(line);
    const shared = new Map<number, number>();
    for (const word of words) {
      const pairs = new Set((placesOf.get(word) ?? []).flatMap((place) => [place - 1, place]));
      for (const pair of pairs) shared.set(pair, (shared.get(pair) ?? 0) + 1);
    }
    return Math.max(0, ...shared.values()) >= words.size * COVERED_SHARE;
  };
}
