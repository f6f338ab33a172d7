/**
 * Makes a summary fit its cap by leaving out its end, at the end of a sentence or a line, so that what is stored is
 * never half a statement. Where not even the first sentence fits, it ends after a word, with an ellipsis.
 *
 * It shortens and nothing else: what is kept is the beginning of the text, character for character.
 */
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
  /** False where the text had to end in the middle of a sentence. */
  readonly endsWhole: boolean;
}

const ELLIPSIS = "…";

/** A mark that ends a sentence with the brackets and quotes that close after it. */
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
    if (match[0] === "\n" || !goesOn(text.slice(end, end + 40))) ends.push(end);
  }
  return ends;
}

/** After an abbreviation ("e.g. this") the sentence goes on in lower case. */
function goesOn(following: string): boolean {
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

/**
 * The longest beginning of the text that ends at one of the places and, finished, fits. What is given back was
 * counted; where counts do not grow with length, a longer one may have been missed.
 */
function largestWithin(text: string, { ends, finish, capTokens, counter }: Places): string {
  const finished = (place: number): string => finish(text.slice(0, ends[place]));
  const fits = (place: number): boolean => countText(finished(place), counter) <= capTokens;
  let low = -1;
  let high = ends.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (fits(middle)) low = middle;
    else high = middle - 1;
  }
  return low < 0 ? "" : finished(low);
}

const HEADING = /^\s*(?:#{1,6}\s.*|\*\*[^*\n]*\*\*:?|[^\n]{0,80}:)\s*$/;

/** A heading at the end has lost what it was for. */
function dropDanglingHeadings(text: string): string {
  const lines = text.split("\n");
  while (lines.length > 0 && isDangling(lines.at(-1) ?? "")) lines.pop();
  return lines.join("\n").trimEnd();
}

function isDangling(line: string): boolean {
  return line.trim() === "" || HEADING.test(line);
}

/**
 * How large a summary may be in a prompt of a given size. Beyond a first stretch only half of the share counts. A small
 * prompt needs a larger share of it, because a summary that cannot name what the work is about is no use: there it may
 * take a number of tokens in any case, up to most of the prompt. A share of 1 is no limit of ours.
 */
export interface SummaryLimits {
  readonly maxTokens: number;
  readonly ratio: number;
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
