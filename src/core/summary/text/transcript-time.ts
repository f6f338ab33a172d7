/**
 * Reads the time at which a line of a transcript was said: `8 May 2023`, `2023-05-08 14:02`, `5/8/23, 2:02 PM`,
 * `1:56 pm on 8 May, 2023`, `10:15`. Reads no phrases such as "yesterday".
 */
import { findDates, mayHaveDate } from "../../language/normalize-date.ts";

/** Names must begin with a capital, so the patterns cannot ignore case as a whole. */
function eitherCase(word: string): string {
  return `[${word.charAt(0).toUpperCase()}${word.charAt(0)}]${word.slice(1)}`;
}

const CLOCK = String.raw`\d{1,2}:\d{2}(?::\d{2})?(?:[.,]\d{1,3})?(?:[\s\u202f]?[APap]\.?[Mm]\b\.?)?`;
const ISO = String.raw`\d{4}[-/.]\d{1,2}[-/.]\d{1,2}`;
const NUMERIC = String.raw`\d{1,2}[-/.]\d{1,2}[-/.](?:\d{4}|\d{2})\b`;
const HAN = String.raw`\d{4}[年년] ?\d{1,2}[月월] ?\d{1,2}[日号일]`;
const MONTH = String.raw`\p{L}{3,10}\.?`;
const YEAR = String.raw`(?:,? (?:de |del )?\d{4}\b)?`;
const WORDED = String.raw`\d{1,2}(?:st|nd|rd|th|\.)?[ -](?:of |de )?${MONTH}(?:-\d{4}\b|${YEAR})|${MONTH} \d{1,2}(?:st|nd|rd|th)?\b${YEAR}`;
const WEEKDAYS =
  "mon tue wed thu fri sat sun mo di mi do fr sa so lun mar mié mie jue vie sáb sab dom jeu ven sam dim seg ter qua qui sex";
const WEEKDAY = String.raw`(?:(?:${WEEKDAYS.split(" ").map(eitherCase).join("|")})\p{L}{0,8}\.?,? )?`;
const DAY = `${WEEKDAY}(?:${ISO}|${NUMERIC}|${HAN}|${WORDED})`;
const ZONE = String.raw`(?:[\s\u202f]?(?:Z|UTC|GMT|[+-]\d{2}:?\d{2})\b)?`;

/** Matches a day, a clock time, or both. Has no groups. */
export const TIME = `(?:${DAY}(?:(?:,| at| um| à| -)? |T| )${CLOCK}${ZONE}|${CLOCK}${ZONE}(?:,| on| -)? (?:on )?${DAY}|${DAY}|(?:[Tt]oday at |[Yy]esterday at )?${CLOCK})`;

export interface TranscriptTime {
  readonly day?: WrittenDay | undefined;
  readonly minutes?: number | undefined;
}

/** A day as written: two numbers may be in either order, and the year may be missing. */
export interface WrittenDay {
  readonly year?: number | undefined;
  readonly first: number;
  readonly second: number;
  /** `any` if the order is unknown. */
  readonly order: "day-first" | "month-first" | "any";
}

/** Returns false for a text without a part that `readTime` reads. */
export function mayHaveTime(text: string): boolean {
  return CLOCK_HINT.test(text) || mayHaveDate(text);
}

const CLOCK_HINT = /\d:\d\d/;

/** Returns undefined if the text only looks like a time: `99:99`, `5 apples`. */
export function readTime(text: string): TranscriptTime | undefined {
  const clock = CLOCKS.exec(text);
  const minutes = clock === null ? undefined : minutesOf(clock);
  if (clock !== null && minutes === undefined) return undefined;
  const rest = clock === null ? text : `${text.slice(0, clock.index)} ${text.slice(clock.index + clock[0].length)}`;
  const day = readDay(rest.replace(/T(?=\s)/, " "));
  if (day === undefined && /\d/.test(rest.replace(ZONES, ""))) return undefined;
  return day === undefined && minutes === undefined ? undefined : { day, minutes };
}

const CLOCKS = /(\d{1,2}):(\d{2})(?::(\d{2}))?(?:[.,]\d{1,3})?(?:[\s\u202f]?([ap])\.?m\b\.?)?/iu;
const ZONES = /[+-]\d{2}:?\d{2}\b/g;

function minutesOf([, hour, minute, , half]: RegExpExecArray): number | undefined {
  const [hours, minutes] = [Number(hour), Number(minute)];
  if (hours > 23 || minutes > 59 || (half !== undefined && (hours === 0 || hours > 12))) return undefined;
  const afternoon = half?.toLowerCase() === "p" ? 12 : 0;
  return (half === undefined ? hours : (hours % 12) + afternoon) * 60 + minutes;
}

const NUMBERS = /(?<!\d)(\d{1,2})([-/.])(\d{1,2})\2(\d{4}|\d{2})(?!\d)/;

function readDay(text: string): WrittenDay | undefined {
  const numbers = NUMBERS.exec(text);
  if (numbers !== null && !/\d{4}[-/.]\d/.test(text)) {
    const [, one, mark, other, years = ""] = numbers;
    const [first, second] = [Number(one), Number(other)];
    if (Math.max(first, second) > 31 || Math.min(first, second) > 12 || first * second === 0) return undefined;
    const order = first > 12 || mark === "." ? "day-first" : second > 12 ? "month-first" : "any";
    return { year: years.length === 2 ? 2000 + Number(years) : Number(years), first, second, order };
  }
  const [date] = findDates(text);
  const [year = "", month, day] = (date?.keys[0] ?? "").replace(/^--/, "-").split("-");
  if (day === undefined) return undefined;
  return {
    year: year === "" ? undefined : Number(year),
    first: Number(day),
    second: Number(month),
    order: "day-first",
  };
}

export interface TimeReader {
  /** Returns the instant in UTC, or undefined if the day is unknown. A clock time alone continues the last day. */
  read(time: TranscriptTime): number | undefined;
}

/** Reads times in order. Infers the order of day and month from `times`, and takes missing years from `startAt`. */
export function createTimeReader(times: readonly TranscriptTime[], startAt: number | undefined): TimeReader {
  const isMonthFirst = isWrittenMonthFirst(times);
  let year = startAt === undefined ? undefined : new Date(startAt).getUTCFullYear();
  let day: number | undefined;
  return {
    read({ day: written, minutes = 0 }) {
      if (written !== undefined) {
        year = written.year ?? year;
        day = year === undefined ? undefined : instantOf({ ...written, year }, isMonthFirst);
      }
      return day === undefined ? undefined : day + minutes * 60_000;
    },
  };
}

function instantOf(
  { year, first, second, order }: WrittenDay & { readonly year: number },
  isMonthFirst: boolean,
): number | undefined {
  const swaps = order === "month-first" || (order === "any" && isMonthFirst);
  const [day, month] = swaps ? [second, first] : [first, second];
  const instant = Date.UTC(year, month - 1, day);
  return Number.isNaN(instant) || new Date(instant).getUTCDate() !== day ? undefined : instant;
}

/** A number above 12 decides the order for all days. Without one, chooses the order in which fewer days go back. */
function isWrittenMonthFirst(times: readonly TranscriptTime[]): boolean {
  const days = times.flatMap(({ day }) => day ?? []);
  const open = days.filter(({ order }) => order === "any");
  if (open.length === 0) return false;
  if (days.some(({ order, first }) => order === "day-first" && first > 12)) return false;
  if (days.some(({ order }) => order === "month-first")) return true;
  const backwards = (isMonthFirst: boolean): number => {
    const instants = open.map((day) => instantOf({ ...day, year: day.year ?? 0 }, isMonthFirst) ?? 0);
    return instants.filter((instant, place) => instant < (instants[place - 1] ?? instant)).length;
  };
  const span = (isMonthFirst: boolean): number => {
    const instants = open.map((day) => instantOf({ ...day, year: day.year ?? 0 }, isMonthFirst) ?? 0);
    return Math.max(...instants) - Math.min(...instants);
  };
  const [byMonth, byDay] = [backwards(true), backwards(false)];
  return byMonth === byDay ? span(true) <= span(false) : byMonth < byDay;
}
