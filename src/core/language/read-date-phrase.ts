/**
 * Resolves a phrase such as "last Friday" or "two months ago". Returns undefined for ambiguous phrases: "next Friday"
 * on a Monday, "last summer" in autumn, a weekday in a sentence without a clear tense.
 */
import {
  addDays,
  type CalendarDay,
  daysSince,
  daysUntil,
  MONTH_NAMES,
  WEEKDAY_NAMES,
  writeDay,
  writeMonth,
  writeYear,
} from "./calendar-day.ts";

export interface DatePhrase {
  /** In lower case, with single spaces and without a final `'s`. */
  readonly phrase: string;
  readonly today: CalendarDay;
  /** Called only if the phrase needs it. */
  readonly findTense: () => Tense | undefined;
}

export function resolvePhrase(said: DatePhrase): string | undefined {
  const words = said.phrase.split(" ").filter((word) => word !== "the");
  const [first = "", second = ""] = words;
  const whole = words.join(" ");
  const offset = DAY_OFFSETS[whole] ?? DAY_OFFSETS[first];
  if (offset !== undefined) return writeDayAway(said.today, offset);
  if (words[1] === "of") return readDayOfWeek(said.today, first, words[2] ?? "");
  if (words.at(-1) === "ago") return readAway(said.today, -readCount(first), second);
  if (whole.endsWith("before last")) return readAway(said.today, -2, first);
  if (first === "in" || words.includes("from")) return readAhead(said, words);
  if (first === "last" || whole.startsWith("this past "))
    return readLast(said.today, words.at(first === "last" ? 1 : 2) ?? "", first);
  if (first === "next" || whole.startsWith("this coming "))
    return readNext(said.today, words.at(first === "next" ? 1 : 2) ?? "", first);
  if (first === "this") return readThis(said, second);
  if (whole.endsWith("weekend")) return readOverWeekend(said);
  return first === "on" ? readBareWeekday(said, second) : undefined;
}

const DAY_OFFSETS: Readonly<Record<string, number>> = {
  "day before yesterday": -2,
  "day after tomorrow": 2,
  yesterday: -1,
  today: 0,
  tonight: 0,
  tomorrow: 1,
  "last night": -1,
  "last evening": -1,
  "this morning": 0,
  "this afternoon": 0,
  "this evening": 0,
};

function writeDayAway(today: CalendarDay, days: number): string | undefined {
  const day = addDays(today, days);
  return day && writeDay(day);
}

/** People round larger counts of days, and all counts of weeks. */
const MAX_EXACT_DAYS = 14;

/** Resolves a number of units before (a negative count) or after today. */
function readAway(today: CalendarDay, count: number, unit: string): string | undefined {
  switch (unit.replace(/(?:s|s['’]|['’]s)$/, "")) {
    case "day":
      return Math.abs(count) <= MAX_EXACT_DAYS ? writeDayAway(today, count) : writeAround(writeDayAway(today, count));
    case "week":
      return writeAround(writeDayAway(today, count * 7));
    case "weekend":
      return count < 0 ? `${WEEKEND_COUNTS[-count] ?? `${-count} weekends`} before ${writeDay(today)}` : undefined;
    case "month":
      return writeMonth(today, count);
    case "year":
      return Math.abs(count) === 1 ? writeAround(writeMonth(today, count * 12)) : writeYear(today, count);
    default:
      return undefined;
  }
}

const WEEKEND_COUNTS: Readonly<Record<number, string>> = { 1: "the weekend", 2: "two weekends", 3: "three weekends" };

function writeAround(date: string | undefined): string | undefined {
  return date && `around ${date}`;
}

/** Resolves "friday of next week", where weeks begin on Monday. */
function readDayOfWeek(today: CalendarDay, name: string, which: string): string | undefined {
  const weekday = findWeekday(name);
  if (weekday === undefined) return undefined;
  const weeks = which === "next" ? 1 : which === "last" ? -1 : 0;
  return writeDayAway(today, ((weekday + 6) % 7) - ((today.weekday + 6) % 7) + 7 * weeks);
}

/** Requires a future tense, because "in two weeks" may also be a duration. */
function readAhead({ phrase, today, findTense }: DatePhrase, words: readonly string[]): string | undefined {
  const isSure = words.includes("from") || phrase.endsWith(" time");
  if (!isSure && findTense() !== "future") return undefined;
  const [count = "", unit = ""] = words[0] === "in" ? words.slice(1) : words;
  return readAway(today, readCount(count), unit);
}

function readLast(today: CalendarDay, name: string, first: string): string | undefined {
  switch (name) {
    case "week":
    case "weekend":
      return `the ${name} before ${writeDay(today)}`;
    case "month":
      return first === "last" ? writeMonth(today, -1) : undefined;
    case "year":
      return first === "last" ? writeYear(today, -1) : undefined;
    default:
      return readLastNamed(today, name, first);
  }
}

function readLastNamed(today: CalendarDay, name: string, first: string): string | undefined {
  const weekday = findWeekday(name);
  if (weekday !== undefined) return writeDayAway(today, -daysSince(today, weekday));
  const season = SEASONS[name];
  if (season !== undefined) {
    const isOver = today.month > season.end;
    // After this year's summer, "last summer" can mean either year.
    if (isOver && first === "last") return undefined;
    return `${name} ${today.year - (isOver ? 0 : 1)}`;
  }
  const month = findMonth(name);
  return month !== undefined && month > today.month ? `${MONTH_NAMES[month]} ${today.year - 1}` : undefined;
}

function readNext(today: CalendarDay, name: string, first: string): string | undefined {
  switch (name) {
    case "week":
      return `the week after ${writeDay(today)}`;
    case "weekend":
      return first === "this" || isWeekend(today) ? comingWeekend(today) : undefined;
    case "month":
      return writeMonth(today, 1);
    case "year":
      return writeYear(today, 1);
    default:
      return readNextNamed(today, name, first);
  }
}

function readNextNamed(today: CalendarDay, name: string, first: string): string | undefined {
  const weekday = findWeekday(name);
  if (weekday !== undefined) {
    const ahead = daysUntil(today, weekday) || 7;
    return first === "this" || isInNextWeek(today, weekday) ? writeDayAway(today, ahead) : undefined;
  }
  const season = SEASONS[name];
  if (season !== undefined) return today.month >= season.start ? `${name} ${today.year + 1}` : undefined;
  const month = findMonth(name);
  return month !== undefined && month <= today.month ? `${MONTH_NAMES[month]} ${today.year + 1}` : undefined;
}

/** Returns true if the next such weekday is in next week, whether weeks begin on Sunday or on Monday. */
function isInNextWeek(today: CalendarDay, weekday: number): boolean {
  const isPastSunday = weekday <= today.weekday;
  const isPastMonday = (weekday + 6) % 7 <= (today.weekday + 6) % 7;
  return isPastSunday && isPastMonday;
}

function readThis({ today, findTense }: DatePhrase, name: string): string | undefined {
  const weekday = findWeekday(name);
  if (weekday !== undefined) {
    return writeDayAway(today, findTense() === "past" ? -daysSince(today, weekday) % 7 : daysUntil(today, weekday));
  }
  if (name === "week") return `the week of ${writeDay(today)}`;
  if (name === "weekend") {
    if (isWeekend(today)) return weekendOf(today);
    return findTense() === "past" ? `the weekend before ${writeDay(today)}` : comingWeekend(today);
  }
  if (name === "month") return writeMonth(today, 0);
  if (name === "year") return writeYear(today, 0);
  if (SEASONS[name] !== undefined) return `${name} ${today.year}`;
  const month = findMonth(name);
  return month === undefined ? undefined : `${MONTH_NAMES[month]} ${today.year}`;
}

function readOverWeekend({ today, findTense }: DatePhrase): string | undefined {
  return !isWeekend(today) && findTense() === "past" ? `the weekend before ${writeDay(today)}` : undefined;
}

/** Returns undefined for today's weekday, because people say "today" instead. */
function readBareWeekday({ today, findTense }: DatePhrase, name: string): string | undefined {
  const weekday = findWeekday(name);
  if (weekday === undefined || weekday === today.weekday) return undefined;
  const tense = findTense();
  if (tense === undefined) return undefined;
  return writeDayAway(today, tense === "past" ? -daysSince(today, weekday) : daysUntil(today, weekday));
}

function isWeekend({ weekday }: CalendarDay): boolean {
  return weekday === SATURDAY || weekday === SUNDAY;
}

const SUNDAY = 0;
const SATURDAY = 6;

function weekendOf(today: CalendarDay): string | undefined {
  const saturday = addDays(today, today.weekday === SUNDAY ? -1 : 0);
  return saturday && `the weekend of ${writeDay(saturday)}`;
}

function comingWeekend(today: CalendarDay): string | undefined {
  const saturday = addDays(today, daysUntil(today, SATURDAY) || 7);
  return saturday && `the weekend of ${writeDay(saturday)}`;
}

/** First and last month of each season. Winter is missing, because it spans two years. */
const SEASONS: Readonly<Record<string, { readonly start: number; readonly end: number }>> = {
  spring: { start: 2, end: 4 },
  summer: { start: 5, end: 7 },
  autumn: { start: 8, end: 10 },
  fall: { start: 8, end: 10 },
};

function findWeekday(name: string): number | undefined {
  const place = WEEKDAY_NAMES.findIndex((weekday) => name.length >= 3 && weekday.startsWith(name));
  return place < 0 ? undefined : place;
}

function findMonth(name: string): number | undefined {
  const place = MONTH_NAMES.findIndex((month) => name.length >= 3 && month.toLowerCase().startsWith(name));
  return place < 0 ? undefined : place;
}

function readCount(word: string): number {
  const place = COUNTS.indexOf(word);
  if (place >= 0) return place + 1;
  return word === "a" || word === "an" ? 1 : Number(word);
}

export const COUNTS =
  "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty".split(
    " ",
  );

export type Tense = "past" | "future";

/** Characters that are read before and after the phrase. */
const REACH = 160;
const BREAK = /[.!?;\n。！？]/;
const FUTURE =
  /\b(?:will|won['’]t|shall|gonna|(?:am|are|is|['’]re|['’]m|['’]s) going to|let['’]s|can['’]t wait|looking forward|upcoming|is due|are due)\b|\b\w{1,20}['’]ll\b/i;
const PAST =
  /\b(?:was|were|did|didn['’]t|had|went|got|made|took|saw|met|came|bought|gave|found|told|felt|left|lost|won|ran|ate|began|spent|brought|taught|held|heard|kept|paid|sold|sent|drove|flew|broke|wrote|caught|fell|hung|built|grew|knew|sang|swam|rode|wore|threw|slept|chose|(?!(?:need|embed|indeed|exceed|proceed|succeed|speed|seed|feed|excited|interested|tired|married|supposed|planned|scheduled|expected|invited|booked|limited|related|detailed|complicated)\b)[a-z]{2,20}[^e\W]ed)\b/i;

/** Returns the tense of the sentence around a phrase, or undefined if it has both or neither. */
export function findTense(text: string, start: number, end: number): Tense | undefined {
  const before = text.slice(Math.max(0, start - REACH), start);
  const after = text.slice(end, end + REACH);
  const stop = after.search(BREAK);
  const sentence = `${before.slice(lastBreak(before) + 1)} ${stop < 0 ? after : after.slice(0, stop)}`;
  const isFuture = FUTURE.test(sentence);
  const isPast = PAST.test(sentence);
  if (isFuture === isPast) return undefined;
  return isFuture ? "future" : "past";
}

function lastBreak(text: string): number {
  for (let place = text.length - 1; place >= 0; place -= 1) if (BREAK.test(text.charAt(place))) return place;
  return -1;
}
