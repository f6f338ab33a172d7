/** Trims a summary to its cap at the end of a sentence or line, or else after a word, with an ellipsis. */
import { countText } from "../../tokens/count-text.ts";
import type { Counter } from "../../tokens/counter.ts";
import { SIZE_WEIGHTS } from "../weights.ts";

export interface TrimOptions {
  readonly capTokens: number;
  readonly counter: Counter;
}

export interface TrimmedSummary {
  readonly text: string;
  readonly tokens: number;
  readonly isTrimmed: boolean;
  /** False if the text ends inside a sentence. */
  readonly endsWhole: boolean;
}

const ELLIPSIS = "…";

/** Matches the end of a sentence, with closing brackets and quotes. */
const SENTENCE_END = /[.!?…]["'”’)\]*_`]*(?=\s|$)|[。！？]["'”’）」』]*|\n/gu;

export function trimSummary(text: string, options: TrimOptions): TrimmedSummary {
  const tokens = countText(text, options.counter);
  if (tokens <= options.capTokens) return { text, tokens, isTrimmed: false, endsWhole: true };
  const whole = largestWithin(text, { ...options, ends: sentenceEnds(text), finish: dropDanglingHeadings });
  if (whole !== "") return trimmed(whole, { ...options, endsWhole: true });
  const finish = (words: string): string => `${words.trimEnd()}${ELLIPSIS}`;
  const words = largestWithin(text, { ...options, ends: wordEnds(text), finish });
  return trimmed(words, { ...options, endsWhole: false });
}

function trimmed(text: string, { counter, endsWhole }: TrimOptions & { readonly endsWhole: boolean }): TrimmedSummary {
  return { text, tokens: countText(text, counter), isTrimmed: true, endsWhole };
}

function sentenceEnds(text: string): readonly number[] {
  const ends: number[] = [];
  for (const match of text.matchAll(SENTENCE_END)) {
    const end = match[0] === "\n" ? match.index : match.index + match[0].length;
    if (match[0] === "\n" || !continuesSentence(text.slice(end, end + 40))) ends.push(end);
  }
  return ends;
}

/** Returns true after an abbreviation ("e.g. this"), where the sentence continues in lower case. */
function continuesSentence(following: string): boolean {
  return /^[^\S\n]+\p{Ll}/u.test(following);
}

function wordEnds(text: string): readonly number[] {
  const ends = [...text.matchAll(/\S(?=\s)/gu)].map(({ index }) => index + 1);
  return ends.length === 0 ? everyCharacter(text) : ends;
}

function everyCharacter(text: string): readonly number[] {
  let end = 0;
  return Array.from(text, (character) => {
    end += character.length;
    return end;
  });
}

interface Places extends TrimOptions {
  readonly ends: readonly number[];
  finish(beginning: string): string;
}

/** Returns the longest beginning that ends at one of the places and fits. Assumes that counts grow with the length. */
function largestWithin(text: string, { ends, finish, capTokens, counter }: Places): string {
  const finished = (count: number): string => (count === 0 ? "" : finish(text.slice(0, ends[count - 1])));
  return finished(findLargest(ends.length, (count) => countText(finished(count), counter) <= capTokens));
}

/** Returns the largest number up to `most` that fits, by binary search. Does not try 0. */
export function findLargest(most: number, fits: (amount: number) => boolean): number {
  let low = 0;
  let high = most;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

const HEADING = /^\s*(?:#{1,6}\s.*|\*\*[^*\n]*\*\*:?|[^\n]{0,80}:)\s*$/;

function dropDanglingHeadings(text: string): string {
  const lines = text.split("\n");
  const last = lines.findLastIndex((line) => line.trim() !== "" && !HEADING.test(line));
  return lines
    .slice(0, last + 1)
    .join("\n")
    .trimEnd();
}

export interface SummaryLimits {
  readonly maxTokens: number;
  /** Share of a prompt's first tokens that a summary may take; half as much of the rest. 1 means no limit. */
  readonly ratio: number;
  /** Tokens that a summary may take in a small prompt, even above its share. With 0, the share applies there too. */
  readonly smallTokens: number;
}

export function summaryCap({ maxTokens, ratio, smallTokens }: SummaryLimits, limitTokens: number): number {
  const beyond = ratio < 1 ? ratio / 2 : ratio;
  const share =
    Math.min(limitTokens, SIZE_WEIGHTS.fullShareTokens) * ratio +
    Math.max(0, limitTokens - SIZE_WEIGHTS.fullShareTokens) * beyond;
  const least = Math.min(smallTokens, limitTokens * SIZE_WEIGHTS.smallPromptShare);
  return Math.min(maxTokens, Math.floor(Math.max(share, least)));
}
