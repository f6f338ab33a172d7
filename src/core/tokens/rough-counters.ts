/**
 * Two rough counters. `wordEstimate` belongs to the preset `windowed-sql`: 1.3 tokens for each item of
 * `text.split(/\s+/)`. An empty text and blanks at either end count as a word too, as the preset's thresholds assume.
 */
import { FALLBACK_CHARACTERS_PER_TOKEN } from "./count-text.ts";
import type { Counter } from "./counter.ts";

const TOKENS_PER_WORD = 1.3;
/** Tokens of a message for its role and structure. */
const MESSAGE_OVERHEAD_TOKENS = 10;

/** A counter with 1.3 tokens for each word. */
export const wordEstimate: Counter = {
  id: "words13@1",
  exact: false,
  messageOverheadTokens: MESSAGE_OVERHEAD_TOKENS,
  countWindow: (text) => countWordTokens(countBlankRuns(text)),
  startTally() {
    let runs = 0;
    let endsBlank = false;
    return {
      add(piece) {
        if (piece === "") return;
        runs += countBlankRuns(piece);
        // A run of blanks that was split between two pieces counts as one run.
        if (endsBlank && isBlank(piece.at(0))) runs -= 1;
        endsBlank = isBlank(piece.at(-1));
      },
      tokens: () => countWordTokens(runs),
    };
  },
};

/** Splitting at runs of blanks gives one word more than there are runs. */
function countWordTokens(runs: number): number {
  return Math.ceil((runs + 1) * TOKENS_PER_WORD);
}

function countBlankRuns(text: string): number {
  let runs = 0;
  for (const _ of text.matchAll(/\s+/g)) runs += 1;
  return runs;
}

function isBlank(character: string | undefined): boolean {
  return character !== undefined && /\s/.test(character);
}

/** Counts a token for every four characters, as `count-text.ts` does if a counter fails. */
export const charsOverFour: Counter = {
  id: "chars4@1",
  exact: false,
  messageOverheadTokens: 4,
  countWindow: (text) => countQuarters(text.length),
  startTally() {
    let characters = 0;
    return {
      add(piece) {
        characters += piece.length;
      },
      tokens: () => countQuarters(characters),
    };
  },
};

function countQuarters(characters: number): number {
  return Math.ceil(characters / FALLBACK_CHARACTERS_PER_TOKEN);
}
