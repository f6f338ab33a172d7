/**
 * Finds text for every store, ignoring case. Texts and queries are compared in one normalized form, in which
 * canonically equal texts are equal. Similar texts stay different: an accent counts, and "ß" is not "ss".
 */
import { listWords } from "../language/list-words.ts";
import { splitsPair, takeHead, takeTail } from "./whole-text.ts";

/** Trims and normalizes a query. An empty one finds nothing. */
export function normalizeQuery(query: string): string {
  return normalizeText(query.trim());
}

/** Folds case, composes marks, and replaces NUL and lone surrogates, which a database cannot store. */
export function normalizeText(text: string): string {
  return readSearchedText(text).normal;
}

/** A text and its normalized form, which is compared. */
export interface SearchedText {
  readonly original: string;
  readonly normal: string;
  /** Pairs of pieces that map places in one form to the other. Undefined if each character has kept its length. */
  readonly pieces?: readonly Piece[] | undefined;
}

export function readSearchedText(text: string): SearchedText {
  const steps = readSearchedTextInSteps(text);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Yields between steps of a few milliseconds. */
export function* readSearchedTextInSteps(text: string): Generator<undefined, SearchedText> {
  const storable = text.toWellFormed().replaceAll("\0", "\ufffd");
  if (IS_ASCII.test(storable)) return { original: text, normal: storable.toLowerCase() };
  if (!INTERACTING.test(storable)) return { original: text, normal: fold(storable) };
  const pieces: Piece[] = [];
  for (const [index, piece] of (LONG_RUN.test(storable) ? cutCharacters(storable) : cutPieces(storable)).entries()) {
    pieces.push(normalizePiece(piece));
    if (index % PIECES_A_STEP === 0) yield undefined;
  }
  return { original: text, normal: pieces.map(({ normal }) => normal).join(""), pieces };
}

interface Piece {
  readonly original: string;
  readonly normal: string;
}

function normalizePiece(original: string): Piece {
  return { original, normal: fold(original.normalize("NFD")).normalize("NFC") };
}

function cutCharacters(text: string): readonly string[] {
  return text.match(INDEPENDENT) ?? [];
}

/** Expects a text without long runs of marks. */
function cutPieces(text: string): readonly string[] {
  const pieces: string[] = [];
  for (let start = 0, end = 0; start < text.length; start = end) {
    end = start + PIECE_CHARACTERS;
    while (end < text.length && isInsideCharacter(text, end)) end += 1;
    pieces.push(text.slice(start, end));
  }
  return pieces;
}

function isInsideCharacter(text: string, at: number): boolean {
  return splitsPair(text, at) || CONTINUING.test(String.fromCodePoint(text.codePointAt(at) ?? 0));
}

export interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** Maps a span of the normalized text to the original: all characters that contributed to it. */
export function findOriginal({ pieces }: SearchedText, { start, end }: TextRange): TextRange {
  if (pieces === undefined) return { start, end };
  const findCharacter = (at: number): TextRange => {
    const outer = findPiece(pieces, at);
    const inner = findPiece(cutCharacters(outer.piece).map(normalizePiece), at - outer.normalAt);
    const originalAt = outer.originalAt + inner.originalAt;
    return { start: originalAt, end: originalAt + inner.piece.length };
  };
  return { start: findCharacter(start).start, end: findCharacter(end - 1).end };
}

/** Finds the piece that covers a place of the normalized text. */
function findPiece(pieces: readonly Piece[], at: number) {
  let [originalAt, normalAt] = [0, 0];
  for (const { original, normal } of pieces) {
    if (normalAt + normal.length > at) return { piece: original, originalAt, normalAt };
    originalAt += original.length;
    normalAt += normal.length;
  }
  return { piece: "", originalAt, normalAt };
}

/**
 * Characters whose form depends on their neighbors or is not simply their lower case: marks, composed syllables,
 * compatibility doubles. In hexadecimal. The ranges also contain a few other characters, which does no harm.
 */
const RANGES = listWords(`130-130 300-387 483-489 591-11ff 135d-135f 1712-1dff 1f71-2001 20d0-20ff 2329-232a 2adc-2adc
  2cef-2dff 302a-302f 3099-309a a66f-a6f1 a802-abff f900-fb4f fe20-fe2f 101fd-1efff 2f800-2fa1f`);

const CLASS = `[${RANGES.map((range) => range.replace(/[0-9a-f]+/g, "\\u{$&}")).join("")}]`;
const INTERACTING = new RegExp(CLASS, "u");
/**
 * A character with its marks and the rest of its syllable. Later characters do not change it. A run of more marks than
 * any word has is cut, because the time to order a run of marks grows with the square of its length.
 */
const INDEPENDENT = /.[\p{M}\u1160-\u11ff\u{16d67}]{0,30}/gsu;
const LONG_RUN = /(?<![\p{M}\u1160-\u11ff\u{16d67}])[\p{M}\u1160-\u11ff\u{16d67}]{31}/u;
const CONTINUING = /[\p{M}\u1160-\u11ff\u{16d67}]/u;
const PIECE_CHARACTERS = 4_096;
const PIECES_A_STEP = 8;

const IS_ASCII = /^\p{ASCII}*$/u;
/** Characters with another case; most characters outside ASCII have none. */
const FOLDED = /[A-Z]|(?!\p{ASCII})[\p{Changes_When_Uppercased}\p{Changes_When_Lowercased}]/gu;

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
  /** Text around the match of the whole query, or else of its first word. */
  readonly snippet: string;
  /** Start of the match in the snippet, in UTF-16 units. */
  readonly matchStart: number;
  readonly matchLength: number;
}

export function findInText(text: SearchedText, query: string): TextMatch | undefined {
  const wanted = normalizeQuery(query);
  if (wanted === "") return undefined;
  const at = text.normal.indexOf(wanted);
  if (at < 0) return undefined;
  const { original } = text;
  const match = findOriginal(text, { start: at, end: at + wanted.length });
  const before = takeTail(original.slice(0, match.start), CONTEXT_CHARACTERS);
  const after = takeHead(original.slice(match.end), CONTEXT_CHARACTERS);
  const snippet = before + original.slice(match.start, match.end) + after;
  return { snippet, matchStart: before.length, matchLength: match.end - match.start };
}
