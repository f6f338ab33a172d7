/**
 * Changes one path, number or date of a summary slightly, and checks whether the change is found. If the changed value
 * happens to be in the source, the case is counted and replaced. Targets are found by this file's own patterns.
 */
import { verifySummary } from "../../src/core/summary/verify/verify-summary.ts";
import type { SeededRandom } from "../../src/testing/seeded-random.ts";
import type { BenchValue } from "../bench.ts";
import { containsWords, roundShare, type Subject, type Subjects } from "./subjects.ts";

export const TARGETS = ["path", "number", "date"] as const;
export type TargetKind = (typeof TARGETS)[number];

interface Span {
  readonly start: number;
  readonly end: number;
}

export interface Edit extends Span {
  readonly kind: TargetKind;
  readonly before: string;
  readonly after: string;
  /** The kind of change. */
  readonly way: string;
  readonly text: string;
}

export interface NearMissCase {
  readonly edit: Edit;
  readonly subject: Subject;
  readonly isFound: boolean;
}

export interface NearMissResult {
  readonly rows: readonly Readonly<Record<string, BenchValue>>[];
  readonly found: Readonly<Record<TargetKind, number>>;
  readonly missed: readonly NearMissCase[];
  readonly literal: number;
}

export function measureNearMisses(subjects: Subjects): NearMissResult {
  const cases: NearMissCase[] = [];
  const literal = new Map<TargetKind, number>();
  const made = new Map<TargetKind, number>();
  for (let tries = 0; tries < subjects.cases * 50; tries += 1) {
    const wanted = TARGETS.filter((kind) => (made.get(kind) ?? 0) < subjects.cases);
    if (wanted.length === 0) break;
    const subject = subjects.draw();
    const edits = wanted.flatMap((kind) => drawEdit(subject, kind, subjects.random) ?? []);
    const usable = edits.filter((edit) => {
      if (!containsWords(sourceOf(subject), edit.after)) return true;
      literal.set(edit.kind, (literal.get(edit.kind) ?? 0) + 1);
      return false;
    });
    for (const each of judge(subject, usable)) {
      made.set(each.edit.kind, (made.get(each.edit.kind) ?? 0) + 1);
      cases.push(each);
    }
  }
  return resultOf(cases, literal);
}

/** Runs one verification for all changes of one summary that do not touch each other. */
function judge(subject: Subject, edits: readonly Edit[]): readonly NearMissCase[] {
  const apart = edits.filter((edit, place) => !edits.slice(0, place).some((other) => touches(edit, other)));
  if (apart.length === 0) return [];
  let text = "";
  let from = 0;
  const placed = apart
    .toSorted((left, right) => left.start - right.start)
    .map((edit) => {
      text += subject.text.slice(from, edit.start);
      const start = text.length;
      text += edit.after;
      from = edit.start + edit.before.length;
      return { ...edit, start, end: text.length };
    });
  text += subject.text.slice(from);
  const { unsupported } = verifySummary(text, subject.conversation.messages, { protectedFacts: [] });
  return placed.map((edit) => ({ edit, subject, isFound: unsupported.some((claim) => overlaps(claim, edit)) }));
}

function touches(edit: Edit, other: Edit): boolean {
  return edit.start <= other.start + other.before.length && other.start <= edit.start + edit.before.length;
}

function overlaps(claim: Span, { start, end }: Span): boolean {
  return claim.start < end && claim.end > start;
}

const lowered = new Map<string, string>();

function sourceOf({ conversation: { data, name, sourceText } }: Subject): string {
  const key = `${data} ${name}`;
  const known = lowered.get(key) ?? sourceText.toLowerCase();
  lowered.set(key, known);
  return known;
}

function resultOf(cases: readonly NearMissCase[], literal: ReadonlyMap<TargetKind, number>): NearMissResult {
  const rows = TARGETS.flatMap((kind) => {
    const ofKind = cases.filter(({ edit }) => edit.kind === kind);
    const ways = [...new Set(ofKind.map(({ edit }) => edit.way))].toSorted();
    const row = (name: string, some: readonly NearMissCase[]): Readonly<Record<string, BenchValue>> => ({
      measure: "near miss",
      case: name,
      cases: some.length,
      found: roundShare(some.filter((each) => each.isFound).length, some.length),
      // By construction no changed value is in the source, so a search for the exact words detects every change.
      exactSubstring: 1,
    });
    return [
      { ...row(kind, ofKind), supportedByChance: literal.get(kind) ?? 0 },
      ...ways.map((way) =>
        row(
          `${kind}: ${way}`,
          ofKind.filter(({ edit }) => edit.way === way),
        ),
      ),
    ];
  });
  const shareOf = (kind: TargetKind): number => {
    const ofKind = cases.filter(({ edit }) => edit.kind === kind);
    return roundShare(ofKind.filter((each) => each.isFound).length, ofKind.length);
  };
  return {
    rows,
    found: { path: shareOf("path"), number: shareOf("number"), date: shareOf("date") },
    missed: cases.filter((each) => !each.isFound),
    literal: [...literal.values()].reduce((sum, count) => sum + count, 0),
  };
}

const MONTH =
  "(?:January|February|March|April|May|June|July|August|September|October|November|December|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sep|Oct|Nov|Dec)";
const DATE = new RegExp(
  `\\b\\d{4}-\\d{2}-\\d{2}\\b|\\b\\d{1,2}(?:st|nd|rd|th)? ${MONTH}\\b(?:,? \\d{4}\\b)?|\\b${MONTH} \\d{1,2}(?:st|nd|rd|th)?\\b(?:,? \\d{4}\\b)?`,
  "g",
);
const PATH =
  /(?<![\w/.:@-])(?:[~.]{0,2}\/)?(?:[\w@.-]+\/)+[\w@-]+(?:\.\w{1,6})*(?![\w/-])|(?<![\w/.@-])[\w-]+\.(?:tsx?|jsx?|py|md|json|ya?ml|go|rs|html|css|sh|sql|toml|txt|vue|rb|java)\b(?![\w/-])/g;
const NUMBER =
  /(?<![\w.,/:#@-])\$?\d{1,3}(?:,\d{3})+(?:\.\d+)?(?![\w/:-])|(?<![\w.,/:@-])\d+(?:\.\d+)?(?![\w.,/:-]|\.\d)/g;

export function findTargets(text: string, kind: TargetKind): readonly Span[] {
  const dates = spansOf(text, DATE);
  if (kind === "date") return dates;
  const links = spansOf(text, /\b[a-z]+:\/\/\S+/gi);
  const markers = spansOf(text, /^\s*(?:#+ )?\d{1,3}[.)]/gm);
  const apart = [...dates, ...links, ...markers];
  const spans = spansOf(text, kind === "path" ? PATH : NUMBER).filter(
    (span) => !apart.some((other) => other.start < span.end && other.end > span.start),
  );
  return spans.filter(({ start, end }) => {
    const found = text.slice(start, end);
    return kind === "number" || (/[a-z]/i.test(found) && (/\.\w+$/.test(found) || found.split("/").length > 2));
  });
}

function spansOf(text: string, pattern: RegExp): readonly Span[] {
  return [...text.matchAll(pattern)].map((match) => ({ start: match.index, end: match.index + match[0].length }));
}

export function drawEdit(subject: Subject, kind: TargetKind, random: SeededRandom): Edit | undefined {
  const targets = findTargets(subject.text, kind);
  if (targets.length === 0) return undefined;
  const { start, end } = random.pick(targets);
  const before = subject.text.slice(start, end);
  const [way, change] = random.pick(Object.entries(WAYS[kind]));
  const after = change(before, random, subject);
  if (after === undefined || after === before) return undefined;
  const text = `${subject.text.slice(0, start)}${after}${subject.text.slice(end)}`;
  return { kind, before, after, way, text, start, end: start + after.length };
}

type Change = (before: string, random: SeededRandom, subject: Subject) => string | undefined;

const LETTERS = "abcdefghijklmnopqrstuvwxyz";

function replaceAt(text: string, place: number, character: string): string {
  return `${text.slice(0, place)}${character}${text.slice(place + 1)}`;
}

function placesOf(text: string, pattern: RegExp): readonly number[] {
  return [...text.matchAll(pattern)].map((match) => match.index);
}

const changeDigit: Change = (before, random) => {
  const places = placesOf(before, /\d/g);
  if (places.length === 0) return undefined;
  const place = random.pick(places);
  const digit = String((Number(before.charAt(place)) + 1 + random.integer(9)) % 10);
  const after = replaceAt(before, place, digit);
  return digit === "0" && (place === 0 || /\D$/.test(before.slice(0, place))) ? undefined : after;
};

const swapDigits: Change = (before, random) => {
  const places = placesOf(before, /(\d)(?=\d)(?!\1)/g);
  if (places.length === 0) return undefined;
  const place = random.pick(places);
  const after = `${before.slice(0, place)}${before.charAt(place + 1)}${before.charAt(place)}${before.slice(place + 2)}`;
  return /(?:^|\D)0/.test(after) ? undefined : after;
};

const addDigit: Change = (before, random) => (/^\d+$/.test(before) ? `${before}${random.integer(10)}` : undefined);

const dropDigit: Change = (before, random) => {
  if (!/^\d{3,}$/.test(before)) return undefined;
  const place = 1 + random.integer(before.length - 1);
  return `${before.slice(0, place)}${before.slice(place + 1)}`;
};

const changeLetter: Change = (before, random) => {
  const name = before.lastIndexOf("/") + 1;
  const stem = /^[\w@-]+/.exec(before.slice(name))?.[0] ?? "";
  const places = placesOf(stem, /[a-z]/gi);
  if (places.length === 0) return undefined;
  const place = name + random.pick(places);
  const letter = random.pick([...LETTERS].filter((each) => each !== before.charAt(place).toLowerCase()));
  return replaceAt(before, place, letter);
};

const dropLetter: Change = (before, random) => {
  const name = before.lastIndexOf("/") + 1;
  const stem = /^[\w@-]+/.exec(before.slice(name))?.[0] ?? "";
  if (stem.length < 4) return undefined;
  const place = name + 1 + random.integer(stem.length - 1);
  return `${before.slice(0, place)}${before.slice(place + 1)}`;
};

const changeExtension: Change = (before, random) => {
  const match = /\.(\w{1,6})$/.exec(before);
  if (match === null) return undefined;
  const other = random.pick(
    ["ts", "tsx", "js", "py", "md", "json", "go", "css", "txt"].filter((each) => each !== match[1]),
  );
  return `${before.slice(0, match.index)}.${other}`;
};

const changeSegment: Change = (before, random) => {
  const segments = before.split("/");
  if (segments.filter((segment) => /[a-z]/i.test(segment)).length < 2) return undefined;
  const places = segments.flatMap((segment, place) =>
    /[a-z]{2}/i.test(segment) && place < segments.length - 1 ? [place] : [],
  );
  if (places.length === 0) return undefined;
  const words = ["utils", "core", "common", "models", "views", "legacy", "shared", "tests"];
  return segments.with(random.pick(places), random.pick(words)).join("/");
};

/** Replaces a file name by another one of the summary. */
const otherFile: Change = (before, random, subject) => {
  const slash = before.lastIndexOf("/");
  if (slash < 0) return undefined;
  const names = [...new Set((subject.text.match(PATH) ?? []).map((path) => path.slice(path.lastIndexOf("/") + 1)))];
  const others = names.filter((name) => name !== before.slice(slash + 1) && /\.\w+$/.test(name));
  return others.length === 0 ? undefined : `${before.slice(0, slash + 1)}${random.pick(others)}`;
};

const MONTH_NAMES = "January February March April May June July August September October November December".split(" ");

const shiftDay: Change = (before, random) => {
  const match = /(?<!\d)(\d{1,2})(?!\d)(?=(?:st|nd|rd|th)?(?:,| |$))/.exec(before) ?? /(?<=-)(\d{2})$/.exec(before);
  if (match === null) return undefined;
  const day = 1 + ((Number(match[0]) + random.integer(26)) % 28);
  const shown = match[0].length === 2 && match[0].startsWith("0") ? String(day).padStart(2, "0") : String(day);
  return `${before.slice(0, match.index)}${/-/.test(before) ? String(day).padStart(2, "0") : shown}${before.slice(match.index + match[0].length)}`;
};

const shiftMonth: Change = (before, random) => {
  const named = new RegExp(MONTH).exec(before);
  if (named !== null) {
    const other = random.pick(MONTH_NAMES.filter((name) => !name.startsWith(named[0].slice(0, 3))));
    return before.replace(named[0], named[0].length === 3 && named[0] !== "May" ? other.slice(0, 3) : other);
  }
  const match = /(?<=^\d{4}-)(\d{2})/.exec(before);
  if (match === null) return undefined;
  const month = 1 + ((Number(match[0]) + random.integer(11)) % 12);
  return `${before.slice(0, match.index)}${String(month).padStart(2, "0")}${before.slice(match.index + 2)}`;
};

const shiftYear: Change = (before, random) => {
  const match = /\d{4}/.exec(before);
  if (match === null) return undefined;
  return before.replace(match[0], String(Number(match[0]) + random.pick([-2, -1, 1, 2])));
};

const WAYS: Readonly<Record<TargetKind, Readonly<Record<string, Change>>>> = {
  path: {
    "another letter": changeLetter,
    "a letter less": dropLetter,
    "another extension": changeExtension,
    "another folder": changeSegment,
    "another file": otherFile,
  },
  number: {
    "another digit": changeDigit,
    "digits swapped": swapDigits,
    "a digit more": addDigit,
    "a digit less": dropDigit,
  },
  date: { "another day": shiftDay, "another month": shiftMonth, "another year": shiftYear },
};
