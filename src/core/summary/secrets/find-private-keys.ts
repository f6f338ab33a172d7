/**
 * Finds private keys in PEM, even with line numbers, quotes or diff signs around their lines. A key that is cut off at
 * one end is recognized by its other end and its lines of equal width. Ignores a border without a key.
 */
import type { Span } from "../record/record.ts";

export interface KeySpan extends Span {
  /** Equal for the same key, whatever surrounds its lines. */
  readonly secret: string;
}

const MARK = /-----(BEGIN|END) [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
/** An RSA key of 16,384 bits has 13,000 characters. */
const MAX_KEY_CHARACTERS = 20_000;

export function findPrivateKeys(text: string): readonly KeySpan[] {
  if (!text.includes("PRIVATE KEY")) return [];
  const marks = [...text.matchAll(MARK)].map((match) => ({
    isBegin: match[1] === "BEGIN",
    start: match.index,
    end: match.index + match[0].length,
  }));
  const spans: KeySpan[] = [];
  let from = 0;
  for (const [index, mark] of marks.entries()) {
    if (mark.start < from) continue;
    const next = marks[index + 1];
    const span = mark.isBegin
      ? (wholeKey(text, mark, next) ?? keyAfter(text, mark, next?.start ?? text.length))
      : keyBefore(text, mark, from);
    if (span === undefined) continue;
    spans.push(span);
    from = span.end;
  }
  return spans;
}

interface Mark extends Span {
  readonly isBegin: boolean;
}

function wholeKey(text: string, begin: Mark, end: Mark | undefined): KeySpan | undefined {
  if (end === undefined || end.isBegin || end.start - begin.end > MAX_KEY_CHARACTERS) return undefined;
  const body = text.slice(begin.end, end.start);
  return looksLikeKey(body) ? { start: begin.start, end: end.end, secret: secretOf(body) } : undefined;
}

const LONG_RUN = /[A-Za-z0-9+/=]{40,}/g;
const SHORT_RUN = /[A-Za-z0-9+/=]{16,}/g;
const FEW_LINES = 3;

/** Returns true for one line of random characters, or several short ones. */
function looksLikeKey(body: string): boolean {
  const isMixed = (run: string): boolean => /\d/.test(run) && /[a-z]/.test(run) && /[A-Z]/.test(run);
  if ((body.match(LONG_RUN) ?? []).some(isMixed)) return true;
  return (body.match(SHORT_RUN) ?? []).filter(isMixed).length >= FEW_LINES;
}

function secretOf(body: string): string {
  return (body.match(/[A-Za-z0-9]{8,}/g) ?? []).join("");
}

interface KeyLine extends Span {
  /** Length without the prefix. */
  readonly width: number;
}

/** Line breaks, escaped line breaks, and spaces before a possible line. */
const LINE_END = /\r?\n|\\+[nr]|[ \t]+(?=[A-Za-z0-9+/=]{16})/g;

interface Piece {
  readonly text: string;
  readonly offset: number;
}

function splitLines(text: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let offset = 0;
  for (const match of text.matchAll(LINE_END)) {
    pieces.push({ text: text.slice(offset, match.index), offset });
    offset = match.index + match[0].length;
  }
  return [...pieces, { text: text.slice(offset), offset }];
}

const BEFORE_LINE = /^[^\n]{0,200}?(?=[A-Za-z0-9+/=]{16})/;
const HEADER = /^\W{0,12}(?:\d{1,7}\W{1,4})?(?:Proc-Type|DEK-Info|Comment|Version): /;
const ONLY_BEFORE = /^[^A-Za-z]{0,24}$/;
const AFTER_LINE = /^[^A-Za-z0-9]{0,12}$/;

/** Returns undefined if the line is not part of a key. */
function readLine(line: string, offset: number): KeyLine | undefined {
  if (ONLY_BEFORE.test(line) || HEADER.test(line)) return { start: offset, end: offset + line.length, width: 0 };
  const before = BEFORE_LINE.exec(line)?.[0].length;
  if (before === undefined) return undefined;
  const whole = /^[A-Za-z0-9+/=]+/.exec(line.slice(before))?.[0] ?? "";
  // A plus is a diff sign if it exceeds a multiple of four characters, the unit of base64.
  const isSigned = whole.startsWith("+") && whole.length % 4 === 1;
  const start = before + (isSigned ? 1 : 0);
  const run = isSigned ? whole.slice(1) : whole;
  if (!/[A-Z0-9+/=]/.test(run) || !AFTER_LINE.test(line.slice(start + run.length))) return undefined;
  return { start: offset + start, end: offset + start + run.length, width: run.length };
}

/** Finds a key whose end is cut off. */
function keyAfter(text: string, begin: Mark, most: number): KeySpan | undefined {
  const body = text.slice(begin.end, Math.min(most, begin.end + MAX_KEY_CHARACTERS));
  let width: number | undefined;
  let end: number | undefined;
  for (const { text: piece, offset } of splitLines(body)) {
    const line = readLine(piece, begin.end + offset);
    if (line === undefined) break;
    if (line.width === 0) continue;
    width ??= line.width;
    if (line.width > width) break;
    end = line.end;
    if (line.width < width) break;
  }
  if (end === undefined) return undefined;
  return { start: begin.start, end, secret: secretOf(text.slice(begin.end, end)) };
}

/** Finds a key whose beginning is cut off. */
function keyBefore(text: string, { start: borderStart, end }: Mark, least: number): KeySpan | undefined {
  const from = Math.max(least, borderStart - MAX_KEY_CHARACTERS);
  const lines = splitLines(text.slice(from, borderStart)).toReversed();
  let width: number | undefined;
  let start: number | undefined;
  for (const [index, { text: piece, offset }] of lines.entries()) {
    const line = readLine(piece, from + offset);
    // The first item is the rest of the border's line.
    if (line === undefined && index === 0) continue;
    if (line === undefined) break;
    if (line.width === 0) continue;
    // The last line may be shorter, and the first may be cut.
    const isNarrower = width !== undefined && line.width < width && start !== undefined;
    if (isNarrower) {
      start = line.start;
      break;
    }
    width = line.width;
    start = line.start;
  }
  if (start === undefined) return undefined;
  return { start, end, secret: secretOf(text.slice(start, borderStart)) };
}
