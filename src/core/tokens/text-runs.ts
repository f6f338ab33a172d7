/**
 * Cuts text into the pieces of a tokenizer's splitter: words, digits, blanks and symbols. A text may
 * arrive in pieces that are cut anywhere. A run stores only what its cost depends on.
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
  /** Whether the run includes the space before it. Then the next word cannot include this symbol. */
  readonly tookSpace: boolean;
  readonly afterWord: boolean;
  readonly first: number;
  length: number;
  same: boolean;
  onlyJoiners: boolean;
  foreignTokens: number;
}

export type TextRun = WordRun | DigitsRun | BlanksRun | SymbolsRun;

/** Opens the run that begins at this place of the text. It is still empty. */
export function openRun(code: number, previous: TextRun | undefined): TextRun {
  const type = classifyCharacter(code);
  switch (type) {
    case LOWER:
    case UPPER:
    case NON_ASCII_LETTER:
      return openWord(previous);
    case DIGIT:
      return { kind: "digits", length: 0 };
    case SPACE:
    case TAB:
    case NEWLINE:
      return openBlanks(previous);
    case JOINER:
    case SYMBOL:
    case NON_ASCII_SYMBOL:
      return openSymbols(code, previous);
    default:
      return type satisfies never;
  }
}

/** Extends the run from this place of the text on, and returns the first place that does not belong to it. */
export function extendRun(run: TextRun, text: string, from: number): number {
  switch (run.kind) {
    case "word":
      return extendWord(run, text, from);
    case "digits":
      return extendDigits(run, text, from);
    case "blanks":
      return extendBlanks(run, text, from);
    case "symbols":
      return extendSymbols(run, text, from);
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

function openWord(previous: TextRun | undefined): WordRun {
  return {
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
}

function findPrefix(previous: TextRun | undefined): WordPrefix {
  if (previous?.kind === "blanks" && previous.tail > 0) return previous.endsInSpace ? "space" : "joiner";
  if (previous?.kind === "word") return "hump";
  if (previous?.kind !== "symbols" || !isPartOfNext(previous)) return "nothing";
  if (previous.first === APOSTROPHE && previous.afterWord) return "apostrophe";
  return JOINERS.has(previous.first) ? "joiner" : "mark";
}

function extendWord(run: WordRun, text: string, from: number): number {
  let { endsLower } = run;
  let place = from;
  for (; place < text.length; place += 1) {
    const code = text.charCodeAt(place);
    const type = classifyCharacter(code);
    if (type === LOWER) {
      endsLower = true;
      continue;
    }
    // Splitters begin a new piece at a capital inside a camelCase name.
    if (type === UPPER ? endsLower : type !== NON_ASCII_LETTER) break;
    endsLower = false;
    if (type === UPPER) run.capitals += 1;
    else addForeignLetter(run, code);
  }
  run.endsLower = endsLower;
  run.length += place - from;
  return place;
}

function addForeignLetter(run: WordRun, code: number): void {
  run.foreignLetters += 1;
  run.foreignTokens += weighNonAscii(code);
  if (!isHan(code)) return;
  run.han += 1;
  if (isCommonHan(code)) run.commonHan += 1;
}

function openBlanks(previous: TextRun | undefined): BlanksRun {
  return {
    kind: "blanks",
    afterSymbols: previous?.kind === "symbols",
    newlines: 0,
    before: 0,
    tail: 0,
    endsInSpace: false,
  };
}

function extendDigits(run: DigitsRun, text: string, from: number): number {
  let place = from;
  while (place < text.length && classifyCharacter(text.charCodeAt(place)) === DIGIT) place += 1;
  run.length += place - from;
  return place;
}

function extendBlanks(run: BlanksRun, text: string, from: number): number {
  for (let place = from; place < text.length; place += 1) {
    const type = classifyCharacter(text.charCodeAt(place));
    if (type !== SPACE && type !== TAB && type !== NEWLINE) return place;
    if (type === NEWLINE) {
      run.newlines += 1;
      run.before += run.tail;
      run.tail = 0;
    } else run.tail += 1;
    run.endsInSpace = type === SPACE;
  }
  return text.length;
}

function openSymbols(code: number, previous: TextRun | undefined): SymbolsRun {
  return {
    kind: "symbols",
    tookSpace: previous?.kind === "blanks" && previous.endsInSpace,
    afterWord: previous?.kind === "word",
    first: code,
    length: 0,
    same: true,
    onlyJoiners: true,
    foreignTokens: 0,
  };
}

function extendSymbols(run: SymbolsRun, text: string, from: number): number {
  let place = from;
  for (; place < text.length; place += 1) {
    const code = text.charCodeAt(place);
    const type = classifyCharacter(code);
    if (type !== JOINER && type !== SYMBOL && type !== NON_ASCII_SYMBOL) break;
    if (type !== JOINER) run.onlyJoiners = false;
    if (type === NON_ASCII_SYMBOL) run.foreignTokens += weighNonAscii(code);
    if (code !== run.first) run.same = false;
  }
  run.length += place - from;
  return place;
}
