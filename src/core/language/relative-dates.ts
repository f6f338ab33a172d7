/**
 * Resolves phrases that depend on the day of a message: "yesterday" in a message of 8 May 2023 is 7 May 2023. Days are
 * exact and in UTC; a week, a month or a year keeps its precision. Ambiguous phrases ("the other day", "a few weeks
 * ago", "Friday" without a tense) stay unresolved, and so do phrases inside quotations, code, paths and names. The
 * tables in `date-tables.ts` have the phrases of other languages.
 */
import { type CalendarDay, daysUntil, findCalendarDay, WEEKDAY_NAMES } from "./calendar-day.ts";
import type { FoundPhrase } from "./date-table.ts";
import { findDatePhraseFinder } from "./date-tables.ts";
import { listOtherLanguages } from "./detect-language.ts";
import { dateOfInstant } from "./normalize-date.ts";
import { COUNTS, findTense, resolvePhrase, type Tense } from "./read-date-phrase.ts";

export interface ResolvedDate {
  /** Offsets of the phrase in the text. */
  readonly start: number;
  readonly end: number;
  readonly phrase: string;
  /** The phrase in English, in lower case. */
  readonly meaning: string;
  /** Such as `7 May 2023`, `around 25 June 2023`, `the week before 9 June 2023`, `June 2023`, `summer 2022`, `2022`. */
  readonly date: string;
}

/** Returns the dates in the order of the text, without overlap. */
export function resolveRelativeDates(text: string, saidAt: number): readonly ResolvedDate[] {
  const today = findCalendarDay(saidAt);
  if (today === undefined) return [];
  const found = [...(HINT.test(text) ? findEnglish(text) : []), ...findOthers(text)];
  if (found.length === 0) return [];
  const resolved: ResolvedDate[] = [];
  const isQuoted = createQuoteTest(text);
  for (const { start, end, meaning } of found.toSorted((left, right) => left.start - right.start)) {
    if (start < (resolved.at(-1)?.end ?? 0) || isQuoted(start)) continue;
    const date = resolvePhrase({ phrase: meaning, today, findTense: () => tenseAt(text, start, end) });
    if (date !== undefined) resolved.push({ start, end, phrase: text.slice(start, end), meaning, date });
  }
  return resolved;
}

function findEnglish(text: string): readonly FoundPhrase[] {
  return Array.from(text.matchAll(PHRASE), ({ index: start, 0: phrase }) => {
    return { start, end: start + phrase.length, meaning: normalizePhrase(phrase) };
  }).filter(({ start, end }) => isIndependent(text, start, end));
}

/** Finds the phrases of the other languages that a text can be in. */
function findOthers(text: string): readonly FoundPhrase[] {
  return listOtherLanguages(text).flatMap((language) => findDatePhraseFinder(language)?.(text) ?? []);
}

const WEEKDAY = "(?:sun|mon|tues|wednes|thurs|fri|satur)day";
const NAME =
  "(?:sun|mon|tues?|wed|thurs?|fri|sat|january|february|march|april|may|june|july|august|sept(?:ember)?|october|november|december)";
const UNIT = "(?:day|week|weekend|month|year)s?";
const COUNT = `(?:an?|\\d{1,3}|${COUNTS.join("|")})`;
const PART = "(?: (?:morning|afternoon|evening|night))?";

const PHRASE = new RegExp(
  [
    "\\b(?:the )?day (?:before yesterday|after tomorrow)\\b",
    `\\b(?:yesterday|today|tomorrow)${PART}\\b`,
    "\\btonight\\b",
    `\\b(?:last|next|this(?: (?:past|coming))?) (?:(?:${WEEKDAY}|${NAME})${PART}|weekend|week|month|year|night|morning|afternoon|evening|spring|summer|autumn|fall)\\b`,
    "\\b(?:the )?(?:weekend|week|month|year) before last\\b",
    `\\b${COUNT} ${UNIT} (?:ago|from (?:now|today))\\b`,
    `\\bin ${COUNT} (?:days|day|weeks|week|months|month|years|year)(?:['’]s? time)?\\b`,
    "\\b(?:over|on|at) the weekend\\b",
    `\\bon ${WEEKDAY}${PART}\\b`,
  ]
    .map((pattern) => `${pattern}(?:['’]s\\b)?`)
    .join("|"),
  "gi",
);

/** Matches every text that `PHRASE` matches, in less time. */
const HINT =
  /yesterday|today|tonight|tomorrow|\bweekend|\b(?:last|this|next|ago|from now|in \w{1,9} (?:day|week|month|year)s?|on \w{3,6}day)\b/i;

/** Returns the tense around a phrase. "The exam is in two weeks" is future. */
function tenseAt(text: string, start: number, end: number): Tense | undefined {
  return FORM_OF_BE.test(text.slice(Math.max(0, start - LOOK_AROUND), start)) ? "future" : findTense(text, start, end);
}

const FORM_OF_BE = /(?:\b(?:is|are|am|be)|['’](?:s|re|m)) $/i;

/** Returns a function that checks whether an offset is quoted. Call it with ascending offsets. */
function createQuoteTest(text: string): (place: number) => boolean {
  const ranges = quotedRanges(text);
  let next = 0;
  return (place) => {
    while ((ranges[next]?.end ?? Number.POSITIVE_INFINITY) <= place) next += 1;
    return (ranges[next]?.start ?? Number.POSITIVE_INFINITY) <= place;
  };
}

function normalizePhrase(phrase: string): string {
  return phrase.toLowerCase().replace(/['’]s$/, "");
}

/** Returns false for a part of a name, a title, a path or a longer phrase. */
function isIndependent(text: string, start: number, end: number): boolean {
  const phrase = text.slice(start, end);
  const before = text.slice(Math.max(0, start - LOOK_AROUND), start);
  const after = text.slice(end, end + LOOK_AROUND);
  if (NAME_BEFORE.test(before) || NAME_AFTER.test(after)) return false;
  if (WORD_BEFORE.test(before) && TITLE.test(phrase)) return false;
  if (ORDINARY_WORD.test(phrase)) return false;
  if (/ago\b/i.test(phrase)) return !VAGUE_BEFORE.test(before) && !POINTED_AFTER.test(after);
  return !OTHER_BEFORE.test(before) && !OTHER_AFTER.test(after);
}

const LOOK_AROUND = 24;
const NAME_BEFORE = /[\w/\\@#$_.–-]$/;
const NAME_AFTER = /^(?:[\w/\\@_=(:]|[-–.]\w)/;
/** Capitalized inside a sentence, as part of a name: "USA Today", "Last Week Tonight". */
const TITLE = /^(?!On |In )[A-Z][a-z]/;
const WORD_BEFORE = /[A-Za-z] $/;
/** Short names of days and months that are other words in lower case. */
const ORDINARY_WORD = /\b(?:sun|sat|wed|mon|may|march)\b/;
/** Words that make a count vague: "more than two years ago", "two or three years ago". */
const VAGUE_BEFORE = /\b(?:or|to|than|over|under|least|most|and|half|few|couple|some|several|many)(?: of)? $/i;
/** Words after a phrase that move its date: "a week ago Friday", "two years ago this month". */
const POINTED_AFTER = /^ (?:today|yesterday|tomorrow|this|last|on|\w{3,6}day\b|or so\b)/i;
/** Words before a phrase that change its meaning: "the last week", "my last year", "like yesterday". */
const OTHER_BEFORE = /\b(?:the|my|our|his|her|their|your|its|every|each|any|one|a|very|like|once|twice|times) $/i;
/** Words after a phrase that change its meaning: "last week of June", "this fall from grace", "today's world". */
const OTHER_AFTER = /^ (?:of\b|or so\b|or the\b|from\b|short\b|apart\b|(?:and )?age\b|world\b|society\b)/i;

export interface PossibleDates {
  readonly days: readonly string[];
  /** Dates in the notation of `ResolvedDate`. */
  readonly others: readonly string[];
}

/**
 * Returns every day (`2023-05-07`) that a text can mean on the day of its message, so that verification accepts it in a
 * summary. Includes more than `resolveRelativeDates`: the previous and the next date of a bare weekday, the first and
 * last day of a week, and words such as "gestern". Other days are not returned, so that verification finds a date that
 * is off by one.
 */
export function listPossibleDates(text: string, saidAt: number): PossibleDates {
  const today = findCalendarDay(saidAt);
  if (today === undefined) return { days: [], others: [] };
  const resolved = resolveRelativeDates(text, saidAt);
  const offsets = new Set<number>();
  for (const { meaning } of resolved) for (const offset of weekOffsets(meaning, today)) offsets.add(offset);
  for (const offset of weekdayOffsets(text, resolved, today)) offsets.add(offset);
  for (const [word] of text.matchAll(PLAIN_WORD)) offsets.add(PLAIN_OFFSETS[word.toLowerCase()] ?? 0);
  const days = [...offsets].flatMap((offset) => dateOfInstant(saidAt + offset * DAY_MS) ?? []);
  return { days, others: [...new Set(resolved.map(({ date }) => date))] };
}

const DAY_MS = 86_400_000;

/** Returns the first and last day of a week (Monday to Sunday) or weekend. */
function weekOffsets(phrase: string, today: CalendarDay): readonly number[] {
  const match = WEEK.exec(phrase);
  if (match === null) return [];
  const monday = -((today.weekday + 6) % 7);
  const weeks = match[1] === undefined ? [-1, 0] : [WEEKS[match[1].toLowerCase()] ?? 0];
  const first = match[2] === undefined ? 0 : 5;
  return weeks.flatMap((week) => [monday + week * 7 + first, monday + week * 7 + 6]);
}

const WEEK = /\b(?:(last|this past|next|this coming|this)|the) week(end)?\b/i;
const WEEKS: Readonly<Record<string, number>> = { last: -1, "this past": -1, next: 1, "this coming": 1, this: 0 };

/** Returns the previous and the next date; for "next Friday" the next two. */
function weekdayOffsets(text: string, resolved: readonly ResolvedDate[], today: CalendarDay): ReadonlySet<number> {
  const offsets = new Set<number>();
  let next = 0;
  for (const match of text.matchAll(WEEKDAY_WORD)) {
    while ((resolved[next]?.end ?? Number.POSITIVE_INFINITY) <= match.index) next += 1;
    if ((resolved[next]?.start ?? Number.POSITIVE_INFINITY) <= match.index) continue;
    const ahead = daysUntil(today, WEEKDAY_NAMES.indexOf(toWeekday(match[2])));
    offsets.add(ahead);
    offsets.add(match[1] === undefined ? ahead - 7 : ahead + 7);
  }
  return offsets;
}

const WEEKDAY_WORD = /\b(next )?((?:sun|mon|tues|wednes|thurs|fri|satur)day)\b/gi;

function toWeekday(name: string | undefined): (typeof WEEKDAY_NAMES)[number] {
  return WEEKDAY_NAMES.find((weekday) => weekday === name?.toLowerCase()) ?? "sunday";
}

/** Days from today. The pattern avoids `\b`, which ends a word at letters outside ASCII. */
const PLAIN_OFFSETS: Readonly<Record<string, number>> = {
  yesterday: -1,
  tomorrow: 1,
  vorgestern: -2,
  gestern: -1,
  morgen: 1,
  übermorgen: 2,
  anteayer: -2,
  ayer: -1,
  mañana: 1,
  前天: -2,
  昨天: -1,
  明天: 1,
  后天: 2,
  一昨日: -2,
  昨日: -1,
  明日: 1,
  明後日: 2,
  ontem: -1,
  anteontem: -2,
  amanhã: 1,
  demain: 1,
  أمس: -1,
  البارحة: -1,
  غدا: 1,
  غدًا: 1,
};
const PLAIN_WORD =
  /(?<!\p{L})(?:yesterday|tomorrow|vorgestern|gestern|morgen|übermorgen|anteayer|ayer|mañana|anteontem|ontem|amanhã|demain|أمس|البارحة|غدًا|غدا)(?!\p{L})|前天|昨天|明天|后天|一昨日|昨日|明後日|明日/giu;

export interface PhraseRange {
  readonly start: number;
  readonly end: number;
}

const CLOSING: Readonly<Record<string, string>> = { '"': '"', "“": "”", "„": "“", "«": "»", "「": "」", "`": "`" };

/** Returns the quoted parts of a text: in quotation marks, backticks or fences, and on lines that begin with `>`. */
export function quotedRanges(text: string): readonly PhraseRange[] {
  const ranges: PhraseRange[] = [];
  let isFenced = false;
  let start = 0;
  for (const line of text.split("\n")) {
    const head = line.trimStart();
    const isFence = head.startsWith("```") || head.startsWith("~~~");
    if (isFence) isFenced = !isFenced;
    if (isFence || isFenced || head.startsWith(">")) ranges.push({ start, end: start + line.length });
    else addQuotations(ranges, line, start);
    start += line.length + 1;
  }
  return ranges;
}

function addQuotations(ranges: PhraseRange[], line: string, offset: number): void {
  let place = 0;
  // An unclosed mark stays unclosed for the rest of the line, so each kind is searched only once.
  const unclosed = new Set<string>();
  while (place < line.length) {
    const closing = CLOSING[line.charAt(place)];
    if (closing === undefined || unclosed.has(closing)) {
      place += 1;
      continue;
    }
    const end = line.indexOf(closing, place + 1);
    if (end < 0) unclosed.add(closing);
    else ranges.push({ start: offset + place, end: offset + end + 1 });
    place = end < 0 ? place + 1 : end + 1;
  }
}
