/** Finds the claims of a text, such as paths, numbers and dates, in order and without overlap. Runs in linear time. */

import { findMatches } from "../../language/find-matches.ts";
import { findDates } from "../../language/normalize-date.ts";
import { normalizeNumber } from "../../language/number-words.ts";
import type { Claim, ClaimKind, Span } from "../record/record.ts";
import { classifyToken } from "./classify-token.ts";

export function extractClaims(text: string): readonly Claim[] {
  const scan: Scan = { text, rest: plainDigits(text), claims: [] };
  takeListMarkers(scan);
  // Most sentences have none of these, and searching for a character is cheaper than matching a pattern.
  if (text.includes("[secret:")) {
    takePattern(scan, { kind: "secret", pattern: SECRET_TOKEN, keyOf: (found) => found.slice(1, -1) });
  }
  if (text.includes("://")) takePattern(scan, { kind: "url", pattern: URL_PATTERN, keyOf: urlKey });
  takeDates(scan);
  if (DIGIT.test(scan.rest)) {
    takePattern(scan, { kind: "time", pattern: TIME, keyOf: normalizeTime });
    takePattern(scan, { kind: "number", pattern: GROUPED_NUMBER, keyOf: normalizeNumber });
  }
  takeTokens(scan);
  return scan.claims.sort((left, right) => left.start - right.start);
}

interface Scan {
  readonly text: string;
  rest: string;
  readonly claims: Claim[];
}

const DIGIT = /\d/;
const SECRET_TOKEN = /\[secret:[a-z0-9-]{1,40}:[0-9a-f]{6}\]/g;
const URL_PATTERN = /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s<>"'`)\]}|\\^]{1,2000}/gi;
const TIME =
  /(?<![\w:.])\d{1,2}(?::\d{2}){1,2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:?\d{2})?(?![\w:])(?: ?[ap]m\b)?|(?<![\w:.])\d{1,2} ?[ap]m\b/gi;
const GROUPED_NUMBER =
  /(?<![\w.,])\d{1,3}(?:[,'’\u00a0\u2009\u202f]\d{3}){1,12}(?:\.\d{1,40})?(?:k|M|B|[ \u00a0]?%)?(?!\w)/g;
const TOKEN = /[\w.\-/\\~@%+]+/g;
const LIST_MARKER = /^[ \t]{0,20}(?:#{1,6} )?\d{1,3}[.)](?=\s|$)/gm;
const PERCENT_AFTER = /^[ \u00a0]?(?:%|percent\b|per cent\b)/i;

/** Replaces digits of other scripts one for one, so that offsets in the text stay valid. */
function plainDigits(text: string): string {
  if (!OTHER_DIGIT.test(text)) return text;
  return text.replaceAll(OTHER_DIGITS, (digit) => {
    const mark = OTHER_MARKS[digit];
    if (mark !== undefined) return mark;
    const code = digit.charCodeAt(0);
    return String(code - (DIGIT_ZEROS.findLast((zero) => zero <= code) ?? code));
  });
}

/** Arabic, Persian, Devanagari, Bengali, Thai and full-width digits. */
const DIGIT_ZEROS = [0x0660, 0x06f0, 0x0966, 0x09e6, 0x0e50, 0xff10];
const OTHER_DIGIT = /[٠-٩۰-۹०-९০-৯๐-๙０-９]/;
const OTHER_DIGITS = /[٠-٩۰-۹०-९০-৯๐-๙０-９٫٬％]/g;
const OTHER_MARKS: Readonly<Record<string, string>> = { "٫": ".", "٬": ",", "％": "%" };

/** Returns a URL without scheme, `www.` and final punctuation. */
export function urlKey(url: string): string {
  let end = url.length;
  while (end > 0 && ".,;:!?*_/".includes(url.charAt(end - 1))) end -= 1;
  const schemeEnd = url.indexOf("://") + 3;
  return url
    .slice(schemeEnd, Math.max(end, schemeEnd))
    .toLowerCase()
    .replace(/^www\./, "");
}

function normalizeTime(text: string): string | undefined {
  const [, hours = "", minutes = "00", half = ""] = /^(\d{1,2})(?::(\d{2}))?.{0,25}?([ap]m)?$/i.exec(text) ?? [];
  if (Number(hours) > 24 || Number(minutes) > 59) return undefined;
  const shift = half.toLowerCase() === "pm" && Number(hours) < 12 ? 12 : 0;
  const isMidnight = half.toLowerCase() === "am" && Number(hours) === 12;
  return `${String(isMidnight ? 0 : Number(hours) + shift).padStart(2, "0")}:${minutes}`;
}

function takeListMarkers(scan: Scan): void {
  const markers = findMatches(scan.rest, LIST_MARKER);
  take(
    scan,
    markers.map(({ index, 0: { length } }) => ({ start: index, end: index + length })),
  );
}

interface PatternRule {
  readonly kind: ClaimKind;
  readonly pattern: RegExp;
  readonly keyOf: (found: string) => string | undefined;
}

function takePattern(scan: Scan, { kind, pattern, keyOf }: PatternRule): void {
  const spans: Span[] = [];
  for (const match of findMatches(scan.rest, pattern)) {
    const key = keyOf(match[0]);
    if (key === undefined || key === "") continue;
    const span = { start: match.index, end: match.index + match[0].length };
    spans.push(span);
    const keys = kind === "number" ? numberKeys(scan.rest, span.end, key) : [key];
    scan.claims.push({ kind, text: scan.text.slice(span.start, span.end), keys, ...span });
  }
  take(scan, spans);
}

function takeDates(scan: Scan): void {
  const dates = findDates(scan.rest);
  for (const { start, end: last, keys } of dates) {
    // The "T" between a date and a time belongs to neither.
    const end = scan.text.charAt(last - 1) === "T" ? last - 1 : last;
    scan.claims.push({ kind: "date", text: scan.text.slice(start, end), keys, start, end });
  }
  take(scan, dates);
}

function takeTokens({ rest, claims, text }: Scan): void {
  for (const match of findMatches(rest, TOKEN)) {
    for (const token of classifyToken(match[0])) {
      const start = match.index + token.start;
      const end = match.index + token.end;
      if (token.kind === "identifier" && isSpeakerLabel(rest, start)) continue;
      const keys = token.kind === "number" ? numberKeys(rest, end, token.key) : [token.key];
      claims.push({ kind: token.kind, text: text.slice(start, end), keys, start, end });
    }
  }
}

/** Returns true for labels such as "Speaker mn017", which differ between transcripts. */
function isSpeakerLabel(text: string, start: number): boolean {
  return text.charAt(start - 1) === " " && SPEAKER_BEFORE.test(text.slice(Math.max(0, start - 14), start));
}

const SPEAKER_BEFORE = /\b(?:speaker|participant|interviewee|respondent)s? $/i;

/** Returns the keys of a number, including a "%", "percent" or "million" that follows it. */
function numberKeys(text: string, end: number, key: string): readonly string[] {
  if (key.endsWith("%")) return [key];
  const after = text.charAt(end);
  if (PERCENT_STARTS.includes(after) && PERCENT_AFTER.test(text.slice(end, end + 10))) return [`${key}%`];
  if (after !== " " && after !== "-" && after !== "–") return [key];
  const size = SIZE_AFTER.exec(text.slice(end, end + MAX_SIZE_CHARACTERS))?.[1]?.toLowerCase();
  const scaled = size === undefined ? undefined : normalizeNumber(`${key}e${SIZES[size] ?? 0}`);
  return scaled === undefined ? [key] : [scaled];
}

const MAX_SIZE_CHARACTERS = 40;
const SIZES: Readonly<Record<string, number>> = { hundred: 2, thousand: 3, million: 6, billion: 9, trillion: 12 };
/** Also matches after the first of two numbers: "5 to 6 million". */
const SIZE_AFTER = /^(?: ?(?:to|or|-|–) ?\d{1,9}(?:\.\d{1,6})?)?[ -](hundred|thousand|million|billion|trillion)\b/i;

const PERCENT_STARTS = " \u00a0%p";

function take(scan: Scan, spans: readonly Span[]): void {
  if (spans.length === 0) return;
  const pieces: string[] = [];
  let from = 0;
  for (const { start, end } of spans) {
    pieces.push(scan.rest.slice(from, start), " ".repeat(end - start));
    from = end;
  }
  scan.rest = `${pieces.join("")}${scan.rest.slice(from)}`;
}
