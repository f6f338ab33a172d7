/**
 * Long texts over a channel that takes 8,000 bytes at once: cut into pieces with numbers, and joined by whoever hears
 * them. Pieces of one sender come in the order in which they were sent. A text of which one is missing is dropped, and
 * so is one that does not come to its end.
 */
import { fromStoredText, toStoredText } from "../sql/stored-text.ts";

export interface PieceOrigin {
  /** Digits and letters; no two senders have the same. */
  readonly sender: string;
  /** Of the text, among those of its sender. */
  readonly number: number;
}

/** PostgreSQL takes less than 8,000; the head of a piece takes some of it. */
const PIECE_BYTES = 7_800;

export function cutIntoPieces(text: string, { sender, number }: PieceOrigin): readonly string[] {
  const bytes = Buffer.from(toStoredText(text));
  const cuts: string[] = [];
  for (let from = 0; from < bytes.length || from === 0; ) {
    const to = endOfPiece(bytes, from);
    cuts.push(bytes.toString("utf8", from, to));
    from = Math.max(to, 1);
  }
  return cuts.map((cut, index) => `${sender} ${number} ${index} ${cuts.length} ${cut}`);
}

/** Not inside of a character. */
function endOfPiece(bytes: Buffer, from: number): number {
  let to = Math.min(from + PIECE_BYTES, bytes.length);
  while (to < bytes.length && ((bytes[to] ?? 0) & 0xc0) === 0x80) to -= 1;
  return to;
}

const HEAD = /^([0-9A-Za-z]{1,64}) (\d{1,15}) (\d{1,6}) (\d{1,6}) /;

interface Open {
  readonly number: string;
  readonly pieces: string[];
  characters: number;
  readonly since: number;
}

/** What one text may be made of, how many may be incomplete, and for how long. */
export interface JoinerLimits {
  readonly characters: number;
  readonly senders: number;
  readonly waitMs: number;
}

const LIMITS: JoinerLimits = { characters: 64_000_000, senders: 100, waitMs: 30_000 };

export class PieceJoiner {
  readonly #limits: JoinerLimits;
  readonly #open = new Map<string, Open>();

  constructor(limits: JoinerLimits = LIMITS) {
    this.#limits = limits;
  }

  /** The whole text, with its last piece. Somebody else's words on the channel are nobody's. */
  add(payload: string, nowMs: number = performance.now()): string | undefined {
    const head = HEAD.exec(payload);
    if (head === null) return undefined;
    const [{ length }, sender = "", number = "", index, count] = head;
    const open = this.#openFor({ sender, number, index: Number(index), nowMs });
    if (open === undefined) return undefined;
    open.pieces.push(payload.slice(length));
    open.characters += payload.length - length;
    const isTooLong = open.characters > this.#limits.characters;
    const isWhole = open.pieces.length === Number(count);
    if (isWhole || isTooLong) this.#open.delete(sender);
    return isWhole && !isTooLong ? fromStoredText(open.pieces.join("")) : undefined;
  }

  /** What a piece goes on with; undefined where one before it is missing. */
  #openFor({ sender, number, index, nowMs }: Piece): Open | undefined {
    this.#dropOld(nowMs);
    const known = this.#open.get(sender);
    if (index > 0 && known?.number === number && known.pieces.length === index) return known;
    this.#open.delete(sender);
    if (index > 0) return undefined;
    const open: Open = { number, pieces: [], characters: 0, since: nowMs };
    this.#open.set(sender, open);
    return open;
  }

  #dropOld(nowMs: number): void {
    const { senders, waitMs } = this.#limits;
    for (const [sender, { since }] of this.#open) {
      const isOld = nowMs - since > waitMs;
      if (isOld || this.#open.size > senders) this.#open.delete(sender);
    }
  }
}

interface Piece {
  readonly sender: string;
  readonly number: string;
  readonly index: number;
  readonly nowMs: number;
}
