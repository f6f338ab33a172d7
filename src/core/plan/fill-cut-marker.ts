/** Fills the marker in a cut text with its lines about failures, or else with names that are shown nowhere else. */
import type { MiddleReplacement, Span } from "../log/prune.ts";
import { chooseFailureLines, type FailureLine, findFailureLines, GAP } from "../message/failure-lines.ts";
import type { Part, TextPart, ToolCallPart, ToolResultPart } from "../message/message.ts";
import { outputText } from "../message/message-text.ts";
import { type CutMarks, NAMES_MARK, removeCutMarker } from "../message/own-notes.ts";
import { findShownNames } from "../summary/read/read-names.ts";
import { findFileAccess } from "./prune-rules/tool-use.ts";

export interface NameOptions {
  /** Text that the prompt shows elsewhere. */
  readonly known: string;
  readonly marks: Pick<CutMarks, "tail">;
}

const NAMES_SHARE = 0.5;
/** Characters searched for names at either end of a text. */
const READ_CHARACTERS = 12_000;
/** With fewer characters of names, the marker does not list them. */
const MIN_CHARACTERS = 12;
const COST_POWER = 0.6;

export function addNamesToMarker(
  part: Part,
  middle: MiddleReplacement,
  { known, marks }: NameOptions,
): MiddleReplacement {
  const strings = readStrings(part);
  const shown = `${known}\n${strings.map((text) => takeFixedEnds(text, middle.keepCharacters)).join("\n")}`;
  const candidates = findCandidates(strings).filter(({ text }) => !shown.includes(text));
  const ownCharacters = NAMES_MARK.length + marks.tail.length;
  const roomCharacters = Math.floor(middle.keepCharacters * strings.length * NAMES_SHARE) - ownCharacters;
  const { spans, characters } = takeBestNames(candidates, roomCharacters);
  if (characters < MIN_CHARACTERS) return middle;
  const taken = Math.ceil((characters + ownCharacters - middle.marker.length) / strings.length);
  const keepCharacters = Math.max(0, middle.keepCharacters - taken);
  return { ...middle, keepCharacters, named: { before: NAMES_MARK, spans, after: marks.tail } };
}

/** Returns the beginning and the end of a text that are kept even if names take all the room they may. */
function takeFixedEnds(text: string, keepCharacters: number): string {
  if (text.length <= keepCharacters) return text;
  const end = Math.floor(keepCharacters * NAMES_SHARE * 0.3);
  return `${text.slice(0, Math.floor(keepCharacters * NAMES_SHARE * 0.7))}\n${text.slice(text.length - end)}`;
}

interface NamedSpan {
  readonly text: string;
  readonly span: Span;
  readonly worth: number;
}

/** Cached by part, because a prompt is cut to several levels and the names stay the same. */
const candidatesByTexts = new WeakMap<readonly string[], readonly NamedSpan[]>();
const stringsByPart = new WeakMap<Part, readonly string[]>();

function findCandidates(texts: readonly string[]): readonly NamedSpan[] {
  const known = candidatesByTexts.get(texts);
  if (known !== undefined) return known;
  const names = new Map<string, NamedSpan>();
  let place = 0;
  for (const text of texts) {
    for (const [start, end] of findReadRanges(text)) {
      for (const { claim, uses } of findShownNames(text.slice(start, end))) {
        const span: Span = [place + start + claim.start, place + start + claim.end];
        const worth = Math.sqrt(uses) / (claim.text.length + MIN_CHARACTERS) ** COST_POWER;
        if (!names.has(claim.text)) names.set(claim.text, { text: claim.text, span, worth });
      }
    }
    place += text.length;
  }
  const candidates = [...names.values()].sort((left, right) => right.worth - left.worth);
  candidatesByTexts.set(texts, candidates);
  return candidates;
}

function findReadRanges({ length }: string): readonly Span[] {
  if (length <= 2 * READ_CHARACTERS) return [[0, length]];
  return [
    [0, READ_CHARACTERS],
    [length - READ_CHARACTERS, length],
  ];
}

/** Returns spans in the order of the text. */
function takeBestNames(
  candidates: readonly NamedSpan[],
  roomCharacters: number,
): { readonly spans: readonly Span[]; readonly characters: number } {
  const spans: Span[] = [];
  let characters = 0;
  for (const { text, span } of candidates) {
    if (characters + text.length + 1 > roomCharacters) continue;
    characters += text.length + 1;
    spans.push(span);
  }
  return { spans: spans.sort(([left], [right]) => left - right), characters };
}

/** Lists strings in the order in which they are cut. */
function readStrings(part: Part): readonly string[] {
  const known = stringsByPart.get(part);
  if (known !== undefined) return known;
  const texts: string[] = [];
  const visit = (value: unknown): void => {
    if (typeof value === "string") texts.push(value);
    else if (typeof value === "object" && value !== null) for (const field of Object.values(value)) visit(field);
  };
  if (part.type === "text") texts.push(removeCutMarker(part.text));
  else if (part.type === "tool-result") texts.push(removeCutMarker(outputText(part.output)));
  else if (part.type === "tool-call") visit(part.input);
  stringsByPart.set(part, texts);
  return texts;
}

export interface KeepLinesOptions {
  readonly marks: Pick<CutMarks, "beforeLines">;
  readonly call: ToolCallPart | undefined;
}

const LINES_SHARE = 0.5;

/** Keeps lines about failures from anywhere in the middle. Returns undefined if no such line would be cut. */
export function keepFailureLines(
  part: Part,
  middle: MiddleReplacement,
  { marks, call }: KeepLinesOptions,
): MiddleReplacement | undefined {
  if ((part.type !== "text" && part.type !== "tool-result") || isSource(call)) return undefined;
  const { text, lines } = readFailureText(part);
  const added = Math.max(0, marks.beforeLines.length - middle.marker.length);
  const room = Math.floor(middle.keepCharacters * LINES_SHARE) - added;
  // Lines take at most half of each kept end of the text.
  const [head, tail] = [middle.keepCharacters * LINES_SHARE * 0.7, middle.keepCharacters * LINES_SHARE * 0.3];
  const cut = lines.filter(({ start, end }) => end > head && start < text.length - tail);
  const spans = chooseFailureLines(text, cut, room);
  if (spans.length === 0) return undefined;
  const taken = spans.reduce((sum, [start, end]) => sum + end - start + GAP.length, added);
  return {
    ...middle,
    keepCharacters: Math.max(0, middle.keepCharacters - taken),
    lines: { before: marks.beforeLines, spans },
  };
}

const LOG_FILE = /\.(?:log|out|txt)$/i;

/** Lines about errors in source code are not failures. */
function isSource(call: ToolCallPart | undefined): boolean {
  const access = findFileAccess(call);
  return access !== undefined && !access.paths.some((path) => LOG_FILE.test(path));
}

interface FailureText {
  readonly text: string;
  readonly lines: readonly FailureLine[];
}

/** Cached by part, because a prompt is cut to several levels and the lines stay the same. */
const readByPart = new WeakMap<Part, FailureText>();

function readFailureText(part: TextPart | ToolResultPart): FailureText {
  const known = readByPart.get(part);
  if (known !== undefined) return known;
  const text = removeCutMarker(part.type === "text" ? part.text : outputText(part.output));
  const options = part.type === "text" ? {} : { hasFailed: part.failed, isJson: part.output.type === "json" };
  const read = { text, lines: findFailureLines(text, options) };
  readByPart.set(part, read);
  return read;
}
