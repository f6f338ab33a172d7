/**
 * Scores the lines of a `talk` conversation: rare words, names, numbers, and words that the next speakers repeat weigh
 * more.
 */

import { findMatches } from "../../language/find-matches.ts";
import { stemWord } from "../../language/stem-word.ts";
import { contentStems } from "../../language/words.ts";
import type { Candidate } from "../read/candidate.ts";
import { TALK_WORD_WEIGHTS } from "../weights.ts";
import type { Salience, SalienceOptions, SalientLine } from "./judge-work.ts";

const STEP_LINES = 64;
const EXACT_WORD = /[\d_/.]/;

export function* judgeTalk(candidates: readonly Candidate[], options: SalienceOptions): Generator<undefined, Salience> {
  const vocabulary: Vocabulary = { places: new Map(), uses: [] };
  const wordsOf: (readonly number[])[] = [];
  const characters: number[] = [];
  let work = 0;
  for (const { body } of candidates) {
    const said = saidIn(body);
    wordsOf.push(noteLine(vocabulary, said));
    characters.push(said.length);
    work += said.length;
    if (work < STEP_CHARACTERS) continue;
    yield undefined;
    work = 0;
  }
  const wished = contentStems(options.instructions ?? "");
  const weights: number[] = [];
  for (const [word, place] of vocabulary.places) {
    const { lines = 1, isName = false } = vocabulary.uses[place] ?? {};
    const exact = isName || EXACT_WORD.test(word) ? TALK_WORD_WEIGHTS.exact : 1;
    const once = lines === 1 ? TALK_WORD_WEIGHTS.once : 1;
    weights.push(
      Math.log(1 + candidates.length / lines) * exact * once * (wished.has(word) ? TALK_WORD_WEIGHTS.wished : 1),
    );
    if (place % STEP_WORDS === STEP_WORDS - 1) yield undefined;
  }
  const turns = yield* wordsByTurn(candidates, wordsOf);
  // Blocks have about the same number of lines, so that every part of the talk is represented.
  const blocks = Math.max(1, Math.round(candidates.length / TALK_WORD_WEIGHTS.blockLines));
  const lines: SalientLine[] = [];
  for (const [index, candidate] of candidates.entries()) {
    const words = wordsOf[index] ?? [];
    const stated = options.statesFact(candidate.body) ? TALK_WORD_WEIGHTS.statesFact : 1;
    const factor =
      candidate.weight * stated * (1 + TALK_WORD_WEIGHTS.takenUp * takenUp(candidate, { words, weights, turns }));
    const block = Math.floor((index * blocks) / candidates.length);
    lines.push({ candidate, words, factor, ownCharacters: characters[index], block });
    if (index % STEP_LINES === STEP_LINES - 1) yield undefined;
  }
  return { lines, weights, places: vocabulary.places, blocks, wordOf: stemWord };
}

const STEP_WORDS = 1_024;
const STEP_CHARACTERS = 8_192;

interface Vocabulary {
  readonly places: Map<string, number>;
  readonly uses: WordUse[];
}

interface WordUse {
  lines: number;
  /** True if the word is capitalized inside a sentence. */
  isName: boolean;
}

const CAPITAL = /(?<=[\p{L}\p{N},] )\p{Lu}[\p{L}\p{N}]+/gu;

/** Returns the text without its label and computed dates, which are not the speaker's words. */
function saidIn(body: string): string {
  return body.slice(body.indexOf(": ") + 1).replace(/ \(= [^)]*\)/g, "");
}

function noteLine({ places, uses }: Vocabulary, text: string): readonly number[] {
  const names = new Set(findMatches(text, CAPITAL).map(([word]) => stemWord(word.toLowerCase())));
  const words = contentStems(text);
  return [...words].map((word) => {
    const known = places.get(word);
    const place = known ?? uses.length;
    if (known === undefined) {
      places.set(word, place);
      uses.push({ lines: 0, isName: false });
    }
    const use = uses[place];
    if (use !== undefined) {
      use.lines += 1;
      use.isName ||= names.has(word);
    }
    return place;
  });
}

type WordsByTurn = ReadonlyMap<number, ReadonlySet<number>>;

function* wordsByTurn(
  candidates: readonly Candidate[],
  wordsOf: readonly (readonly number[])[],
): Generator<undefined, WordsByTurn> {
  const turns = new Map<number, Set<number>>();
  for (const [index, { turn }] of candidates.entries()) {
    if (turn === undefined) continue;
    const words = turns.get(turn) ?? new Set();
    for (const word of wordsOf[index] ?? []) words.add(word);
    turns.set(turn, words);
    if (index % STEP_LINES === STEP_LINES - 1) yield undefined;
  }
  return turns;
}

interface TakenUp {
  readonly words: readonly number[];
  readonly weights: readonly number[];
  readonly turns: WordsByTurn;
}

function takenUp({ turn }: Candidate, { words, weights, turns }: TakenUp): number {
  if (turn === undefined) return 0;
  let all = 0;
  let again = 0;
  for (const word of words) {
    const weight = weights[word] ?? 0;
    all += weight;
    for (let next = turn + 1; next <= turn + TALK_WORD_WEIGHTS.nextTurns; next += 1) {
      if (turns.get(next)?.has(word) !== true) continue;
      again += weight;
      break;
    }
  }
  return all === 0 ? 0 : again / all;
}
