/**
 * Reads how a line of a transcript begins: who speaks, when, or both. A single line decides nothing: whether a text is
 * a transcript depends on all its lines. Times are `8 May 2023`, `2023-05-08 14:02`, `5/8/23, 2:02 PM`,
 * `1:56 pm on 8 May, 2023` or `10:15`, not phrases such as "yesterday".
 */
import { lazyPattern, type TextPattern } from "../../language/lazy-pattern.ts";
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
function mayHaveTime(text: string): boolean {
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

export interface TranscriptHeader {
  readonly name?: string | undefined;
  readonly time?: TranscriptTime | undefined;
  /** Offset in the line at which the spoken words begin. */
  readonly end: number;
  /** True for a name in small letters, which may be that of a program. */
  readonly isHandle?: true | undefined;
  /** True for a line that has only a date, as a heading of the lines below. */
  readonly isDateLine?: true | undefined;
}

const OPEN = `[[(（【]?`;
const CLOSE = String.raw`[\])）】]?`;
const LETTERS = String.raw`[\p{L}\p{M}\p{N}'’.\-]`;
const BETWEEN = "(?:de|van|von|der|den|la|le|bin|al|del|da|dos|di|y|and|&)";
const CAPITAL = String.raw`[\p{Lu}\p{Lt}\p{Lo}]${LETTERS}*`;
/** One to four capitalized words, a handle, or a telephone number. */
const NAME = String.raw`(?<name>(?:~ ?)?${CAPITAL}(?: (?:${BETWEEN} )?(?:${CAPITAL}|\(${LETTERS}+\))){0,3}|@[\w.\-]{2,32}|\+\d[\d \-]{6,18}\d)`;
const BOLD = String.raw`(?:\*\*|__)?`;
/** A colon with white space after it, or a full-width colon. */
const COLON = String.raw`\s*(?::${BOLD}(?:\s+|$)|：\s*)`;
const START = String.raw`^[\s\u200e\u200f]*(?:[>*\-•] )?`;

/** Ann: …, **Ann:** … */
const NAME_LINE = lazyPattern(() => new RegExp(`${START}${BOLD}${NAME}${BOLD}${COLON}`, "u"));
const MARKED_NAME = String.raw`<(?:v )?[@+~ ]?(?<name>[\p{L}_][\p{L}\p{N}_.\- ]{1,30})>\s*`;

const PATTERNS: readonly TextPattern[] = [
  // [8 May 2023] Ann: …, 5/8/23, 14:02 - Ann: …, 10:15 **Ann**: …
  lazyPattern(
    () => new RegExp(`${START}${OPEN}(?<time>${TIME})${CLOSE}\\s*(?:[-–—|·:,]\\s*)?${BOLD}${NAME}${BOLD}${COLON}`, "u"),
  ),
  // [10:15] <ann> …
  lazyPattern(() => new RegExp(`${START}(?:${OPEN}(?<time>${TIME})${CLOSE}\\s*)?${MARKED_NAME}`, "u")),
  // Ann (10:15): …, **Ann** [2023-05-08 10:15], Ann — Today at 2:02 PM, Ann  2:02 PM
  lazyPattern(
    () =>
      new RegExp(
        `${START}${BOLD}${NAME}${BOLD}\\s*[,–—|-]?\\s*(?:${BOLD}|_)${OPEN}(?<time>${TIME})${CLOSE}${BOLD}_?(?:${COLON}|\\s*$)`,
        "u",
      ),
  ),
  // [3/12/2024 6:04 PM] Ann
  lazyPattern(() => new RegExp(`${START}\\[(?<time>${TIME})\\]\\s*${NAME}\\s*$`, "u")),
  NAME_LINE,
];
/** Those for a line without a time. The others take long to compile, and few conversations need them. */
const PATTERNS_WITHOUT_TIME: readonly TextPattern[] = [
  lazyPattern(() => new RegExp(`${START}${MARKED_NAME}`, "u")),
  NAME_LINE,
];

const HANDLE = String.raw`(?<name>[\p{L}_][\p{L}\p{N}_.\-]{1,30})`;
/** Headers with a name in small letters, which the program of a log may have too. */
const HANDLE_PATTERNS: readonly TextPattern[] = [
  // 2024-03-12T18:04:11Z ann: …, 2024-03-12 18:04 [ann] …
  lazyPattern(() => new RegExp(`${START}${OPEN}(?<time>${TIME})${CLOSE}\\s+(?:-\\s+)?(?:${HANDLE}:\\s+)`, "u")),
  lazyPattern(() => new RegExp(`${START}${OPEN}(?<time>${TIME})${CLOSE}\\s+\\[${HANDLE}\\]:?\\s+`, "u")),
  lazyPattern(() => new RegExp(`^(?<time>${TIME})\\t[@+ ]?${HANDLE}\\t`, "u")),
];
/** ann — 03/12/2024 6:04 PM */
const HANDLE_LINE = lazyPattern(() => new RegExp(`${START}${HANDLE}\\s*[—–]\\s*(?<time>${TIME})\\s*$`, "u"));

const NAMED_PATTERNS = [...PATTERNS, HANDLE_LINE];

/** A date alone on its line, between marks, or after "Date:". */
const DATE_LINE = lazyPattern(
  () =>
    new RegExp(
      `^[\\s#*_=~\\-–—[(【]*(?:(?:[Dd]ate|DATE|[Dd]atum|[Ff]echa|[Dd]ata|[Dd]ay)\\s*:\\s*|(?:Day changed(?: to)?|Log opened)\\s+)?(?<time>${TIME})[\\s*_=~\\-–—\\])】:]*$`,
      "u",
    ),
);
/** A line of a log, whose time stays in the text. */
const LOG_LINE = lazyPattern(() => new RegExp(`^\\s*${OPEN}(?<time>${TIME})${CLOSE}[\\s|:\\-–—]+\\S`, "u"));
const MAX_HEADER_CHARACTERS = 120;
const MAX_NAME_CHARACTERS = 48;

/** Returns undefined for a line that continues the line before. */
export function readTranscriptHeader(line: string): TranscriptHeader | undefined {
  const start = line.slice(0, MAX_HEADER_CHARACTERS);
  if (!MAY_BE_HEADER.test(start)) return undefined;
  return mayHaveTime(start) ? readTimedHeader(line, start) : readFirstFound(start, PATTERNS_WITHOUT_TIME);
}

function readTimedHeader(line: string, start: string): TranscriptHeader | undefined {
  const time = line.length <= MAX_HEADER_CHARACTERS ? readTimeOf(DATE_LINE.exec(line)) : undefined;
  if (time?.day !== undefined) return { time, end: line.length, isDateLine: true };
  const header = readFirstFound(start, NAMED_PATTERNS);
  if (header !== undefined) return header;
  for (const pattern of HANDLE_PATTERNS) {
    const found = pattern.exec(start);
    const header = found === null ? undefined : readFound(found);
    if (header?.time?.day !== undefined) return { ...header, isHandle: true };
  }
  const logged = readTimeOf(LOG_LINE.exec(start));
  return logged?.day === undefined ? undefined : { time: logged, end: 0 };
}

function readFirstFound(start: string, patterns: readonly TextPattern[]): TranscriptHeader | undefined {
  for (const pattern of patterns) {
    const found = pattern.exec(start);
    const header = found === null ? undefined : readFound(found);
    if (header !== undefined) return header;
  }
  return undefined;
}

const MAY_BE_HEADER = /[:：>)\]\d]/;

function readFound(found: RegExpExecArray): TranscriptHeader | undefined {
  const { name, time: written } = found.groups ?? {};
  const end = found[0].length;
  if (name === undefined || name.length > MAX_NAME_CHARACTERS || !isSpeaker(name)) return undefined;
  if (written === undefined) return { name, end };
  const time = readTime(written);
  return time === undefined ? undefined : { name, time, end };
}

function readTimeOf(found: RegExpExecArray | null): TranscriptTime | undefined {
  const written = found?.groups?.time;
  return written === undefined ? undefined : readTime(written);
}

/** Returns false for a label that introduces no speech: "Note", "ERROR", "Step 2". */
function isSpeaker(name: string): boolean {
  const [first = "", ...others] = name.toLowerCase().replace(/[.:]$/, "").split(" ");
  const last = others.at(-1) ?? first;
  if (LABELS.has(first) || LABELS.has(last) || LABELS.has(name.toLowerCase())) return false;
  return /\p{L}{2}|\p{Lo}|^[@+]|^\p{Lu}\.?$/u.test(name) && !/\p{Ll}\p{Lu}.*\p{Ll}\p{Lu}|[./]\p{L}|\p{L}\(/u.test(name);
}

const LABELS: ReadonlySet<string> = new Set(
  (
    "note notes error errors warning warnings warn info debug trace fatal critical notice verbose severe todo fixme hack xxx " +
    "example examples output input usage result results summary question questions answer answers step steps goal " +
    "goals context expected actual subject to from cc bcc date re fw fwd sent description title name names type types " +
    "status version fix fixes fixed bug bugs hint tip tips important caution danger update updates edit edited ps pps " +
    "background task tasks requirement requirements constraint constraints time location place ingredients day days chapter " +
    "part section agenda topic topics action actions decision decisions owner due priority pros cons pro con " +
    "advantages disadvantages first second third finally conclusion overview introduction reference references source " +
    "sources see url link links http https file files path paths code command commands response request requests reply body " +
    "header headers host content-type content-length accept authorization set-cookie cookie user-agent method params parameters returns return throws " +
    "raises args arguments default defaults option options value values key keys id ids email phone address age " +
    "price total amount quantity size color test tests build failed passed pass fail failure success exception traceback " +
    "caused message messages level thread module class function system tool problem solution cause reason reasons " +
    "plan plans next previous current before after attendees participants present absent minutes meeting room tl;dr tldr fyi " +
    "ok attention beware remember hinweis achtung fehler warnung frage antwort beispiel aufgabe ziel ergebnis nota aviso error " +
    "pregunta respuesta ejemplo remarque attention erreur avertissement réponse exemple observação erro pergunta resposta exemplo " +
    "注意 错误 警告 提示 问题 答案 说明 示例 例 例如 备注 注 结果 目标 步骤 エラー 注記 質問 回答 例 メモ 結果 目的 手順 警告 問題"
  ).split(" "),
);
