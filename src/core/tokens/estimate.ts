/**
 * Estimates tokens without a table. It walks the text as a tokenizer's splitter would (words with the space before
 * them, digits in threes, runs of symbols, line ends) and adds the average cost of each piece, rounded up. It needs no
 * tables, and counts tens of megabytes per second in linear time.
 */
import { PalimpsestError } from "../errors.ts";
import type { Counter, Tally } from "./counter.ts";
import {
  type BlanksRun,
  extendRun,
  isPartOfNext,
  openRun,
  type SymbolsRun,
  type TextRun,
  type WordPrefix,
  type WordRun,
} from "./text-runs.ts";

/** The counter that needs no table: it estimates tokens from the kinds of characters. */
export const estimate: Counter = {
  id: "estimate@1",
  exact: false,
  messageOverheadTokens: 4,
  countWindow(text) {
    const tally = startEstimate();
    tally.add(text);
    return tally.tokens();
  },
  startTally: startEstimate,
};

interface Walk {
  tokens: number;
  run: TextRun | undefined;
  stretch: Stretch;
}

/**
 * Letters, digits and joining symbols without a blank or a quote between them. If its pieces are tiny, it is base64, a
 * hash or a generated identifier, and its words cost as much as random letters.
 */
interface Stretch {
  length: number;
  pieces: number;
  surcharge: number;
}

/** Raises the estimate slightly, because a prompt that is counted too low gets refused. */
const MARGIN = 1.01;
const SCRAMBLED_FROM_LENGTH = 16;
const SCRAMBLED_PIECE_LENGTH = 2.7;

function startEstimate(): Tally {
  const walk: Walk = { tokens: 0, run: undefined, stretch: { length: 0, pieces: 0, surcharge: 0 } };
  return {
    add: (piece) => addPiece(walk, piece),
    tokens: () => Math.ceil(countSoFar(walk)),
  };
}

function addPiece(walk: Walk, piece: string): void {
  let place = walk.run === undefined ? 0 : extendRun(walk.run, piece, 0);
  while (place < piece.length) {
    const next = openRun(piece.charCodeAt(place), walk.run);
    closeRun(walk, next.kind);
    walk.run = next;
    place = extendRun(next, piece, place);
  }
}

function closeRun(walk: Walk, next: NextKind): void {
  const { run, stretch } = walk;
  if (run === undefined) return;
  const tokens = countRunTokens(run, next);
  walk.tokens += tokens;
  if (joinsStretch(run)) {
    stretch.length += run.length;
    stretch.pieces += run.kind === "digits" ? tokens : 1;
    if (run.kind === "word") stretch.surcharge += countScrambledWord(run.length) - tokens;
  } else {
    walk.tokens += countStretch(stretch);
    walk.stretch = { length: 0, pieces: 0, surcharge: 0 };
  }
}

function joinsStretch(run: TextRun): run is Exclude<TextRun, { kind: "blanks" }> {
  if (run.kind === "word") return run.foreignLetters === 0;
  return run.kind === "digits" || (run.kind === "symbols" && run.onlyJoiners && run.length <= 2);
}

function countStretch(stretch: Stretch): number {
  const scrambled = stretch.length >= SCRAMBLED_FROM_LENGTH && stretch.pieces * SCRAMBLED_PIECE_LENGTH > stretch.length;
  return scrambled ? stretch.surcharge : 0;
}

/** Returns the count if the text ended here, and leaves the walk unchanged. */
function countSoFar(walk: Walk): number {
  const ended: Walk = { ...walk, stretch: { ...walk.stretch } };
  closeRun(ended, "end");
  return (ended.tokens + countStretch(ended.stretch)) * MARGIN;
}

// The costs below are the average tokens of o200k for a piece of this kind and length, measured on prose, code, JSON
// and logs, and rounded up. Digits and most blanks are exact; long and unusual words are not.
export type NextKind = TextRun["kind"] | "end";

/** Returns the tokens of a closed run. A space or a single symbol can belong to the run after it. */
export function countRunTokens(run: TextRun, next: NextKind): number {
  switch (run.kind) {
    case "word":
      return countWord(run);
    case "digits":
      return Math.ceil(run.length / DIGITS_PER_TOKEN);
    case "blanks":
      return countBlanks(run, next);
    case "symbols":
      return next === "word" && isPartOfNext(run) ? 0 : countSymbols(run);
    default:
      return run satisfies never;
  }
}

const DIGITS_PER_TOKEN = 3;

/** Tokens by length, starting at one character, and for each character beyond the list. */
interface TokensByLength {
  readonly known: readonly number[];
  readonly further: number;
}

const WORDS: Readonly<Record<WordPrefix, TokensByLength>> = {
  space: { known: [1, 1, 1.01, 1.01, 1.02, 1.05, 1.06, 1.14, 1.15, 1.17, 1.2, 1.27, 1.32], further: 0.5 },
  nothing: { known: [1, 1.01, 1.09, 1.06, 1.08, 1.18, 1.17, 1.32, 1.5, 1.5, 1.6, 1.9, 2.1], further: 0.5 },
  joiner: { known: [1, 1.08, 1.2, 1.14, 1.3, 1.32, 1.36, 1.6, 1.95, 1.95, 2.1, 2.2, 2.7], further: 0.5 },
  mark: { known: [1.05, 1.5, 1.85, 1.8, 1.95, 2.1, 2.05, 2.15, 2.4, 2.6, 2.6, 3, 3.6], further: 0.5 },
  hump: { known: [1, 1.03, 1.08, 1.04, 1.03, 1.06, 1.07, 1.13, 1.3, 1.25, 1.4, 1.4, 1.6], further: 0.5 },
  apostrophe: { known: [0.05, 0.05, 1.5, 1.6, 1.7, 1.9, 2, 2.1, 2.4, 2.6, 2.6, 3, 3.6], further: 0.5 },
};
const CAPITAL_WORDS: TokensByLength = { known: [1, 1.03, 1.25, 1.4, 1.75, 1.9, 2, 2.8, 3], further: 0.4 };
const MIXED_WORDS: TokensByLength = { known: [1, 1.4, 1.6, 1.8], further: 0.2 };
const SCRAMBLED_WORDS: TokensByLength = { known: [1, 1.1, 1.95, 2.45, 3.05, 3.6, 4.15], further: 0.55 };
const SYMBOLS: TokensByLength = { known: [1, 1.02, 1.15, 1.65, 1.9, 2.2, 2.9], further: 0.45 };

function lookUpLength(tokens: TokensByLength, length: number): number {
  const { known, further } = tokens;
  return known[length - 1] ?? (known[known.length - 1] ?? 1) + (length - known.length) * further;
}

const EXTRA_TOKENS_AFTER_MARK = 0.5;

function countWord(run: WordRun): number {
  if (run.foreignLetters > 0) return countForeignWord(run);
  if (run.capitals < 2) return lookUpLength(WORDS[run.prefix], run.length);
  const words = run.capitals < run.length ? MIXED_WORDS : CAPITAL_WORDS;
  return lookUpLength(words, run.length) + (run.prefix === "mark" ? EXTRA_TOKENS_AFTER_MARK : 0);
}

const TOKENS_PER_PLAIN_LETTER = 0.22;
const RARE_HAN_FROM_LENGTH = 12;
const EXTRA_TOKENS_PER_RARE_HAN = 1.2;

function countForeignWord(run: WordRun): number {
  const plain = (run.length - run.foreignLetters) * TOKENS_PER_PLAIN_LETTER;
  const rare = run.han >= RARE_HAN_FROM_LENGTH && run.commonHan * 8 < run.han;
  return Math.max(1, run.foreignTokens + plain) + (rare ? run.han * EXTRA_TOKENS_PER_RARE_HAN : 0);
}

/** Returns the tokens of a word of this length inside encoded bytes, which no vocabulary contains. */
export function countScrambledWord(length: number): number {
  return lookUpLength(SCRAMBLED_WORDS, length);
}

const BLANKS_PER_TOKEN = 100;
const NEWLINES_PER_TOKEN = 14;

function countBlanks(run: BlanksRun, next: NextKind): number {
  const taken = run.afterSymbols && run.before === 0;
  const lines = run.newlines === 0 || taken ? 0 : Math.max(1, run.newlines / NEWLINES_PER_TOKEN);
  return lines + run.before / BLANKS_PER_TOKEN + countTail(run, next);
}

function countTail(run: BlanksRun, next: NextKind): number {
  if (run.tail === 0) return 0;
  const indent = run.tail > 1 ? Math.max(1, run.tail / BLANKS_PER_TOKEN) : 0;
  if (next === "end") return Math.max(1, indent);
  const last = next === "word" || (next === "symbols" && run.endsInSpace) ? 0 : 1;
  return indent + last;
}

const SAME_SYMBOLS_PER_TOKEN = 16;
const SAME_FOREIGN_SYMBOLS_PER_TOKEN = 6;

function countSymbols(run: SymbolsRun): number {
  if (run.same && run.length > 2) {
    return 1 + run.length / (run.foreignTokens > 0 ? SAME_FOREIGN_SYMBOLS_PER_TOKEN : SAME_SYMBOLS_PER_TOKEN);
  }
  if (run.foreignTokens === 0) return lookUpLength(SYMBOLS, run.length);
  return Math.max(1, run.foreignTokens + Math.max(0, run.length - run.foreignTokens) * 0.4);
}

/** Returns the caller's counter, or the estimate if none was given. Throws for the name of a counter. */
export function requireCounter(counter: Counter | undefined): Counter {
  if (counter === undefined) return estimate;
  const given: unknown = counter;
  if (typeof given === "object" && given !== null && "countWindow" in given) return counter;
  const found = typeof given === "string" ? `the name ${JSON.stringify(given.slice(0, 64))}` : kindOf(given);
  const text = `counter: expected a counter, found ${found}. Load one: await loadCounter(name), from "palimpsest".`;
  throw new PalimpsestError("config-invalid", text, { details: { key: "counter" } });
}

function kindOf(value: unknown): string {
  return value === null ? "null" : typeof value;
}
