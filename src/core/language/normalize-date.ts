/**
 * Finds dates and gives each one key: `2024-05-03`, `2024-05` for a month, `--05-03` for a day without a year.
 * 03/05/2024 gets two keys, for 3 May and 5 March.
 *
 * Does not depend on the current time; `relative-dates.ts` resolves words such as "yesterday".
 */
import { findMatches } from "./find-matches.ts";

export interface FoundDate {
  readonly start: number;
  readonly end: number;
  readonly keys: readonly string[];
}

/** Finds the dates in a text, in order and without overlap. */
export function findDates(text: string): readonly FoundDate[] {
  const found: FoundDate[] = [];
  // The patterns are slow, and most texts match none of the cheaper tests.
  const patterns = [
    ...(DIGIT.test(text) ? PATTERNS : []),
    ...(MONTH_BEFORE_DIGIT.test(text) ? MONTH_FIRST_PATTERNS : []),
    ...(SPOKEN_HINT.test(text) ? SPOKEN_PATTERNS : []),
  ];
  for (const { pattern, read } of patterns) {
    for (const match of findMatches(text, pattern)) {
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

/** Returns false for a text in which, and in any part of which, `findDates` finds nothing. Cheaper than `findDates`. */
export function mayHaveDate(text: string): boolean {
  const isNumeric = NUMERIC_HINT.test(text);
  return isNumeric || DIGIT_BEFORE_MONTH.test(text) || MONTH_BEFORE_DIGIT.test(text) || SPOKEN_HINT.test(text);
}

const NUMERIC_HINT = /\d[-/.]\d|[年년月월]/;
const DIGIT = /\d/;
const SPOKEN_HINT =
  /(?:th|first|second|third) (?:of )?[A-Z][a-z]{2}|[A-Z][a-z]{2,8},? (?:the )?(?:[a-z]{4,11}(?:th|st|nd|rd)|twent|thirt|first|second|third|fif|sixt|seventh|eigh|ninth|tenth)/;

/** Returns the keys for the month of a day, and for the day without its year. */
export function coarserDates(key: string): readonly string[] {
  const [year, month, day] = key.split("-");
  return key.length === 10 && year && month && day ? [`${year}-${month}`, `--${month}-${day}`] : [];
}

export function dateOfInstant(milliseconds: number): string | undefined {
  const date = new Date(milliseconds);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString().slice(0, 10);
}

/** English first, then German, Spanish, French, Italian, Portuguese and Arabic. */
const MONTH_NAMES: readonly (readonly string[])[] = [
  ["jan(?:uary)?", "januar", "jänner", "enero", "janvier", "gennaio", "janeiro", "يناير"],
  ["feb(?:ruary)?", "februar", "febrero", "février", "febbraio", "fevereiro", "فبراير"],
  ["mar(?:ch)?", "märz", "marzo", "mars", "março", "مارس"],
  ["apr(?:il)?", "abril", "avril", "aprile", "أبريل"],
  ["may", "mai", "mayo", "maggio", "maio", "مايو"],
  ["june?", "juni", "junio", "juin", "giugno", "junho", "يونيو"],
  ["july?", "juli", "julio", "juillet", "luglio", "julho", "يوليو"],
  ["aug(?:ust)?", "agosto", "août", "أغسطس"],
  ["sept?(?:ember)?", "septiembre", "septembre", "settembre", "setembro", "سبتمبر"],
  ["oct(?:ober)?", "oktober", "octubre", "octobre", "ottobre", "outubro", "أكتوبر"],
  ["nov(?:ember)?", "noviembre", "novembre", "novembro", "نوفمبر"],
  ["dec(?:ember)?", "dezember", "diciembre", "décembre", "dicembre", "dezembro", "ديسمبر"],
];
const MONTH = `(${MONTH_NAMES.map((names) => names.toReversed().join("|")).join("|")})`;
const MONTHS = MONTH_NAMES.map((names) => new RegExp(`^(?:${names.join("|")})$`, "i"));
const DAY = "(\\d{1,2})(?:st|nd|rd|th|\\.|º)?";
const YEAR = "(?:\\.?,? (?:of |de |del )?(\\d{4})\\b(?!年))?";

/** Days in words: "twenty-fifth". */
const SPOKEN_DAYS =
  "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth".split(
    " ",
  );
const SPOKEN_DAY = `((?:twenty|thirty)[ -]{1,3}(?:${SPOKEN_DAYS.slice(0, 9).join("|")})|thirtieth|${SPOKEN_DAYS.toReversed().join("|")})`;

function spokenDay(words: string | undefined): string {
  const [tens = "", unit] = (words ?? "").toLowerCase().split(/[ -]+/);
  if (tens === "thirtieth") return "30";
  const more = unit === undefined ? 0 : tens === "twenty" ? 20 : 30;
  return String(more + SPOKEN_DAYS.indexOf(unit ?? tens) + 1);
}

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
    read: ([, first, , second, year]) => anyOrder(first, second, year),
  },
  {
    pattern: /(?<![\w./-])(\d{1,2})([/])(\d{1,2})\2(\d{2})(?![\w/-])/g,
    read: ([, first, , second, year]) => anyOrder(first, second, `20${year}`),
  },
  { pattern: /(?<![\w.-])(\d{4})-(\d{2})(?![\w-])/g, read: ([, year, month]) => dateKeys({ year, month }) },
  {
    pattern: /(?:(\d{4})[年년] ?)?(\d{1,2})[月월](?: ?(\d{1,2})[日号일])?/g,
    read: ([, year, month, day]) => (year === undefined && day === undefined ? [] : dateKeys({ year, month, day })),
  },
  {
    pattern: new RegExp(`(?<![\\p{L}\\p{N}])${DAY}(?: of| de|-)?[ -]${MONTH}(?![\\p{L}\\p{N}])${YEAR}`, "giu"),
    read: ([, day, month, year]) => dateKeys({ year, month: monthNumber(month), day }),
  },
];

/** Searches backwards from a digit, because most texts have fewer digits than letters. */
const MONTH_BEFORE_DIGIT = new RegExp(`[\\p{L}.,][ -]\\d(?<=${MONTH}\\.?,?(?: the| of| de| del)?[ -]\\d)`, "iu");

const DIGIT_BEFORE_MONTH = new RegExp(`\\d(?:st|nd|rd|th|\\.|º)?(?: of| de|-)?[ -]${MONTH}`, "iu");

const MONTH_FIRST_PATTERNS: readonly DatePattern[] = [
  {
    pattern: new RegExp(
      `(?<![\\p{L}\\p{N}])${MONTH}\\.?(?: the)?[ -](\\d{1,2})(?:st|nd|rd|th)?(?![\\p{L}\\p{N}])(?:,? (\\d{4})\\b(?!年))?`,
      "giu",
    ),
    read: ([, month, day, year]) => dateKeys({ year, month: monthNumber(month), day }),
  },
  {
    pattern: new RegExp(`(?<![\\p{L}\\p{N}])${MONTH}\\.?,? (?:of |de |del )?(\\d{4})\\b`, "giu"),
    read: ([, month, year]) => dateKeys({ year, month: monthNumber(month) }),
  },
];

/** Days in words, which can occur in texts without digits. */
const SPOKEN_PATTERNS: readonly DatePattern[] = [
  {
    pattern: new RegExp(`\\b${SPOKEN_DAY}(?: of)? ${MONTH}(?![\\p{L}\\p{N}])${YEAR}`, "giu"),
    read: ([, day, month, year]) => dateKeys({ year, month: monthNumber(month), day: spokenDay(day) }),
  },
  {
    pattern: new RegExp(`(?<![\\p{L}\\p{N}])${MONTH},?(?: the)? ${SPOKEN_DAY}\\b(?:,? (\\d{4})\\b)?`, "giu"),
    read: ([, month, day, year]) => dateKeys({ year, month: monthNumber(month), day: spokenDay(day) }),
  },
];

function anyOrder(first: string | undefined, second: string | undefined, year: string | undefined): readonly string[] {
  return [
    ...new Set([...dateKeys({ year, month: second, day: first }), ...dateKeys({ year, month: first, day: second })]),
  ];
}

function monthNumber(name: string | undefined): string {
  return String(MONTHS.findIndex((month) => month.test(name ?? "")) + 1);
}

interface DatePieces {
  readonly year?: string | undefined;
  readonly month?: string | undefined;
  readonly day?: string | undefined;
}

/** Returns no key if the parts are not a date; they are then read as numbers. */
function dateKeys({ year, month = "", day }: DatePieces): readonly string[] {
  if (Number(month) < 1 || Number(month) > 12) return [];
  if (day !== undefined && (Number(day) < 1 || Number(day) > 31)) return [];
  const padded = [year ?? "-", month.padStart(2, "0"), ...(day === undefined ? [] : [day.padStart(2, "0")])];
  return [padded.join("-")];
}
