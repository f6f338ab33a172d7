/**
 * Reads the days that a question names, in the languages of the dates: "What happened on 8 May 2023?", "What did we do
 * last week?" A date without a year is its last occurrence. Days are in UTC.
 */
import { isAskingTerm } from "../language/common-words.ts";
import { findDates } from "../language/normalize-date.ts";
import { resolveRelativeDates } from "../language/relative-dates.ts";
import { isQuestionWord, UNSPACED_QUESTION_WORDS } from "../language/stop-words.ts";
import { splitWords, termsOf, termsOfPiece } from "../language/words.ts";

export interface AskedPeriod {
  readonly phrase: string;
  readonly fromAt: number;
  /** Exclusive. */
  readonly untilAt: number;
}

const DAY_MS = 86_400_000;
const WEEK_DAYS = 7;
/** "around 6 May" is two days earlier to two days later. */
const AROUND_DAYS = 2;

/** Returns undefined without a date, and for a period that has not begun. A date in numbers may be two days. */
export function findAskedPeriods(text: string, now: number): readonly AskedPeriod[] {
  const [date] = findDates(text);
  const [relative] = date === undefined ? resolveRelativeDates(text, now) : [];
  const periods =
    date === undefined
      ? readWritten(relative?.date ?? "").map((span) => ({ ...span, phrase: relative?.phrase ?? "" }))
      : date.keys.flatMap((key) => {
          const span = readKey(key, now);
          return span === undefined ? [] : [{ ...span, phrase: text.slice(date.start, date.end) }];
        });
  return periods.filter(({ fromAt }) => fromAt <= now);
}

type Span = Omit<AskedPeriod, "phrase">;

/** Reads `2024-05-08`, `2024-05` or `--05-08`. */
function readKey(key: string, now: number): Span | undefined {
  const [, year = "", month, day] = /^(\d{4}|-)-(\d{2})(?:-(\d{2}))?$/.exec(key) ?? [];
  if (month === undefined) return undefined;
  if (day === undefined) return monthSpan(Number(year), Number(month) - 1);
  if (year !== "-") return daySpan(Date.UTC(Number(year), Number(month) - 1, Number(day)), 0);
  const thisYear = new Date(now).getUTCFullYear();
  const latest = [thisYear, thisYear - 1].map((each) => Date.UTC(each, Number(month) - 1, Number(day)));
  return daySpan(latest.find((at) => at <= now) ?? now, 0);
}

function monthSpan(year: number, month: number): Span {
  return { fromAt: Date.UTC(year, month, 1), untilAt: Date.UTC(year, month + 1, 1) };
}

/** Returns the day with this many days on both sides. */
function daySpan(at: number, around: number): Span {
  const day = Math.floor(at / DAY_MS) * DAY_MS;
  return { fromAt: day - around * DAY_MS, untilAt: day + (around + 1) * DAY_MS };
}

/** Reads a resolved date: `8 May 2023`, `around 6 May 2024`, `the week before 6 March 2024`, `May 2023`, `2022`. */
function readWritten(date: string): readonly Span[] {
  const [, relation, unit, written = ""] = /^(?:(around|the (week|weekend) (?:before|after)) )?(.+)$/.exec(date) ?? [];
  const [found] = findDates(written);
  const [key = ""] = found?.keys ?? [];
  if (/^\d{4}$/.test(date))
    return [{ fromAt: Date.UTC(Number(date), 0, 1), untilAt: Date.UTC(Number(date) + 1, 0, 1) }];
  if (key.length !== "2024-05-08".length) return key.length === "2024-05".length ? [monthOf(key)] : [];
  const at = Date.parse(`${key}T00:00:00Z`);
  if (unit === undefined) return [daySpan(at, relation === undefined ? 0 : AROUND_DAYS)];
  if (relation?.endsWith("after") === true) return [];
  const monday = at - ((new Date(at).getUTCDay() + WEEK_DAYS - 1) % WEEK_DAYS) * DAY_MS;
  const start = unit === "week" ? monday - WEEK_DAYS * DAY_MS : monday - 2 * DAY_MS;
  return [{ fromAt: start, untilAt: monday }];
}

function monthOf(key: string): Span {
  const [year, month] = key.split("-").map(Number);
  return monthSpan(year ?? 0, (month ?? 1) - 1);
}

/** Returns true if a question names nothing but a period: "What did we talk about last Tuesday?" */
export function asksOnlyForPeriod(text: string, { phrase }: AskedPeriod): boolean {
  const rest = text.replace(phrase, " ").replace(UNSPACED_QUESTION_WORDS, " ");
  return splitWords(rest).every(
    (piece) => isQuestionWord(piece) || termsOfPiece(piece).every((term) => isAskingTerm(term) || TALKING.has(term)),
  );
}

/** Words about talking and doing, which say nothing about what was said. */
const TALKING: ReadonlySet<string> = new Set(
  termsOf(
    "happen talk say said tell told speak spoke write wrote mention discuss do did done go went work plan decide day date " +
      "worüber wovon dir mir uns euch passiert geschah war los gesagt gesprochen geredet besprochen geschrieben gemacht getan tag datum " +
      "pasó pasado ocurrió dijimos dije dijo hablamos hablado hicimos hice día fecha " +
      "passé produit dit parlé discuté fait jour date " +
      "aconteceu passou dissemos disse falámos falamos fizemos fiz dia data 发生 事情 说 聊 谈 讨论 做 起き 話し 話 言い 言っ しまし",
  ),
);
