/**
 * Estimates tokens without a table. It walks the text as a tokenizer's splitter would (words with the space before
 * them, digits in threes, runs of symbols, line ends) and adds what such pieces cost on average, so that prose, code,
 * JSON and encoded bytes each come out near the exact count, and rather above it than below.
 *
 * It is the counter that is always there: nothing to load, linear, tens of megabytes a second. It refuses to be exact.
 */
import type { Counter, Tally } from "./counter.ts";
import { type Following, runTokens, scrambledWordTokens } from "./run-tokens.ts";
import { extendRun, openRun, type TextRun } from "./text-runs.ts";

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
  /** Tokens of the runs that are closed. */
  tokens: number;
  run: TextRun | undefined;
  stretch: Stretch;
}

/**
 * Letters, digits and joining symbols without a blank or a quote between them. Where its pieces are tiny it is base64,
 * a hash or an identifier made by a machine, and its words cost what random letters cost.
 */
interface Stretch {
  length: number;
  pieces: number;
  surcharge: number;
}

/** Too small a count ends in a refused request, too large a one in a slightly smaller prompt. */
const MARGIN = 1.01;
const SCRAMBLED_FROM_LENGTH = 16;
const SCRAMBLED_PIECE_LENGTH = 2.7;

function startEstimate(): Tally {
  const walk: Walk = { tokens: 0, run: undefined, stretch: { length: 0, pieces: 0, surcharge: 0 } };
  return {
    add(piece) {
      for (let index = 0; index < piece.length; index += 1) step(walk, piece.charCodeAt(index));
    },
    tokens: () => Math.ceil(settle(walk)),
  };
}

function step(walk: Walk, code: number): void {
  if (walk.run !== undefined && extendRun(walk.run, code)) return;
  const next = openRun(code, walk.run);
  closeRun(walk, next.kind);
  walk.run = next;
}

function closeRun(walk: Walk, following: Following): void {
  const { run, stretch } = walk;
  if (run === undefined) return;
  const tokens = runTokens(run, following);
  walk.tokens += tokens;
  if (joinsStretch(run)) {
    stretch.length += run.length;
    stretch.pieces += run.kind === "digits" ? tokens : 1;
    if (run.kind === "word") stretch.surcharge += scrambledWordTokens(run.length) - tokens;
  } else {
    walk.tokens += stretchTokens(stretch);
    clearStretch(stretch);
  }
}

function joinsStretch(run: TextRun): run is Exclude<TextRun, { kind: "blanks" }> {
  if (run.kind === "word") return run.foreignLetters === 0;
  return run.kind === "digits" || (run.kind === "symbols" && run.onlyJoiners && run.length <= 2);
}

function clearStretch(stretch: Stretch): void {
  stretch.length = 0;
  stretch.pieces = 0;
  stretch.surcharge = 0;
}

function stretchTokens(stretch: Stretch): number {
  const scrambled = stretch.length >= SCRAMBLED_FROM_LENGTH && stretch.pieces * SCRAMBLED_PIECE_LENGTH > stretch.length;
  return scrambled ? stretch.surcharge : 0;
}

/** What the count would be if the text ended here. The walk itself is left as it is. */
function settle(walk: Walk): number {
  const ended: Walk = { ...walk, stretch: { ...walk.stretch } };
  closeRun(ended, "end");
  return (ended.tokens + stretchTokens(ended.stretch)) * MARGIN;
}
