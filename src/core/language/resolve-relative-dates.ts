/**
 * The dates that a text means by words that lean on the day on which it was said: "yesterday" in a message of 8 May 2023
 * is 7 May 2023. Days are exact; where people speak of a week, a month or a year, so does the date.
 *
 * What could be meant in two ways stays unresolved ("the other day", "a few weeks ago", "Friday" in a sentence that does
 * not tell past from future), and so do words inside quotations, code, paths and names. Days are those of UTC.
 */
import { findCalendarDay } from "./calendar-day.ts";
import { quotedRanges } from "./quoted-ranges.ts";
import { COUNTS, readPhrase } from "./read-phrase.ts";
import { seeTense, type Tense } from "./see-tense.ts";

export interface ResolvedDate {
  /** Where the phrase stands in the text. */
  readonly start: number;
  readonly end: number;
  readonly phrase: string;
  /** `7 May 2023`, `around 25 June 2023`, `the week before 9 June 2023`, `June 2023`, `summer 2022`, `2022`. */
  readonly date: string;
}

/** In the order of the text and without overlap. */
export function resolveRelativeDates(text: string, saidAt: number): readonly ResolvedDate[] {
  const today = findCalendarDay(saidAt);
  if (today === undefined || !HINT.test(text)) return [];
  const resolved: ResolvedDate[] = [];
  const isQuoted = quoteTest(text);
  for (const match of text.matchAll(PHRASE)) {
    const [phrase] = match;
    const start = match.index;
    const end = start + phrase.length;
    if (isQuoted(start) || !standsAlone(text, start, end)) continue;
    const date = readPhrase({ phrase: plain(phrase), today, seeTense: () => tenseAt(text, start, end) });
    if (date !== undefined) resolved.push({ start, end, phrase, date });
  }
  return resolved;
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

/** What every phrase holds: a text without it needs no second look. */
const HINT =
  /yesterday|today|tonight|tomorrow|\bweekend|\b(?:last|this|next|ago|from now|in \w{1,9} (?:day|week|month|year)s?|on \w{3,6}day)\b/i;

/** "The exam is in two weeks": what is at that distance is to come. */
function tenseAt(text: string, start: number, end: number): Tense | undefined {
  return IS_BEFORE.test(text.slice(Math.max(0, start - LOOK_AROUND), start)) ? "future" : seeTense(text, start, end);
}

const IS_BEFORE = /(?:\b(?:is|are|am|be)|['’](?:s|re|m)) $/i;

/** Asked of places in their order only. */
function quoteTest(text: string): (place: number) => boolean {
  const ranges = quotedRanges(text);
  let next = 0;
  return (place) => {
    while ((ranges[next]?.end ?? Number.POSITIVE_INFINITY) <= place) next += 1;
    return (ranges[next]?.start ?? Number.POSITIVE_INFINITY) <= place;
  };
}

function plain(phrase: string): string {
  return phrase.toLowerCase().replace(/['’]s$/, "");
}

/** Whether the phrase at that place means what its words say: no part of a name, a title, a path or a longer phrase. */
function standsAlone(text: string, start: number, end: number): boolean {
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
/** "USA Today", "Last Week Tonight": a capital in the middle of a sentence belongs to a name. */
const TITLE = /^(?!On |In )[A-Z][a-z]/;
const WORD_BEFORE = /[A-Za-z] $/;
/** Short names of days and months that are other words when written small. */
const ORDINARY_WORD = /\b(?:sun|sat|wed|mon|may|march)\b/;
/** "More than two years ago", "two or three years ago", "two and a half years ago". */
const VAGUE_BEFORE = /\b(?:or|to|than|over|under|least|most|and|half|few|couple|some|several|many)(?: of)? $/i;
/** "A week ago Friday", "two years ago this month". */
const POINTED_AFTER = /^ (?:today|yesterday|tomorrow|this|last|on|\w{3,6}day\b|or so\b)/i;
/** "The last week" is the past seven days or the final ones, "my last year" the final one, "like yesterday" no day. */
const OTHER_BEFORE = /\b(?:the|my|our|his|her|their|your|its|every|each|any|one|a|very|like|once|twice|times) $/i;
/** "Last week of June", "this fall from grace", "today's world". */
const OTHER_AFTER = /^ (?:of\b|or so\b|or the\b|from\b|short\b|apart\b|(?:and )?age\b|world\b|society\b)/i;
