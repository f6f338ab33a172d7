/**
 * The shape of a language's cues: phrases by which a sentence is recognized as a demand, a decision, an open item or
 * finished work, or as a change of what was decided before, and phrases that rule this out.
 */
import { lazyPattern, type TextPattern } from "../lazy-pattern.ts";

export interface LanguageCues {
  readonly demand: CuePattern;
  readonly decision: CuePattern;
  readonly open: CuePattern;
  readonly done: CuePattern;
  /** Cues of a sentence that withdraws what it names. */
  readonly withdrawal: CuePattern;
  /** Cues of a sentence that names a replacement. */
  readonly replacement: CuePattern;
  /** Cues of a sentence that announces a replacement, which may be in the next sentence. */
  readonly newDecision: CuePattern;
}

export type CueKind = keyof LanguageCues;

export interface CuePattern {
  readonly cues: TextPattern;
  readonly except?: TextPattern | undefined;
}

/** Joins phrases that begin and end at word boundaries. Each is the source of a regular expression. */
export function joinPhrases(...phrases: readonly string[]): TextPattern {
  return joinRuns(...phrases.map((phrase) => `(?<![\\p{L}\\p{N}])(?:${phrase})(?!\\p{L})`));
}

/** Joins phrases of a language without spaces between words. */
export function joinRuns(...phrases: readonly string[]): TextPattern {
  return lazyPattern(() => new RegExp(phrases.join("|"), "iu"));
}

export function matchesCue(text: string, { cues, except }: CuePattern): boolean {
  return cues.test(text) && except?.test(text) !== true;
}
