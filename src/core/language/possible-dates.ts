/**
 * Every day that the words of a text can stand for when they lean on the day on which they were said, as `2023-05-07`:
 * what a summary may write in their place. Wider than what a line shows: of a bare weekday both the one before and the
 * one after are possible, of a week its first and its last day, and the plainest words of other languages are read too.
 *
 * A day beside these is none of them, so that a date which is one off stands out.
 */

import { type CalendarDay, daysUntil, findCalendarDay, WEEKDAY_NAMES } from "./calendar-day.ts";
import { dateOfInstant } from "./normalise-date.ts";
import { type ResolvedDate, resolveRelativeDates } from "./resolve-relative-dates.ts";

export interface PossibleDates {
  readonly days: readonly string[];
  /** As they are shown, for what is no day: `June 2023`, `2022`. */
  readonly others: readonly string[];
}

export function possibleDates(text: string, saidAt: number): PossibleDates {
  const today = findCalendarDay(saidAt);
  if (today === undefined) return { days: [], others: [] };
  const resolved = resolveRelativeDates(text, saidAt);
  const offsets = new Set<number>();
  for (const { phrase } of resolved) for (const offset of weekOffsets(phrase, today)) offsets.add(offset);
  for (const offset of weekdayOffsets(text, resolved, today)) offsets.add(offset);
  for (const [word] of text.matchAll(PLAIN_WORD)) offsets.add(PLAIN_OFFSETS[word.toLowerCase()] ?? 0);
  const days = [...offsets].flatMap((offset) => dateOfInstant(saidAt + offset * DAY_MS) ?? []);
  return { days, others: [...new Set(resolved.map(({ date }) => date))] };
}

const DAY_MS = 86_400_000;

/** The first and the last day of a week or weekend that is spoken of, Monday to Sunday. */
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

/** The one before and the one after; "next Friday" is said of the one after and of the one after that. */
function weekdayOffsets(text: string, resolved: readonly ResolvedDate[], today: CalendarDay): ReadonlySet<number> {
  const offsets = new Set<number>();
  let next = 0;
  for (const match of text.matchAll(WEEKDAY)) {
    while ((resolved[next]?.end ?? Number.POSITIVE_INFINITY) <= match.index) next += 1;
    if ((resolved[next]?.start ?? Number.POSITIVE_INFINITY) <= match.index) continue;
    const ahead = daysUntil(today, WEEKDAY_NAMES.indexOf(toWeekday(match[2])));
    offsets.add(ahead);
    offsets.add(match[1] === undefined ? ahead - 7 : ahead + 7);
  }
  return offsets;
}

const WEEKDAY = /\b(next )?((?:sun|mon|tues|wednes|thurs|fri|satur)day)\b/gi;

function toWeekday(name: string | undefined): (typeof WEEKDAY_NAMES)[number] {
  return WEEKDAY_NAMES.find((weekday) => weekday === name?.toLowerCase()) ?? "sunday";
}

/** Words that stand for one day wherever they stand. Letters of any script end a word, so `\b` will not do. */
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
  أمس: -1,
  البارحة: -1,
  غدا: 1,
  غدًا: 1,
};
const PLAIN_WORD =
  /(?<!\p{L})(?:yesterday|tomorrow|vorgestern|gestern|morgen|übermorgen|anteayer|ayer|mañana|أمس|البارحة|غدًا|غدا)(?!\p{L})|前天|昨天|明天|后天|一昨日|昨日|明後日|明日/giu;
