/**
 * Counts a text of any length and kind, in linear time and in bounded steps. Tokenizers see only windows
 * (`text-window.ts`); counters with their own tally see pieces.
 *
 * It never throws. If a counter throws, four characters of that window count as a token.
 */
import type { Counter, Tally } from "./counter.ts";
import { takeWindow } from "./text-window.ts";

/** The work of one step: about 32 kB of prose, or less of text that is slow to tokenize. Takes about 10 ms. */
export const STEP_WORK = 32_768;

export const FALLBACK_CHARACTERS_PER_TOKEN = 4;

export function countText(text: string, counter: Counter): number {
  return runSteps(countTextInSteps(text, counter));
}

/** Counts like `countText`, and yields between steps so that the caller can let other work run. */
export function* countTextInSteps(text: string, counter: Counter): Generator<undefined, number> {
  const tally = counter.startTally?.();
  if (tally === undefined) return yield* countWindows(text, counter);
  try {
    return yield* countPieces(text, tally);
  } catch {
    return countFallback(text);
  }
}

export function runSteps<Result>(steps: Generator<undefined, Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

function* countWindows(text: string, counter: Counter): Generator<undefined, number> {
  let tokens = 0;
  let work = 0;
  for (let start = 0; start < text.length; ) {
    const window = takeWindow(text, start);
    if (work > 0 && work + window.work > STEP_WORK) {
      yield undefined;
      work = 0;
    }
    tokens += countWindowSafely(window.text, counter);
    work += window.work;
    start += window.text.length;
  }
  return tokens;
}

function countWindowSafely(text: string, counter: Counter): number {
  try {
    const tokens = counter.countWindow(text);
    return tokens >= 0 ? tokens : countFallback(text);
  } catch {
    return countFallback(text);
  }
}

function* countPieces(text: string, tally: Tally): Generator<undefined, number> {
  for (let start = 0; start < text.length; start += STEP_WORK) {
    if (start > 0) yield undefined;
    tally.add(text.slice(start, start + STEP_WORK));
  }
  return tally.tokens();
}

function countFallback(text: string): number {
  return Math.ceil(text.length / FALLBACK_CHARACTERS_PER_TOKEN);
}
