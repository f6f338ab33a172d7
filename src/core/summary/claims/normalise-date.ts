/**
 * One spelling for each date: `2024-05-03`, `2024-05` for a month, `--05-03` for a day of no named year. 03/05/2024 is
 * read both ways round, because nobody can know which was meant.
 *
 * Nothing here knows what day it is: "yesterday" is resolved only against the time at which it was said.
 */

export function normaliseDate(text: string): readonly string[] {
  const found = findDates(text.trim());
  const [only] = found;
  return found.length === 1 && only?.start === 0 && only.end === text.trim().length ? only.keys : [];
}

export interface FoundDate {
  readonly start: number;
  readonly end: number;
  readonly keys: readonly string[];
}

/** Dates in a text, in order and without overlap. Every pattern begins at a digit or a month and is bounded. */
export function findDates(text: string): readonly FoundDate[] {
  const found: FoundDate[] = [];
  for (const { pattern, read } of PATTERNS) {
    for (const match of text.matchAll(pattern)) {
      const keys = read(match);
      if (keys.length > 0) found.push({ start: match.index, end: match.index + match[0].length, keys });
    }
  }
  found.sort((left, right) => left.start - right.start || right.end - left.end);
  let end = 0;
  return found.filter((date) => {
    if (date.start < end) return false;
    end = date.end;
    return true;
  });
}

/** Less exact ways to name the same day: its month, and the day without its year. */
export function coarserDates(key: string): readonly string[] {
  const [year, month, day] = key.split("-");
  return key.length === 10 && year && month && day ? [`${year}-${month}`, `--${month}-${day}`] : [];
}

export function dateOfInstant(milliseconds: number): string | undefined {
  const date = new Date(milliseconds);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString().slice(0, 10);
}

/** The days that "yesterday", "tomorrow" or the name of a weekday can mean in a text said at that time. */
export function resolveRelativeDates(text: string, saidAt: number): readonly string[] {
  const offsets = new Set<number>();
  for (const [word] of text.matchAll(RELATIVE)) {
    const name = word.toLowerCase();
    if (name === "yesterday") offsets.add(-1);
    else if (name === "tomorrow") offsets.add(1);
    else for (const offset of weekdayOffsets(name, saidAt)) offsets.add(offset);
  }
  return [...offsets].flatMap((offset) => dateOfInstant(saidAt + offset * DAY_MS) ?? []);
}

const DAY_MS = 86_400_000;
const WEEKDAYS = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];
const RELATIVE = /\b(?:yesterday|tomorrow|sunday|monday|tuesday|wednesday|thursday|friday|saturday)\b/gi;

/** The one before and the one after, and the one after that: "next Friday" is said of both. */
function weekdayOffsets(name: string, saidAt: number): readonly number[] {
  const today = new Date(saidAt).getUTCDay();
  if (Number.isNaN(today)) return [];
  const ahead = (WEEKDAYS.indexOf(name) - today + 7) % 7;
  return [ahead - 7, ahead, ahead + 7];
}

const MONTH =
  "(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)";
const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

interface DatePattern {
  readonly pattern: RegExp;
  readonly read: (match: RegExpExecArray) => readonly string[];
}

const PATTERNS: readonly DatePattern[] = [
  {
    pattern: /(?<![\w.-])(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?:T(?=\d)|(?![\w-]))/g,
    read: ([, year, , month, day]) => dateKeys({ year, month, day }),
  },
  {
    pattern: /(?<![\w./-])(\d{1,2})([/.-])(\d{1,2})\2(\d{4})(?![\w-])/g,
    read: ([, first, , second, year]) => [
      ...new Set([...dateKeys({ year, month: second, day: first }), ...dateKeys({ year, month: first, day: second })]),
    ],
  },
  { pattern: /(?<![\w.-])(\d{4})-(\d{2})(?![\w-])/g, read: ([, year, month]) => dateKeys({ year, month }) },
  {
    pattern: /(\d{4})年(\d{1,2})月(?:(\d{1,2})日)?/g,
    read: ([, year, month, day]) => dateKeys({ year, month, day }),
  },
  {
    pattern: new RegExp(`\\b(\\d{1,2})(?:st|nd|rd|th)?(?: of)? ${MONTH}\\b(?:\\.?,? (\\d{4})\\b(?!年))?`, "gi"),
    read: ([, day, month, year]) => dateKeys({ year, month: monthNumber(month), day }),
  },
  {
    pattern: new RegExp(`\\b${MONTH}\\.? (\\d{1,2})(?:st|nd|rd|th)?\\b(?:,? (\\d{4})\\b(?!年))?`, "gi"),
    read: ([, month, day, year]) => dateKeys({ year, month: monthNumber(month), day }),
  },
  {
    pattern: new RegExp(`\\b${MONTH}\\.? (\\d{4})\\b`, "gi"),
    read: ([, month, year]) => dateKeys({ year, month: monthNumber(month) }),
  },
];

function monthNumber(name: string | undefined): string {
  return String(MONTHS.indexOf((name ?? "").slice(0, 3).toLowerCase()) + 1);
}

interface DatePieces {
  readonly year?: string | undefined;
  readonly month?: string | undefined;
  readonly day?: string | undefined;
}

/** No key where the pieces are no date, so that they are read as the numbers they are. */
function dateKeys({ year, month = "", day }: DatePieces): readonly string[] {
  if (Number(month) < 1 || Number(month) > 12) return [];
  if (day !== undefined && (Number(day) < 1 || Number(day) > 31)) return [];
  const padded = [year ?? "-", month.padStart(2, "0"), ...(day === undefined ? [] : [day.padStart(2, "0")])];
  return [padded.join("-")];
}
