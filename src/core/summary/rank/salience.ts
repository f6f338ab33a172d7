/**
 * How much each line of a story matters. A line counts for its words that no chosen line has said yet, against what it
 * costs, so that length alone wins nothing. Talk and work are judged by other files.
 */
import type { Candidate } from "../read/candidate.ts";

export interface SalientLine {
  readonly candidate: Candidate;
  /** Its words, as places in the weights. */
  readonly words: readonly number[];
  /** What it takes in the text, in characters, where that is not all of it: neighbours may share a label. */
  readonly ownCharacters?: number | undefined;
  /** The part of the conversation that it stands in, where parts are to be told of alike. */
  readonly block?: number | undefined;
  /** Who said it, what it does, and how new it is. */
  readonly factor: number;
}

export interface Salience {
  readonly lines: readonly SalientLine[];
  readonly weights: readonly number[];
  /** The place of a word, where any line has it. */
  readonly places: ReadonlyMap<string, number>;
  /** How many parts there are. */
  readonly blocks?: number | undefined;
  /** What a content word is known by, where that is not the word itself. */
  readonly wordOf?: ((word: string) => string) | undefined;
}

export interface SalienceOptions {
  /** What the user asked to keep in mind. */
  readonly instructions?: string | undefined;
  /** Lines that state a fact: what was decided, done, demanded or left open. */
  readonly statesFact: (body: string) => boolean;
}
