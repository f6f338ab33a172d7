/**
 * The estimate of the preset `windowed-sql`: 1.3 tokens a word, where words are what `text.split(/\s+/)` gives. That
 * rule finds one empty word in an empty text and one more at each end that is blank; it is kept as it is, because the
 * preset's thresholds were chosen with it.
 */

import { FALLBACK_CHARACTERS_A_TOKEN } from "./count-text.ts";
import type { Counter } from "./counter.ts";

const TOKENS_A_WORD = 1.3;
/** For role and structure, so that a conversation is the sum of its texts and ten for each message. */
const MESSAGE_OVERHEAD_TOKENS = 10;

export const wordEstimate: Counter = {
  id: "words13@1",
  exact: false,
  messageOverheadTokens: MESSAGE_OVERHEAD_TOKENS,
  countWindow: (text) => countWordTokens(blankRuns(text)),
  startTally() {
    let runs = 0;
    let endsBlank = false;
    return {
      add(piece) {
        if (piece === "") return;
        runs += blankRuns(piece);
        // A run that was cut in two by the border between two pieces is still one.
        if (endsBlank && startsBlank(piece)) runs -= 1;
        endsBlank = isBlank(piece.at(-1));
      },
      tokens: () => countWordTokens(runs),
    };
  },
};

/** Splitting at runs of blanks gives one word more than there are runs. */
function countWordTokens(runs: number): number {
  return Math.ceil((runs + 1) * TOKENS_A_WORD);
}

function blankRuns(text: string): number {
  let runs = 0;
  for (const _ of text.matchAll(/\s+/g)) runs += 1;
  return runs;
}

function startsBlank(text: string): boolean {
  return isBlank(text.at(0));
}

function isBlank(character: string | undefined): boolean {
  return character !== undefined && /\s/.test(character);
}

// The rough rule that a token is about four characters. Also what any counter falls back to when it fails.
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
  return Math.ceil(characters / FALLBACK_CHARACTERS_A_TOKEN);
}
