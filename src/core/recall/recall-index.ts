/** An index of sentences by term, in memory. Messages and files are added one by one and can be removed. */
import { foldWord } from "../language/stem-word.ts";
import { isUnspaced, splitWords, termsOfPiece } from "../language/words.ts";
import type { Message, MessageId } from "../message/message.ts";
import { type Passage, type RecallFile, readFilePassages, readPassages } from "./read-passages.ts";
import { joinShortPlural } from "./word-keys.ts";

interface Span {
  readonly first: number;
  /** Exclusive. */
  readonly end: number;
}

export class RecallIndex {
  readonly #passages: (Passage | undefined)[] = [];
  /** Number of terms of each passage, without function words. */
  readonly #lengths: number[] = [];
  readonly #spans = new Map<MessageId, Span>();
  readonly #termIds = new Map<string, number>();
  readonly #terms: string[] = [];
  /** For each term id, the passages with the term, in order, with one entry for each occurrence. */
  readonly #postings: (number[] | undefined)[] = [];
  /** Caches the term id of each spelling, because words repeat and stemming is slow. */
  readonly #known = new Map<string, number>();
  #totalLength = 0;
  #live = 0;

  /** All terms, including those of removed passages. */
  get terms(): readonly string[] {
    return this.#terms;
  }

  /** Number of places for passages, including the empty places of removed ones. */
  get size(): number {
    return this.#passages.length;
  }

  get liveCount(): number {
    return this.#live;
  }

  get meanLength(): number {
    return this.#passages.length === 0 ? 1 : Math.max(1, this.#totalLength / this.#passages.length);
  }

  has(source: MessageId): boolean {
    return this.#spans.has(source);
  }

  passageAt(place: number): Passage | undefined {
    return this.#passages[place];
  }

  lengthAt(place: number): number {
    return this.#lengths[place] ?? 0;
  }

  spanOf(source: MessageId): Span | undefined {
    return this.#spans.get(source);
  }

  /** Returns a source and up to `reach` sources on each side that have passages, in order. */
  sourcesAround(source: MessageId, reach: number): readonly MessageId[] {
    const span = this.#spans.get(source);
    if (span === undefined) return [];
    return [...this.#walk(span.first - 1, -1, reach).reverse(), source, ...this.#walk(span.end, 1, reach)];
  }

  #walk(from: number, step: 1 | -1, reach: number): MessageId[] {
    const found: MessageId[] = [];
    for (let place = from; found.length < reach && place >= 0 && place < this.#passages.length; ) {
      const source = this.#passages[place]?.source;
      const span = source === undefined ? undefined : this.#spans.get(source);
      if (source !== undefined) found.push(source);
      place = span === undefined ? place + step : step === 1 ? span.end : span.first - 1;
    }
    return found;
  }

  postingsOf(term: string): readonly number[] {
    const id = this.#termIds.get(joinShortPlural(term));
    return id === undefined ? NONE : (this.#postings[id] ?? NONE);
  }

  /** Skips messages that are already in the index. */
  add(messages: readonly Message[]): void {
    for (const _ of this.addInSteps(messages));
  }

  /** Yields every one or two milliseconds. */
  *addInSteps(messages: readonly Message[]): Generator<undefined, void> {
    for (const message of messages) yield* this.#addSource(message.id, readPassages(message));
  }

  *addFileInSteps(file: RecallFile): Generator<undefined, void> {
    yield* this.#addSource(file.path, readFilePassages(file));
  }

  /** Removes a message or file, so that it can no longer be found or quoted. */
  forget(source: MessageId): void {
    const span = this.#spans.get(source);
    if (span === undefined) return;
    for (let place = span.first; place < span.end; place += 1) this.#passages[place] = undefined;
    this.#live -= span.end - span.first;
    this.#spans.delete(source);
  }

  *#addSource(source: MessageId, pieces: Iterable<readonly Passage[]>): Generator<undefined, void> {
    if (this.#spans.has(source)) return;
    const first = this.#passages.length;
    this.#spans.set(source, { first, end: first });
    for (const passages of pieces) {
      for (const passage of passages) this.#addPassage(passage);
      this.#spans.set(source, { first, end: this.#passages.length });
      yield undefined;
    }
  }

  #addPassage(passage: Passage): void {
    const place = this.#passages.length;
    let length = 0;
    for (const piece of splitWords(passage.text)) length += this.#addPiece(piece, place);
    if (passage.name !== undefined) {
      for (const piece of splitWords(passage.name)) this.#post(this.#idOf(speakerTerm(piece)), place);
    }
    this.#passages.push(passage);
    this.#lengths.push(length);
    this.#totalLength += length;
    this.#live += 1;
  }

  /** Returns the number of terms in the piece. */
  #addPiece(piece: string, place: number): number {
    if (isUnspaced(piece)) {
      const terms = termsOfPiece(piece);
      for (const term of terms) this.#post(this.#idOf(term), place);
      return terms.length;
    }
    let id = this.#known.get(piece);
    if (id === undefined) {
      const term = findTerm(piece);
      id = term === "" ? NO_TERM : this.#idOf(term);
      this.#known.set(piece, id);
    }
    if (id === NO_TERM) return 0;
    this.#post(id, place);
    return 1;
  }

  #post(id: number, place: number): void {
    const postings = this.#postings[id];
    // Most terms occur once, and an array that starts empty reserves memory for several items.
    if (postings === undefined) this.#postings[id] = [place];
    else postings.push(place);
  }

  #idOf(term: string): number {
    const known = this.#termIds.get(term);
    if (known !== undefined) return known;
    const id = this.#terms.push(term) - 1;
    this.#termIds.set(term, id);
    return id;
  }
}

const NO_TERM = -1;

/** Caches terms for all indexes, because stemming takes most of the time to index a few hundred messages. */
const knownTerms = new Map<string, string>();
const MAX_KNOWN_TERMS = 20_000;
/** V8 keeps a whole text in memory for a part of it that has at least 13 characters. */
const MAX_KNOWN_WORD_CHARACTERS = 12;

/** Returns the term of a word in a script with spaces; empty for a stop word. */
function findTerm(piece: string): string {
  const known = knownTerms.get(piece);
  if (known !== undefined) return known;
  const term = joinShortPlural(termsOfPiece(piece)[0] ?? "");
  if (piece.length > MAX_KNOWN_WORD_CHARACTERS) return term;
  if (knownTerms.size >= MAX_KNOWN_TERMS) knownTerms.clear();
  knownTerms.set(piece, term);
  return term;
}

const NONE: readonly number[] = [];

/** Returns the term for the speaker of a passage, which differs from the term for a mention of the name. */
export function speakerTerm(name: string): string {
  return `@${foldWord(name)}`;
}
