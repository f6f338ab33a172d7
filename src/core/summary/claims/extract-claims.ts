/**
 * What a text names that can be looked up: paths, URLs, numbers, dates, times, versions, hashes, identifiers, and the
 * tokens that stand for secrets. Each is found once, at its place, with the key it is compared by.
 *
 * The work is linear in the text: every pattern either is one class of characters or is bounded, and begins where such
 * a thing can begin. Numbers that only count the items of a list are no claims.
 */
import type { Claim, ClaimKind } from "../record.ts";
import { classifyToken } from "./classify-token.ts";
import { findDates } from "./normalise-date.ts";
import { normaliseNumber } from "./normalise-number.ts";

export function extractClaims(text: string): readonly Claim[] {
  const scan: Scan = { text, rest: text, claims: [] };
  takeListMarkers(scan);
  takePattern(scan, { kind: "secret", pattern: SECRET_TOKEN, keyOf: (found) => found.slice(1, -1) });
  takePattern(scan, { kind: "url", pattern: URL_PATTERN, keyOf: urlKey });
  takeDates(scan);
  takePattern(scan, { kind: "time", pattern: TIME, keyOf: normaliseTime });
  takePattern(scan, { kind: "number", pattern: GROUPED_NUMBER, keyOf: normaliseNumber });
  takeTokens(scan);
  return scan.claims.sort((left, right) => left.start - right.start);
}

interface Scan {
  readonly text: string;
  /** The text with spaces where something was already found. */
  rest: string;
  readonly claims: Claim[];
}

const SECRET_TOKEN = /\[secret:[a-z0-9-]{1,40}:[0-9a-f]{6}\]/g;
const URL_PATTERN = /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s<>"'`)\]}|\\^]{1,2000}/gi;
const TIME =
  /(?<![\w:.])\d{1,2}(?::\d{2}){1,2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:?\d{2})?(?![\w:])(?: ?[ap]m\b)?|(?<![\w:.])\d{1,2} ?[ap]m\b/gi;
const GROUPED_NUMBER =
  /(?<![\w.,])\d{1,3}(?:[,'’\u00a0\u2009\u202f]\d{3}){1,12}(?:\.\d{1,40})?(?:k|M|B|[ \u00a0]?%)?(?!\w)/g;
const TOKEN = /[\w.\-/\\~@%+]+/g;
const LIST_MARKER = /^[ \t]{0,20}(?:#{1,6} )?\d{1,3}[.)](?=\s|$)/gm;
const PERCENT_AFTER = /^[ \u00a0]?(?:%|percent\b|per cent\b)/i;

/** The keys of a URL: without its scheme, a `www.`, and what ends a sentence. */
export function urlKey(url: string): string {
  let end = url.length;
  while (end > 0 && ".,;:!?*_/".includes(url.charAt(end - 1))) end -= 1;
  const schemeEnd = url.indexOf("://") + 3;
  return url
    .slice(schemeEnd, Math.max(end, schemeEnd))
    .toLowerCase()
    .replace(/^www\./, "");
}

function normaliseTime(text: string): string | undefined {
  const [, hours = "", minutes = "00", half = ""] = /^(\d{1,2})(?::(\d{2}))?.{0,25}?([ap]m)?$/i.exec(text) ?? [];
  if (Number(hours) > 24 || Number(minutes) > 59) return undefined;
  const shift = half.toLowerCase() === "pm" && Number(hours) < 12 ? 12 : 0;
  const isMidnight = half.toLowerCase() === "am" && Number(hours) === 12;
  return `${String(isMidnight ? 0 : Number(hours) + shift).padStart(2, "0")}:${minutes}`;
}

function takeListMarkers(scan: Scan): void {
  take(
    scan,
    [...scan.rest.matchAll(LIST_MARKER)].map((match) => ({
      start: match.index,
      end: match.index + match[0].length,
    })),
  );
}

interface PatternRule {
  readonly kind: ClaimKind;
  readonly pattern: RegExp;
  readonly keyOf: (found: string) => string | undefined;
}

function takePattern(scan: Scan, { kind, pattern, keyOf }: PatternRule): void {
  const spans: Span[] = [];
  for (const match of scan.rest.matchAll(pattern)) {
    const key = keyOf(match[0]);
    if (key === undefined || key === "") continue;
    const span = { start: match.index, end: match.index + match[0].length };
    spans.push(span);
    scan.claims.push({ kind, text: match[0], keys: [key], ...span });
  }
  take(scan, spans);
}

function takeDates(scan: Scan): void {
  const dates = findDates(scan.rest);
  for (const { start, end, keys } of dates) {
    scan.claims.push({ kind: "date", text: scan.text.slice(start, end), keys, start, end });
  }
  take(scan, dates);
}

function takeTokens({ rest, claims, text }: Scan): void {
  for (const match of rest.matchAll(TOKEN)) {
    for (const token of classifyToken(match[0])) {
      const start = match.index + token.start;
      const end = match.index + token.end;
      const isPercent = token.kind === "number" && isPercentAfter(rest, end);
      const key = isPercent && !token.key.endsWith("%") ? `${token.key}%` : token.key;
      claims.push({ kind: token.kind, text: text.slice(start, end), keys: [key], start, end });
    }
  }
}

function isPercentAfter(text: string, place: number): boolean {
  return PERCENT_STARTS.includes(text.charAt(place)) && PERCENT_AFTER.test(text.slice(place, place + 10));
}

const PERCENT_STARTS = " \u00a0%p";

interface Span {
  readonly start: number;
  readonly end: number;
}

/** What was found is not looked at again. Spans are in order and do not overlap. */
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
