/** Finds lines about failures of compilers, test runners, shells and logs, and chooses those that fit a length. */

/** Start and end of a piece of text, in characters. */
type Stretch = readonly [start: number, end: number];

export interface FailureLine {
  readonly start: number;
  readonly end: number;
  /** Whether an earlier line is the same except for its numbers. */
  readonly isRepeated: boolean;
}

/** How tools report failures: the word alone, at the start of a line, or before a colon. */
const REPORT = new RegExp(
  [
    String.raw`(?:^|[\s[>])(?:error|fatal|panic|exception|failed|failure|err!)\s*[:!\]]`,
    String.raw`\berror(?: [A-Z]{1,6}\d+|\[E\d+\])|^npm ERR!|^Traceback \(|^\s*(?:-+\s*)?FAIL(?:ED)?\b`,
    String.raw`^\s*(?:[\w.]+\.)?\w*(?:Error|Exception)\b\s*(?::|$)|^Caused by: |^Exception in thread `,
    String.raw`\b(?:command not found|no such file or directory|permission denied|segmentation fault)\b`,
    String.raw`\b(?:undefined reference to|panicked at|fatal error|killed process|what went wrong:|error at)`,
    String.raw`^\s*not ok \d|^E {2,}\S|\*\*\* \[.*\] Error \d|^\s*\d+:\d+ +error\b|^\s*● `,
    String.raw`\blevel"?[=:] ?"?(?:error|fatal)\b`,
    String.raw`\b[1-9]\d* (?:errors?|failed|failures?|failing)\b|[✗✖❌]`,
  ].join("|"),
  "i",
);
const LEVEL = /(?:^|[\s|[])(?:ERROR|FATAL|CRITICAL)(?=[\s|\]])/;
/** Lines that may be about a failure. Used only if a failure is known and no line reports it. */
const MENTION = new RegExp(
  [
    String.raw`\b\w*(?:error|exception)s?\b|\b(?:panic(?:ked)?|fatal|fail(?:ed|s|ing|ures?)?|abort(?:ed)?|killed)\b`,
    String.raw`\b(?:cannot|can't|could not|unable to|not found|denied|refused|timed out|undefined reference)\b`,
  ].join("|"),
  "i",
);
const HARMLESS =
  /\b(?:0|no|zero|without(?: any)?) (?:errors?|failures?|failed|failing|exceptions?)\b|\b(?:errors?|failures?|failed)[:=] ?0\b/gi;
/** A passed test, whose name may mention a failure. */
const PASSED = /^\s*(?:[✓✔√]|ok \d|PASS(?:ED)?\b|--- PASS)/;
const EXIT = /\b(?:exit(?:ed)?(?: with)?(?: code| status)?|return ?code)[ :=]{1,3}-?0*[1-9]\d{0,9}\b/i;
/** Every line that one of these patterns matches contains one of these hints. */
const HINT =
  /err|exception|fatal|panic|critical|fail|traceback|caused by|not ok|exit|return ?code|went wrong|abort|killed|denied|refused|not found|no such|undefined reference|segmentation|cannot|can't|could not|unable to|timed out|[✗✖❌●]|^E {2}/gim;
const ESCAPE = String.fromCharCode(27);
const COLORS = new RegExp(`${ESCAPE}\\[[\\d;]{0,20}m`, "g");

/** Whether a line gives a non-zero exit code. */
export function hasNonZeroExitCode(line: string): boolean {
  return matchesFailure(line, (text) => EXIT.test(text));
}

export function reportsFailure(line: string): boolean {
  return matchesFailure(line, (text) => REPORT.test(text) || LEVEL.test(text));
}

export function mentionsFailure(line: string): boolean {
  return matchesFailure(line, (text) => MENTION.test(text));
}

function matchesFailure(line: string, test: (text: string) => boolean): boolean {
  const plain = line.includes(ESCAPE) ? line.replace(COLORS, "") : line;
  return test(plain) && !PASSED.test(plain) && test(plain.replace(HARMLESS, ""));
}

export interface FindFailureLinesOptions {
  readonly hasFailed?: boolean | undefined;
  /** In JSON, a line ends at an escaped line break. */
  readonly isJson?: boolean | undefined;
}

/** More lines than this never fit into a prompt. */
const MAX_FORMS = 1_000;
const MAX_REPEATED = 500;
/** Bounds the time for a text of millions of characters in which every line has a hint. */
const MAX_HINTS = 50_000;

type Verdict = "report" | "exit" | "mention" | "none";

export function findFailureLines(text: string, options: FindFailureLinesOptions = {}): readonly FailureLine[] {
  const found: (FailureLine & { readonly verdict: Verdict })[] = [];
  const verdicts = new Map<string, Verdict>();
  const counts = { report: 0, exit: 0, mention: 0, none: 0, repeated: 0 };
  for (const { start, end, line } of readHintedLines(text, options.isJson === true ? "\\n" : "\n")) {
    // Numbers other than zero count as the same.
    const form = line.replace(/[1-9]\d*/g, "1");
    const known = verdicts.get(form);
    const verdict = known ?? judgeLine(line);
    if (known === undefined) verdicts.set(form, verdict);
    counts[known === undefined ? verdict : "repeated"] += 1;
    if (verdict === "none" || (known !== undefined && counts.repeated > MAX_REPEATED)) continue;
    if (verdict === "mention" && (counts.report > 0 || counts.mention > MAX_FORMS)) continue;
    found.push({ start, end, isRepeated: known !== undefined, verdict });
    if (counts.report + counts.exit >= MAX_FORMS) break;
  }
  const mayMention = counts.report === 0 && (options.hasFailed === true || counts.exit > 0);
  return mayMention ? found : found.filter(({ verdict }) => verdict !== "mention");
}

function judgeLine(line: string): Verdict {
  if (reportsFailure(line)) return "report";
  if (hasNonZeroExitCode(line)) return "exit";
  return mentionsFailure(line) ? "mention" : "none";
}

/** Characters that are read around the hint in a longer line. */
const MAX_LINE_CHARACTERS = 400;
const LEAD_CHARACTERS = 100;

function* readHintedLines(text: string, lineEnd: string): Generator<Place & { readonly line: string }> {
  const hint = new RegExp(HINT);
  let done = 0;
  for (let count = 0; count < MAX_HINTS; count += 1) {
    const found = hint.exec(text);
    if (found === null) return;
    const start = findLineStart(text, found.index, done, lineEnd);
    const ahead = text.slice(found.index, start + MAX_LINE_CHARACTERS).indexOf(lineEnd);
    const limit = Math.min(text.length, Math.max(start + MAX_LINE_CHARACTERS, found.index + found[0].length));
    const end = wholeBorder(text, ahead === -1 ? limit : found.index + ahead);
    yield { start, end, line: text.slice(start, end) };
    done = end;
    hint.lastIndex = Math.max(end, found.index + 1);
  }
}

/** Everything before `done` has already been read. */
function findLineStart(text: string, hit: number, done: number, lineEnd: string): number {
  const first = Math.max(done, hit - MAX_LINE_CHARACTERS + LEAD_CHARACTERS);
  const ended = text.slice(first, hit).lastIndexOf(lineEnd);
  if (ended !== -1) return first + ended + lineEnd.length;
  return wholeBorder(text, first === done ? done : hit - LEAD_CHARACTERS);
}

/** Returns the place, or the one before it if it would split a surrogate pair. */
function wholeBorder(text: string, place: number): number {
  const code = text.charCodeAt(place);
  return place > 0 && code >= 0xdc00 && code < 0xe000 ? place - 1 : place;
}

/** Separates two spans that do not follow each other. */
export const GAP = "\n[…]\n";
/** A shorter piece of a line is not useful. */
const MIN_CHARACTERS = 24;

/**
 * Chooses lines that fit: each different line before any repetition, the first and the last before those between them,
 * then the lines after and before each. Consecutive lines become one span.
 */
export function chooseFailureLines(
  text: string,
  lines: readonly FailureLine[],
  roomCharacters: number,
): readonly Stretch[] {
  const room: Room = { text, left: roomCharacters, taken: [] };
  const firsts = lines.filter(({ isRepeated }) => !isRepeated);
  const rest = takeLines(firsts, room, Math.ceil(roomCharacters / 2));
  takeLines(rest.toReversed(), room);
  const repeated = lines.filter(({ isRepeated }) => isRepeated);
  takeLines(repeated, room);
  const [first] = firsts;
  if (room.taken.length === 0 && first !== undefined && roomCharacters >= MIN_CHARACTERS + GAP.length) {
    return [[first.start, wholeBorder(text, first.start + roomCharacters - GAP.length)]];
  }
  const found = [...room.taken];
  const after = found.flatMap(({ end }) => lineAfter(text, end));
  takeLines(after, room);
  const before = found.flatMap(({ start }) => lineBefore(text, start));
  takeLines(before, room);
  return joinStretches(room.taken);
}

type Place = Pick<FailureLine, "start" | "end">;

interface Room {
  readonly text: string;
  left: number;
  readonly taken: Place[];
}

/** Takes lines in order while more than `leave` characters are free, and returns those that were not tried. */
function takeLines(lines: readonly Place[], room: Room, leave = 0): readonly Place[] {
  for (const [index, line] of lines.entries()) {
    if (room.left <= leave + MIN_CHARACTERS) return lines.slice(index);
    const cost = line.end - line.start + GAP.length;
    if (cost > room.left) continue;
    room.left -= cost;
    room.taken.push(line);
  }
  return [];
}

function lineAfter(text: string, end: number): readonly Place[] {
  if (text[end] !== "\n") return [];
  const length = text.slice(end + 1, end + MAX_LINE_CHARACTERS).indexOf("\n");
  return length <= 0 ? [] : [{ start: end + 1, end: end + 1 + length }];
}

function lineBefore(text: string, start: number): readonly Place[] {
  if (start < 2 || text[start - 1] !== "\n") return [];
  const from = Math.max(0, start - MAX_LINE_CHARACTERS);
  const ended = text.slice(from, start - 1).lastIndexOf("\n");
  return ended === -1 ? [] : [{ start: from + ended + 1, end: start - 1 }];
}

function joinStretches(places: readonly Place[]): readonly Stretch[] {
  const stretches: [number, number][] = [];
  for (const { start, end } of places.toSorted((left, right) => left.start - right.start)) {
    const last = stretches.at(-1);
    if (last !== undefined && start <= last[1] + 1) last[1] = Math.max(last[1], end);
    else stretches.push([start, end]);
  }
  return stretches;
}
