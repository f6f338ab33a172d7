/**
 * Cuts text into the pieces of a tokenizer's splitter: words, digits, blanks and symbols. It reads one code unit at a
 * time, so a text may arrive in pieces cut anywhere. A run stores only what its cost depends on.
 *
 * Runs are mutable while they grow and belong to one walk over one text. Their costs are in `estimate.ts`.
 */
import {
  classifyCharacter,
  DIGIT,
  isCommonHan,
  isHan,
  JOINER,
  LOWER,
  NEWLINE,
  NON_ASCII_LETTER,
  NON_ASCII_SYMBOL,
  SPACE,
  SYMBOL,
  TAB,
  UPPER,
  weighNonAscii,
} from "./character-class.ts";

/**
 * The character that a word includes before its first letter. Vocabularies have many words with a space, a tab or one
 * of `. _ ( -` before them (`joiner`), and few with another symbol (`mark`). `apostrophe` is the one in "don't", and
 * `hump` is the start of the next word in a camelCase name.
 */
export type WordPrefix = "nothing" | "space" | "joiner" | "mark" | "apostrophe" | "hump";

export interface WordRun {
  readonly kind: "word";
  readonly prefix: WordPrefix;
  length: number;
  capitals: number;
  endsLower: boolean;
  foreignLetters: number;
  foreignTokens: number;
  han: number;
  commonHan: number;
}

export interface DigitsRun {
  readonly kind: "digits";
  length: number;
}

export interface BlanksRun {
  readonly kind: "blanks";
  /** Whether symbols come before the run. Line ends directly after symbols are part of the symbols' token. */
  readonly afterSymbols: boolean;
  newlines: number;
  /** Blanks before the last line end. If there are any, the line ends no longer follow the symbols directly. */
  before: number;
  /** Blanks after the last line end. */
  tail: number;
  /** Whether the last blank is a plain space, which the next piece includes. */
  endsInSpace: boolean;
}

export interface SymbolsRun {
  readonly kind: "symbols";
  /** Whether the run includes the space before it. The word after it then cannot include this symbol. */
  readonly tookSpace: boolean;
  readonly afterWord: boolean;
  readonly first: number;
  length: number;
  same: boolean;
  onlyJoiners: boolean;
  foreignTokens: number;
}

export type TextRun = WordRun | DigitsRun | BlanksRun | SymbolsRun;

export function openRun(code: number, previous: TextRun | undefined): TextRun {
  const type = classifyCharacter(code);
  switch (type) {
    case LOWER:
    case UPPER:
    case NON_ASCII_LETTER:
      return openWord(code, previous);
    case DIGIT:
      return { kind: "digits", length: 1 };
    case SPACE:
    case TAB:
    case NEWLINE:
      return openBlanks(code, previous);
    case JOINER:
    case SYMBOL:
    case NON_ASCII_SYMBOL:
      return openSymbols(code, previous);
    default:
      return type satisfies never;
  }
}

/** Adds a code unit to the run and returns true, or returns false if it does not belong to the run. */
export function extendRun(run: TextRun, code: number): boolean {
  switch (run.kind) {
    case "word":
      return extendWord(run, code);
    case "digits":
      return extendDigits(run, code);
    case "blanks":
      return extendBlanks(run, code);
    case "symbols":
      return extendSymbols(run, code);
    default:
      return run satisfies never;
  }
}

/** Whether the run is one symbol that the next word includes, as in `.length` or `_name`. */
export function isPartOfNext(run: TextRun): boolean {
  return run.kind === "symbols" && run.length === 1 && !run.tookSpace && run.foreignTokens === 0;
}

const APOSTROPHE = 0x27;
const JOINERS: ReadonlySet<number> = new Set([..."._(-"].map((symbol) => symbol.charCodeAt(0)));

function openWord(code: number, previous: TextRun | undefined): WordRun {
  const run: WordRun = {
    kind: "word",
    prefix: findPrefix(previous),
    length: 0,
    capitals: 0,
    endsLower: false,
    foreignLetters: 0,
    foreignTokens: 0,
    han: 0,
    commonHan: 0,
  };
  extendWord(run, code);
  return run;
}

function findPrefix(previous: TextRun | undefined): WordPrefix {
  if (previous?.kind === "blanks" && previous.tail > 0) return previous.endsInSpace ? "space" : "joiner";
  if (previous?.kind === "word") return "hump";
  if (previous?.kind !== "symbols" || !isPartOfNext(previous)) return "nothing";
  if (previous.first === APOSTROPHE && previous.afterWord) return "apostrophe";
  return JOINERS.has(previous.first) ? "joiner" : "mark";
}

function extendWord(run: WordRun, code: number): boolean {
  const type = classifyCharacter(code);
  if (type === UPPER) {
    // Splitters begin a new piece at a capital inside a camelCase name.
    if (run.endsLower) return false;
    run.capitals += 1;
  } else if (type === NON_ASCII_LETTER) {
    run.foreignLetters += 1;
    run.foreignTokens += weighNonAscii(code);
    if (isHan(code)) {
      run.han += 1;
      if (isCommonHan(code)) run.commonHan += 1;
    }
  } else if (type !== LOWER) return false;
  run.endsLower = type === LOWER;
  run.length += 1;
  return true;
}

function openBlanks(code: number, previous: TextRun | undefined): BlanksRun {
  const run: BlanksRun = {
    kind: "blanks",
    afterSymbols: previous?.kind === "symbols",
    newlines: 0,
    before: 0,
    tail: 0,
    endsInSpace: false,
  };
  extendBlanks(run, code);
  return run;
}

function extendDigits(run: DigitsRun, code: number): boolean {
  if (classifyCharacter(code) !== DIGIT) return false;
  run.length += 1;
  return true;
}

function extendBlanks(run: BlanksRun, code: number): boolean {
  const type = classifyCharacter(code);
  if (type !== SPACE && type !== TAB && type !== NEWLINE) return false;
  if (type === NEWLINE) {
    run.newlines += 1;
    run.before += run.tail;
    run.tail = 0;
  } else run.tail += 1;
  run.endsInSpace = type === SPACE;
  return true;
}

function openSymbols(code: number, previous: TextRun | undefined): SymbolsRun {
  const run: SymbolsRun = {
    kind: "symbols",
    tookSpace: previous?.kind === "blanks" && previous.endsInSpace,
    afterWord: previous?.kind === "word",
    first: code,
    length: 0,
    same: true,
    onlyJoiners: true,
    foreignTokens: 0,
  };
  extendSymbols(run, code);
  return run;
}

function extendSymbols(run: SymbolsRun, code: number): boolean {
  const type = classifyCharacter(code);
  if (type !== JOINER && type !== SYMBOL && type !== NON_ASCII_SYMBOL) return false;
  if (type !== JOINER) run.onlyJoiners = false;
  if (type === NON_ASCII_SYMBOL) run.foreignTokens += weighNonAscii(code);
  if (code !== run.first) run.same = false;
  run.length += 1;
  return true;
}
