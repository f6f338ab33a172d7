/**
 * Finds text for every store, ignoring case. Texts and queries are compared in one normalized form, in which
 * canonically equal texts are equal. Similar texts stay different: an accent counts, and "ß" is not "ss".
 */
import { listWords } from "../language/list-words.ts";
import { takeHead, takeTail } from "./whole-text.ts";

/** Trims the query; an empty one finds nothing. */
export function normalizeQuery(query: string): string {
  return normalizeText(query.trim());
}

/** Replaces what a database cannot store (NUL, lone surrogates) by the replacement character. */
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
 * Characters whose form depends on their neighbors or is not simply their lower case: marks, composed syllables,
 * compatibility doubles. In hexadecimal. The ranges also contain a few other characters, which does no harm.
 */
const RANGES = listWords(`130-130 300-387 483-489 591-11ff 135d-135f 1712-1dff 1f71-2001 20d0-20ff 2329-232a 2adc-2adc
  2cef-2dff 302a-302f 3099-309a a66f-a6f1 a802-abff f900-fb4f fe20-fe2f 101fd-1efff 2f800-2fa1f`);

const CLASS = `[${RANGES.map((range) => range.replace(/[0-9a-f]+/g, "\\u{$&}")).join("")}]`;
const INTERACTING = new RegExp(CLASS, "u");
/** A character with its marks and the rest of its syllable. Later characters do not change it. */
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

/** Folds by way of upper case, so that both small sigmas are equal. Characters that would become longer are kept. */
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
