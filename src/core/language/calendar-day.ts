/** A calendar day in UTC, in a year with four digits. */
export interface CalendarDay {
  readonly year: number;
  /** 0 for January. */
  readonly month: number;
  readonly day: number;
  /** 0 for Sunday. */
  readonly weekday: number;
}

export const MONTH_NAMES = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
] as const;

export const WEEKDAY_NAMES = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"] as const;

export function findCalendarDay(milliseconds: number): CalendarDay | undefined {
  const date = new Date(milliseconds);
  const year = date.getUTCFullYear();
  // NaN fails both comparisons.
  if (!(year >= 1000 && year <= 9999)) return undefined;
  return { year, month: date.getUTCMonth(), day: date.getUTCDate(), weekday: date.getUTCDay() };
}

export function addDays(from: CalendarDay, days: number): CalendarDay | undefined {
  return findCalendarDay(Date.UTC(from.year, from.month, from.day + days));
}

export function writeDay({ day, month, year }: CalendarDay): string {
  return `${day} ${MONTH_NAMES[month]} ${year}`;
}

/** Writes the month `months` after `from`: `June 2023`. */
export function writeMonth(from: CalendarDay, months: number): string | undefined {
  const moved = findCalendarDay(Date.UTC(from.year, from.month + months, 1));
  return moved && `${MONTH_NAMES[moved.month]} ${moved.year}`;
}

export function writeYear(from: CalendarDay, years: number): string | undefined {
  const moved = findCalendarDay(Date.UTC(from.year + years, 0, 1));
  return moved && String(moved.year);
}

/** Returns 0 if `from` is on that weekday, else 1 to 6. */
export function daysUntil(from: CalendarDay, weekday: number): number {
  return (weekday - from.weekday + 7) % 7;
}

/** Returns 7 if `from` is on that weekday, else 1 to 6. */
export function daysSince(from: CalendarDay, weekday: number): number {
  return ((from.weekday - weekday + 6) % 7) + 1;
}
