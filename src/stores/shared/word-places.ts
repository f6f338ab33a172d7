/**
 * Places of words in a session. Seqs are grouped into blocks; a row has the places of one word in one block as a text
 * with three characters for each place, so that a database can append places and remove one without knowing the words.
 */

/** Number of seqs in a block: as many as two digits with 64 values each can distinguish. */
export const SEQS_PER_BLOCK = 4_096;
const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
/** Begins each place, so that the end of one and the beginning of the next one are not taken for a third. */
const MARK = ",";
const PLACE_CHARACTERS = 3;

/** The messages of one block that have a word, in order. */
export interface WordRow<Word = string> {
  readonly word: Word;
  readonly block: number;
  readonly places: string;
}

export function findBlock(seq: number): number {
  return Math.floor(seq / SEQS_PER_BLOCK);
}

/** Lists the blocks of a range, newest first. */
export function listWordBlocks({ afterSeq, throughSeq }: SeqRange): readonly number[] {
  const blocks: number[] = [];
  for (let block = findBlock(throughSeq); block >= findBlock(afterSeq + 1); block -= 1) blocks.push(block);
  return blocks;
}

export function writeSeqPlace(seq: number): string {
  const offset = seq % SEQS_PER_BLOCK;
  return `${MARK}${DIGITS[offset >> 6]}${DIGITS[offset & 63]}`;
}

export function countPlaces({ places }: Pick<WordRow, "places">): number {
  return places.length / PLACE_CHARACTERS;
}

export interface SeqRange {
  readonly afterSeq: number;
  readonly throughSeq: number;
}

/** Returns a row with the places of a range. */
export function cutRow<Word>(row: WordRow<Word>, { afterSeq, throughSeq }: SeqRange): WordRow<Word> {
  const first = row.block * SEQS_PER_BLOCK;
  if (first > afterSeq && first + SEQS_PER_BLOCK - 1 <= throughSeq) return row;
  const seqs = [...readOffsets(row.places)].map((offset) => first + offset);
  const kept = seqs.filter((seq) => seq > afterSeq && seq <= throughSeq);
  return { ...row, places: kept.map(writeSeqPlace).join("") };
}

/** Returns the offsets of places in their block. */
export function readOffsets(places: string): Uint16Array {
  const offsets = new Uint16Array(places.length / PLACE_CHARACTERS);
  for (let index = 0; index < offsets.length; index += 1) {
    const at = index * PLACE_CHARACTERS;
    const high = VALUES[places.charCodeAt(at + 1)] ?? 0;
    offsets[index] = (high << 6) + (VALUES[places.charCodeAt(at + 2)] ?? 0);
  }
  return offsets;
}

const VALUES = new Uint8Array(128);
for (const [value, digit] of [...DIGITS].entries()) VALUES[digit.charCodeAt(0)] = value;

/** Groups the words of messages into rows, in the order of the messages. */
export class WordRows<Word = string> {
  readonly #blocks = new Map<number, Map<Word, string>>();
  #size = 0;

  /** Number of rows. */
  get size(): number {
    return this.#size;
  }

  add(seq: number, words: Iterable<Word>): void {
    const block = findBlock(seq);
    const rows = this.#blocks.get(block) ?? new Map<Word, string>();
    this.#blocks.set(block, rows);
    const place = writeSeqPlace(seq);
    this.#size -= rows.size;
    for (const word of words) rows.set(word, `${rows.get(word) ?? ""}${place}`);
    this.#size += rows.size;
  }

  /** Removes a message from all rows of its block. */
  remove(seq: number): void {
    const rows = this.#blocks.get(findBlock(seq));
    const place = writeSeqPlace(seq);
    for (const [word, places] of rows ?? []) if (places.includes(place)) rows?.set(word, places.replace(place, ""));
  }

  find(block: number, word: Word): string | undefined {
    return this.#blocks.get(block)?.get(word);
  }

  list(): readonly WordRow<Word>[] {
    return [...this.#blocks].flatMap(([block, rows]) => [...rows].map(([word, places]) => ({ word, block, places })));
  }
}
