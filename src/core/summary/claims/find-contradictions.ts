/**
 * Finds clauses of a summary that contradict their source: nearly the same words with one "not" more or less, or
 * "failed" for "passed". Skips paraphrases, questions, conditions, and clauses whose opposite is also in the source.
 * English only; runs in linear time.
 */

import { textPieces } from "../../language/text-pieces.ts";
import { runSteps } from "../../tokens/count-text.ts";
import type { Claim, Span } from "../record/record.ts";

export interface ContradictionFinder {
  /** Adds source text. A tool's text can confirm the summary and never contradicts it. */
  add(text: string, origin?: "said" | "tool"): void;
  result(): { readonly restated: number; readonly flipped: readonly Claim[] };
}

export function createContradictionFinder(summary: string): ContradictionFinder {
  return runSteps(createContradictionFinderInSteps(summary));
}

export function* createContradictionFinderInSteps(summary: string): Generator<undefined, ContradictionFinder> {
  const stated: ComparedSentence[] = [];
  const placesOf = new Map<string, number[]>();
  let offset = 0;
  for (const piece of textPieces(summary)) {
    for (const sentence of readSentences(piece, offset))
      notePlaces(placesOf, sentence.words, stated.push(sentence) - 1);
    offset += piece.length;
    if (offset < summary.length) yield undefined;
  }
  return {
    add: (text, origin = "said") => {
      if (stated.length === 0) return;
      for (const said of readSentences(text))
        compareSentences(said, stated, { placesOf, canContradict: origin === "said" });
    },
    result: () => {
      const restated = keepOnePerPlace(stated.filter(({ isSaid, isDenied }) => isSaid || isDenied));
      const flipped = restated.filter(({ isSaid }) => !isSaid).map((sentence) => claimOf(summary, sentence));
      return { restated: restated.length, flipped };
    },
  };
}

function notePlaces(placesOf: Map<string, number[]>, words: ReadonlySet<string>, place: number): void {
  for (const word of words) {
    const places = placesOf.get(word);
    if (places === undefined) placesOf.set(word, [place]);
    else if (places.length < MAX_PLACES) places.push(place);
  }
}

interface ComparedSentence extends Span {
  readonly words: ReadonlySet<string>;
  readonly isNegative: boolean;
  /** For each pair of opposites in the sentence, the index of the word that it contains. */
  readonly sides: ReadonlyMap<string, number>;
  isSaid: boolean;
  isDenied: boolean;
}

/** Keeps one of two overlapping sentences, preferably the one that contradicts the source. */
function keepOnePerPlace(sentences: readonly ComparedSentence[]): readonly ComparedSentence[] {
  const places = new Set<string>();
  return sentences
    .toSorted((left, right) => Number(left.isSaid) - Number(right.isSaid) || left.start - right.start)
    .filter(({ start, end }) => {
      if (places.has(`from ${start}`) || places.has(`to ${end}`)) return false;
      places.add(`from ${start}`).add(`to ${end}`);
      return true;
    });
}

const MAX_PLACES = 40;
const MIN_WORDS = 4;
const MAX_WORDS = 30;

function claimOf(summary: string, { start, end }: ComparedSentence): Claim {
  return { kind: "statement", text: summary.slice(start, end), keys: [], start, end };
}

interface Comparison {
  readonly placesOf: ReadonlyMap<string, readonly number[]>;
  readonly canContradict: boolean;
}

function compareSentences(
  said: ComparedSentence,
  stated: readonly ComparedSentence[],
  { placesOf, canContradict }: Comparison,
): void {
  const shared = new Map<number, number>();
  for (const word of said.words) {
    for (const place of placesOf.get(word) ?? []) shared.set(place, (shared.get(place) ?? 0) + 1);
  }
  for (const [place, count] of shared) {
    const sentence = stated[place];
    if (sentence === undefined || !isClose(sentence.words.size, count) || !isClose(said.words.size, count)) continue;
    if (!isOpposite(said, sentence)) sentence.isSaid = true;
    else if (canContradict) sentence.isDenied = true;
  }
}

/** Returns true if at most one word differs, or one word in five. */
function isClose(size: number, shared: number): boolean {
  return size - shared <= Math.max(1, Math.floor(size / 5));
}

function isOpposite(left: ComparedSentence, right: ComparedSentence): boolean {
  let flips = left.isNegative === right.isNegative ? 0 : 1;
  for (const [pair, side] of left.sides) if ((right.sides.get(pair) ?? side) !== side) flips += 1;
  return flips % 2 === 1;
}

/** Reads the clauses that `repair-summary` cuts, with and without bracketed text. */
function readSentences(text: string, offset = 0): ComparedSentence[] {
  const found: ComparedSentence[] = [];
  if (!text.includes("(")) {
    readClauses(text, offset, found);
    return found;
  }
  const stated = text.replaceAll(COMPUTED, blankOut);
  readClauses(stated, offset, found);
  const joined = stated.replaceAll(ASIDE, blankOut);
  if (joined !== stated) readClauses(joined, offset, found);
  return found;
}

function blankOut(aside: string): string {
  return " ".repeat(aside.length);
}

function readClauses(text: string, offset: number, found: ComparedSentence[]): void {
  let start = 0;
  for (const { index } of text.matchAll(CLAUSE_END)) {
    readClause(text.slice(start, index + 1), offset + start, found);
    start = index + 1;
  }
  readClause(text.slice(start), offset + start, found);
}

/** Dates that code computed, which are not in the source: "(= the week before 5 May 2023)". */
const COMPUTED = /\(= [^()\n]{0,60}\)/g;
const ASIDE = /\([^()\n]{0,2000}\)/g;
const CLAUSE_END = /[,.!?;](?=\s|$)|[\n\r\u2028\u2029()。！？；]/g;

function readClause(body: string, offset: number, found: ComparedSentence[]): void {
  if (body.length < SHORTEST || body.length > LONGEST || UNCLEAR.test(body)) return;
  const label = LABEL.exec(body)?.[0].length ?? 0;
  const start = offset + label;
  const end = offset + body.trimEnd().length;
  if (start >= end) return;
  const clause = readWords(body, label);
  if (clause !== undefined) found.push({ ...clause, start, end, isSaid: false, isDenied: false });
}

const SHORTEST = 16;
const LONGEST = 400;
const UNCLEAR = /\?|\b(?:if|unless|whether|not (?:only|just|sure|yet)|no (?:longer|matter|problem|doubt)|why not)\b/i;
const LABEL = /^\s*(?:[-*•] |\d{1,3}[.)] )?(?:\[[^\]]{0,40}\] )?(?:[\p{L}\p{N}_ .'’*-]{1,30}: ?\*{0,2} ?){0,3}/u;

/** Ignores the words of a label. A label with a "not" in it may negate the sentence, so that sentence is skipped. */
function readWords(text: string, label: number): Pick<ComparedSentence, "words" | "isNegative" | "sides"> | undefined {
  const words = new Set<string>();
  const sides = new Map<string, number>();
  let negations = 0;
  for (const { index, 0: found } of text.matchAll(WORD)) {
    const word = found.toLowerCase().replace("’", "'");
    if (isDenial(word)) negations += index < label ? MAX_WORDS : 1;
    else if (index >= label) addWord(word, words, sides);
  }
  if (negations > 1 || words.size < MIN_WORDS || words.size > MAX_WORDS) return undefined;
  return { words, isNegative: negations === 1, sides };
}

export function isDenial(word: string): boolean {
  return NEGATIONS.has(word) || word.endsWith("n't");
}

/** A path or a name with dots is one word. */
const WORD = /[\p{L}\p{N}_'’]+(?:[./\\:@-]+[\p{L}\p{N}_]+)*/gu;

function addWord(word: string, words: Set<string>, sides: Map<string, number>): void {
  const opposite = OPPOSITES.get(word);
  if (opposite !== undefined) {
    sides.set(opposite.pair, opposite.side);
    words.add(opposite.pair);
  } else if (!COMMON.has(word)) words.add(/[./\\:@]/.test(word) ? word : word.slice(0, STEM_LETTERS));
}

const STEM_LETTERS = 6;
const NEGATIONS: ReadonlySet<string> = new Set(["not", "never", "no", "cannot", "cant", "dont", "didnt"]);
const COMMON: ReadonlySet<string> = new Set(
  "a an the of to in on at by for and or but so is are was were be been am do does did has have had will would can could should it its this that these those i we you he she they them their our my your his her with as than then there here very just now also".split(
    " ",
  ),
);

const PAIRS: readonly (readonly [string, string])[] = [
  ["pass passes passed passing succeed succeeds succeeded", "fail fails failed failing"],
  ["enable enables enabled", "disable disables disabled"],
  ["increase increases increased rise rises rose grew", "decrease decreases decreased fall falls fell dropped shrank"],
  ["allow allows allowed", "forbid forbids forbidden deny denied"],
  ["accept accepts accepted approve approved", "reject rejects rejected refuse refused"],
  ["faster", "slower"],
  ["cheaper", "dearer"],
  ["higher larger more", "lower smaller less fewer"],
  ["required mandatory", "optional"],
  ["open opened", "closed"],
  ["present", "absent missing"],
  ["before", "after"],
  ["always", "seldom rarely"],
];
const OPPOSITES: ReadonlyMap<string, { readonly pair: string; readonly side: number }> = new Map(
  PAIRS.flatMap((sides, pair) =>
    sides.flatMap((list, side) =>
      list.split(" ").map((word): [string, { pair: string; side: number }] => [word, { pair: `#${pair}`, side }]),
    ),
  ),
);

/** Whether a text has a word that can make it the opposite of another text. Cheaper than reading its clauses. */
export function mayOppose(text: string): boolean {
  return OPPOSING.test(text);
}

const OPPOSING = new RegExp(`n['’]t|\\b(?:${[...NEGATIONS, ...OPPOSITES.keys()].join("|")})\\b`, "iu");
