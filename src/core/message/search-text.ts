/**
 * Finds text for every store, ignoring case. Texts and queries are compared in one normalized form, in which
 * canonically equal texts are equal. Similar texts stay different: an accent counts, and "ß" is not "ss".
 */
import { takeHead, takeTail } from "./whole-text.ts";

/** Trims the query; an empty one finds nothing. */
export function normalizeQuery(query: string): string {
  return normalizeText(query.trim());
}

/** Replaces what a database cannot hold (NUL, half a surrogate pair) by the replacement character. */
export function normalizeText(text: string): string {
  const storable = toStorable(text);
  if (IS_ASCII.test(storable)) return storable.toLowerCase();
  if (!INTERACTING.test(storable)) return fold(storable);
  return fold(storable.normalize("NFD")).normalize("NFC");
}

export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Maps a span of the normalized text to the original: all characters that contributed to it. */
export function findOriginal(text: string, { start, end }: Span): Span {
  const storable = toStorable(text);
  // Otherwise each character has kept its length.
  if (!INTERACTING.test(storable)) return { start, end };
  const original = { start: 0, end: text.length };
  let normalAt = 0;
  for (const { index, 0: piece } of storable.matchAll(INDEPENDENT)) {
    const normalEnd = normalAt + normalizeText(piece).length;
    if (normalAt <= start) original.start = index;
    normalAt = normalEnd;
    if (normalEnd >= end) return { ...original, end: index + piece.length };
  }
  return original;
}

/**
 * Characters whose form depends on their neighbours or is not simply their lower case: marks, composed syllables,
 * compatibility doubles. The list has a few more, which costs little and changes nothing.
 */
const RANGES: readonly (readonly [first: number, last: number])[] = [
  [0x130, 0x130],
  [0x300, 0x387],
  [0x483, 0x489],
  [0x591, 0x11ff],
  [0x135d, 0x135f],
  [0x1712, 0x1dff],
  [0x1f71, 0x2001],
  [0x20d0, 0x20ff],
  [0x2329, 0x232a],
  [0x2adc, 0x2adc],
  [0x2cef, 0x2dff],
  [0x302a, 0x302f],
  [0x3099, 0x309a],
  [0xa66f, 0xa6f1],
  [0xa802, 0xabff],
  [0xf900, 0xfb4f],
  [0xfe20, 0xfe2f],
  [0x101fd, 0x1efff],
  [0x2f800, 0x2fa1f],
];

const CLASS = `[${RANGES.map(([first, last]) => `\\u{${first.toString(16)}}-\\u{${last.toString(16)}}`).join("")}]`;
const INTERACTING = new RegExp(CLASS, "u");
/** A character with its marks and the rest of its syllable. What follows does not change it. */
const INDEPENDENT = /.[\p{M}\u1160-\u11ff\u{16d67}]*/gsu;

const IS_ASCII = /^\p{ASCII}*$/u;
/** Characters with another case; most characters outside ASCII have none. */
const FOLDED = /[A-Z]|(?!\p{ASCII})[\p{Changes_When_Uppercased}\p{Changes_When_Lowercased}]/gu;

function toStorable(text: string): string {
  return text.toWellFormed().replaceAll("\0", "\ufffd");
}

function fold(text: string): string {
  return text.replace(FOLDED, foldCharacter);
}

/** Folds by way of upper case, so that both small sigmas are equal. Characters that would grow stay. */
function foldCharacter(character: string): string {
  const folded = character.toUpperCase().toLowerCase();
  return folded.length === character.length ? folded : character;
}

const CONTEXT_CHARACTERS = 60;

export interface TextMatch {
  readonly snippet: string;
  readonly matchStart: number;
  readonly matchLength: number;
}

export function findInText(text: string, query: string): TextMatch | undefined {
  const wanted = normalizeQuery(query);
  if (wanted === "") return undefined;
  const at = normalizeText(text).indexOf(wanted);
  if (at < 0) return undefined;
  const match = findOriginal(text, { start: at, end: at + wanted.length });
  const before = takeTail(text.slice(0, match.start), CONTEXT_CHARACTERS);
  const after = takeHead(text.slice(match.end), CONTEXT_CHARACTERS);
  const snippet = before + text.slice(match.start, match.end) + after;
  return { snippet, matchStart: before.length, matchLength: match.end - match.start };
}
