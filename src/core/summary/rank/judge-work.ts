/** Scores the lines of an agent's work. Rare, repeated and exact words and the user's words weigh more. */
import { contentWords } from "../../language/words.ts";
import type { Candidate } from "../read/candidate.ts";
import { WORK_WORD_WEIGHTS } from "../weights.ts";

export function* judgeWork(candidates: readonly Candidate[], options: SalienceOptions): Generator<undefined, Salience> {
  const vocabulary: Vocabulary = { places: new Map(), words: [] };
  const wordsOf: (readonly number[])[] = [];
  let work = 0;
  for (const candidate of candidates) {
    const words = contentWords(candidate.body).map((word) => noteWord(vocabulary, word, candidate));
    wordsOf.push(words);
    work += words.length + 1;
    if (work < STEP_WORDS) continue;
    yield undefined;
    work = 0;
  }
  const wished = new Set(contentWords(options.instructions ?? ""));
  const weights: number[] = [];
  for (const [word, place] of vocabulary.places) {
    weights.push(
      weigh(word, vocabulary.words[place], candidates.length) * (wished.has(word) ? WORK_WORD_WEIGHTS.wished : 1),
    );
    if (place % STEP_WORDS === STEP_WORDS - 1) yield undefined;
  }
  const last = candidates.at(-1)?.order ?? 0;
  const lines: SalientLine[] = [];
  for (const [index, candidate] of candidates.entries()) {
    const factor = candidate.weight * scoreNewness(candidate.order, last) * weighLine(candidate.body, options);
    lines.push({ candidate, words: wordsOf[index] ?? [], factor });
    if (index % STEP_LINES === STEP_LINES - 1) yield undefined;
  }
  return { lines, weights, places: vocabulary.places };
}

const STEP_LINES = 256;
const STEP_WORDS = 4_096;
function weighLine(body: string, { statesFact }: SalienceOptions): number {
  if (IDLE.test(body)) return WORK_WORD_WEIGHTS.idleLine;
  return statesFact(body) ? WORK_WORD_WEIGHTS.statesFact : 1;
}

/** Praise without content, such as "Good catch." */
const IDLE = /^[^:]{1,40}: (?:good|great|perfect|excellent|nice|fair|thanks|sure)\b[^.!?]{0,24}[.!?]$/i;
const EXACT_WORD = /[\d_/.]/;

interface Vocabulary {
  readonly places: Map<string, number>;
  readonly words: WordUse[];
}

interface WordUse {
  lines: number;
  messages: number;
  byUser: boolean;
  lastMessage: string | undefined;
}

function noteWord({ places, words }: Vocabulary, word: string, { messageId, weight }: Candidate): number {
  const known = places.get(word);
  const place = known ?? words.length;
  if (known === undefined) {
    places.set(word, place);
    words.push({ lines: 0, messages: 0, byUser: false, lastMessage: undefined });
  }
  const use = words[place];
  if (use === undefined) return place;
  use.lines += 1;
  if (use.messages === 0 || use.lastMessage !== messageId) use.messages += 1;
  use.lastMessage = messageId;
  use.byUser ||= weight > 1 && messageId !== undefined;
  return place;
}

function weigh(word: string, use: WordUse | undefined, lines: number): number {
  if (use === undefined) return 0;
  const rarity = Math.log(1 + lines / use.lines);
  const again = use.messages > 1 ? WORK_WORD_WEIGHTS.saidAgain : 1;
  return (
    rarity * again * (use.byUser ? WORK_WORD_WEIGHTS.byUser : 1) * (EXACT_WORD.test(word) ? WORK_WORD_WEIGHTS.exact : 1)
  );
}

function scoreNewness(order: number, last: number): number {
  return last <= 0 ? 1 : WORK_WORD_WEIGHTS.oldest + WORK_WORD_WEIGHTS.newnessGain * Math.max(0, order / last);
}

/** A line and the values that its score is computed from. */
export interface SalientLine {
  readonly candidate: Candidate;
  /** Indexes of its words in the weights. */
  readonly words: readonly number[];
  /** Its length without the label that it shares with its neighbors. */
  readonly ownCharacters?: number | undefined;
  /** The block of a `talk` conversation that it belongs to. */
  readonly block?: number | undefined;
  readonly factor: number;
}

export interface Salience {
  readonly lines: readonly SalientLine[];
  readonly weights: readonly number[];
  readonly places: ReadonlyMap<string, number>;
  readonly blocks?: number | undefined;
  /** Maps a content word to its key, if that is not the word itself. */
  readonly wordOf?: ((word: string) => string) | undefined;
}

export interface SalienceOptions {
  readonly instructions?: string | undefined;
  readonly statesFact: (body: string) => boolean;
}
