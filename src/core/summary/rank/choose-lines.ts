/**
 * Chooses the lines of a story by score per cost until the room is full, and can continue with more room. Words of a
 * chosen line count for little afterwards; the newer of two similar lines is kept.
 */

import { contentWords } from "../../language/words.ts";
import { createFaithfulnessCheck, type FaithfulnessCheck } from "../claims/read-source.ts";
import type { ConversationKind } from "../read/candidate.ts";
import { BULLET } from "../record/layout.ts";
import { CHOICE_WEIGHTS } from "../weights.ts";
import type { Salience, SalientLine } from "./judge-work.ts";
import { MaxHeap } from "./max-heap.ts";

export interface ChosenLine {
  readonly line: SalientLine;
  readonly value: number;
  readonly tokens: number;
}

export interface LineChooser {
  readonly chosen: readonly ChosenLine[];
  /** Chooses lines until the room is full. Returns the free room. */
  fill(roomTokens: number): Generator<undefined, number>;
  /** Returns the lines that were not chosen, the most salient first. */
  rest(most: number): readonly SalientLine[];
  /** Drops the least salient lines until this many tokens are free. Returns false if there are no lines. */
  drop(tokens: number): boolean;
  /** Notes a text that the summary says outside the story, and drops chosen lines that add nothing to it. */
  say(text: string): void;
}

export interface ChooserOptions {
  readonly kind: ConversationKind;
  /** Texts outside the story, which the story need not repeat. */
  readonly said: readonly string[];
  readonly placesOf: (text: string) => readonly number[];
  readonly cost: (line: SalientLine) => number;
  readonly isFaithful: FaithfulnessCheck;
}

interface HeapEntry {
  readonly value: number;
  readonly place: number;
  readonly line: SalientLine;
}

const STEP_TRIES = 512;
/** Taking a line from the heap counts as this many tries, and one more for every `SOURCE_CHARACTERS` of its source. */
const POP_WORK = 8;
const SOURCE_CHARACTERS = 32;

export function* createLineChooser(
  { lines, weights, blocks = 1 }: Salience,
  options: ChooserOptions,
): Generator<undefined, LineChooser> {
  const beside = options.said.map(options.placesOf);
  const said = new Set(beside.flat());
  const chosen: ChosenLine[] = [];
  const near = createNearIndex(beside, weights);
  const taken: number[] = [];
  let blockTokens = Number.POSITIVE_INFINITY;
  const costPower = options.kind === "work" ? CHOICE_WEIGHTS.workCostPower : CHOICE_WEIGHTS.talkCostPower;
  const worthOf = (line: SalientLine): number => {
    let sum = 0;
    for (const word of line.words) sum += (weights[word] ?? 0) * (said.has(word) ? CHOICE_WEIGHTS.saidWord : 1);
    const worth =
      (line.factor * sum) /
      ((line.ownCharacters ?? line.candidate.body.length) + CHOICE_WEIGHTS.lineCharacters) ** costPower;
    return line.block === undefined
      ? worth
      : worth / (1 + (taken[line.block] ?? 0) / blockTokens) ** CHOICE_WEIGHTS.crowding;
  };
  const heap = new MaxHeap<HeapEntry>();
  for (const [place, line] of lines.entries()) {
    const value = worthOf(line);
    if (value > 0) heap.push({ line, place, value });
    if (place % STEP_TRIES === STEP_TRIES - 1) yield undefined;
  }
  const accept = (line: SalientLine, value: number, tokens: number): void => {
    chosen.push({ line, value, tokens });
    if (line.block !== undefined) taken[line.block] = (taken[line.block] ?? 0) + tokens;
    near.add(line);
    for (const word of line.words) said.add(word);
  };
  return {
    chosen,
    *fill(roomTokens) {
      let room = roomTokens;
      if (blockTokens === Number.POSITIVE_INFINITY) blockTokens = Math.max(1, roomTokens / blocks);
      let misses = 0;
      const tooLarge: HeapEntry[] = [];
      for (let work = 0; heap.top !== undefined && misses < MAX_MISSES; work += 1) {
        if (work >= STEP_TRIES) {
          yield undefined;
          work = 0;
        }
        const { line, place, value: before } = heap.top;
        const value = worthOf(line);
        if (value < before) {
          heap.replaceTop({ line, place, value });
          continue;
        }
        heap.pop();
        work += POP_WORK + line.candidate.raw.length / SOURCE_CHARACTERS;
        const twin = near.find(line);
        if (twin === "said" || !options.isFaithful(line.candidate)) continue;
        const tokens = options.cost(line);
        const freed = twin === undefined ? 0 : (chosen.find(({ line: other }) => other === twin)?.tokens ?? 0);
        if (twin !== undefined && twin.candidate.order > line.candidate.order) continue;
        if (tokens - freed > room) {
          misses += 1;
          tooLarge.push({ line, place, value });
          continue;
        }
        if (twin !== undefined) remove(chosen, twin);
        room -= tokens - freed;
        accept(line, value, tokens);
      }
      for (const waiting of tooLarge) heap.push(waiting);
      return room;
    },
    rest(most) {
      const waiting: HeapEntry[] = [];
      for (let next = heap.top; next !== undefined && waiting.length < most; next = heap.top) {
        heap.pop();
        waiting.push(next);
      }
      for (const each of waiting) heap.push(each);
      return waiting.flatMap(({ line }) => (near.find(line) === undefined ? [line] : []));
    },
    drop(tokens) {
      let freed = 0;
      const least = chosen.toSorted((left, right) => left.value - right.value);
      for (const { line, tokens: size } of least) {
        if (freed >= tokens) break;
        remove(chosen, line);
        freed += size;
      }
      return least.length > 0;
    },
    say(text) {
      const words = options.placesOf(text);
      near.addSaid(words);
      for (const word of words) said.add(word);
      const entry: Entry = { words: new Set(words), line: undefined };
      for (const { line } of chosen.filter((each) => isNear(each.line.words, entry))) remove(chosen, line);
    },
  };
}

/** `fill` stops after this many lines that are too large. */
const MAX_MISSES = 200;

function remove(chosen: ChosenLine[], line: SalientLine): void {
  const place = chosen.findIndex((other) => other.line === line);
  if (place >= 0) chosen.splice(place, 1);
}

interface NearIndex {
  add(line: SalientLine): void;
  addSaid(words: readonly number[]): void;
  /** Returns a similar chosen line, or `said` if another part of the text contains it. */
  find(line: SalientLine): SalientLine | "said" | undefined;
}

type Entry = { readonly words: ReadonlySet<number>; readonly line: SalientLine | undefined };

function createNearIndex(said: readonly (readonly number[])[], weights: readonly number[]): NearIndex {
  const byWord = new Map<number, Entry[]>();
  const addEntry = (words: readonly number[], line: SalientLine | undefined): void => {
    const entry: Entry = { words: new Set(words), line };
    // A line may repeat a small part of a long fact, so facts are indexed by all their words.
    for (const word of line === undefined ? words : heaviestWords(words, weights)) {
      const entries = byWord.get(word);
      if (entries === undefined) byWord.set(word, [entry]);
      else entries.push(entry);
    }
  };
  for (const words of said) addEntry(words, undefined);
  return {
    add: (line) => addEntry(line.words, line),
    addSaid: (words) => addEntry(words, undefined),
    find: (line) => {
      for (const word of heaviestWords(line.words, weights)) {
        for (const entry of (byWord.get(word) ?? []).slice(-MAX_COMPARED)) {
          if (isNear(line.words, entry)) return entry.line ?? "said";
        }
      }
      return undefined;
    },
  };
}

const MAX_COMPARED = 8;

function heaviestWords(words: readonly number[], weights: readonly number[]): readonly number[] {
  return words
    .toSorted((left, right) => (weights[right] ?? 0) - (weights[left] ?? 0))
    .slice(0, CHOICE_WEIGHTS.tellingWords);
}

function isNear(words: readonly number[], { words: others, line }: Entry): boolean {
  const shared = words.filter((word) => others.has(word)).length;
  if (line === undefined && shared >= CHOICE_WEIGHTS.allSaid * words.length) return true;
  return (
    shared >= CHOICE_WEIGHTS.nearlySame * words.length &&
    shared >= CHOICE_WEIGHTS.nearlySame * Math.min(others.size, words.length * 2)
  );
}

export interface StoryInput {
  readonly kind: ConversationKind;
  readonly said: readonly string[];
  readonly count: (text: string) => number;
}

/** Creates the chooser for the lines of a story. `said` has texts outside the story, which it need not repeat. */
export function chooseStory(salience: Salience, { kind, said, count }: StoryInput): Generator<undefined, LineChooser> {
  const placesOf = (text: string): readonly number[] =>
    contentWords(text).flatMap((word) => salience.places.get(salience.wordOf?.(word) ?? word) ?? []);
  const dates = new Set<string>();
  const cost = ({ candidate: { body, date } }: SalientLine): number => {
    const isNew = date !== undefined && !dates.has(date);
    if (isNew) dates.add(date);
    return count(`${BULLET}${body}\n`) + (isNew ? CHOICE_WEIGHTS.dateTokens : 0);
  };
  return createLineChooser(salience, { kind, said, placesOf, cost, isFaithful: createFaithfulnessCheck() });
}
