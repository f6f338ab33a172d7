/**
 * Beginnings of lines that do not fit as a whole, for a text that whole lines leave with room. Those that keep most of
 * their line come first; a few words of one are offered only where the room would stay empty otherwise. They end after
 * a word, and none says what its line does not.
 */

import { createFaithCheck } from "../claims/is-faithful.ts";
import type { Candidate } from "../read/candidate.ts";
import { ELLIPSIS, LEFT_OUT, shortenWords } from "../text/fold-line.ts";

const LONGEST_CHARACTERS_A_TOKEN = 6;
const SHORTER = 0.85;
/** What a beginning has to keep of its line to be worth reading. */
const MOST_OF_IT = 0.6;
const FEWEST_CHARACTERS = 6;
/** In scripts that write without spaces, where a character is half a word. */
const FEWEST_SPACELESS = 3;
const SPACELESS = /[\u2e80-\u9fff\uac00-\ud7af]/;

export interface LastLineRoom {
  readonly roomTokens: number;
  /** Whether a few words are better than nothing. */
  readonly isNeeded: boolean;
}

export function* shortenLast(
  lines: readonly Candidate[],
  { roomTokens, isNeeded }: LastLineRoom,
): Generator<Candidate, void> {
  const isFaithful = createFaithCheck();
  for (const share of isNeeded ? [MOST_OF_IT, 0] : [MOST_OF_IT]) {
    for (const line of lines) {
      const label = line.body.indexOf(": ") + 2;
      const fewest = SPACELESS.test(line.body.charAt(label)) ? FEWEST_SPACELESS : FEWEST_CHARACTERS;
      const least = label + Math.max(fewest, share * (line.body.length - label));
      for (let longest = roomTokens * LONGEST_CHARACTERS_A_TOKEN; longest >= least; longest *= SHORTER) {
        const body = beforeComputed(shortenWords(line.body, Math.floor(longest)));
        if (body.length < least || body.endsWith(LEFT_OUT)) break;
        if (isFaithful({ body, raw: line.raw })) yield { ...line, body };
      }
    }
  }
}

/** Half a date that was computed is another one, so that all of it is left out. */
function beforeComputed(body: string): string {
  const start = body.lastIndexOf(" (= ");
  return start < 0 || body.includes(")", start) ? body : `${body.slice(0, start)} ${ELLIPSIS}`;
}
