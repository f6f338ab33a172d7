/** Cuts long texts into numbered pieces of less than 8,000 bytes, and joins them. Drops a text if a piece is lost. */
import { fromStoredText, toStoredText } from "../sql/stored-text.ts";

export interface PieceOrigin {
  /** Letters and digits, unique for each sender. */
  readonly sender: string;
  /** Number of the text, counted by its sender. */
  readonly number: number;
}

/** PostgreSQL accepts less than 8,000 bytes, header included. */
const PIECE_BYTES = 7_800;

export function cutIntoPieces(text: string, { sender, number }: PieceOrigin): readonly string[] {
  const bytes = Buffer.from(toStoredText(text));
  const cuts: string[] = [];
  for (let from = 0; from < bytes.length || from === 0; ) {
    const to = findPieceEnd(bytes, from);
    cuts.push(bytes.toString("utf8", from, to));
    from = Math.max(to, 1);
  }
  return cuts.map((cut, index) => `${sender} ${number} ${index} ${cuts.length} ${cut}`);
}

/** Ends a piece at a character boundary. */
function findPieceEnd(bytes: Buffer, from: number): number {
  let to = Math.min(from + PIECE_BYTES, bytes.length);
  while (to < bytes.length && ((bytes[to] ?? 0) & 0xc0) === 0x80) to -= 1;
  return to;
}

const HEADER = /^([0-9A-Za-z]{1,64}) (\d{1,15}) (\d{1,6}) (\d{1,6}) /;

interface IncompleteText {
  readonly number: string;
  readonly pieces: string[];
  characters: number;
  readonly since: number;
}

/** Limits: length of a text, number of incomplete texts, and their age. */
export interface JoinerLimits {
  readonly characters: number;
  readonly senders: number;
  readonly waitMs: number;
}

const LIMITS: JoinerLimits = { characters: 64_000_000, senders: 100, waitMs: 30_000 };

export class PieceJoiner {
  readonly #limits: JoinerLimits;
  readonly #incomplete = new Map<string, IncompleteText>();

  constructor(limits: JoinerLimits = LIMITS) {
    this.#limits = limits;
  }

  /** Returns the whole text with its last piece. Payloads of other programs are ignored. */
  add(payload: string, nowMs: number = performance.now()): string | undefined {
    const header = HEADER.exec(payload);
    if (header === null) return undefined;
    const [{ length }, sender = "", number = "", index, count] = header;
    const incomplete = this.#findIncomplete({ sender, number, index: Number(index), nowMs });
    if (incomplete === undefined) return undefined;
    incomplete.pieces.push(payload.slice(length));
    incomplete.characters += payload.length - length;
    const isTooLong = incomplete.characters > this.#limits.characters;
    const isWhole = incomplete.pieces.length === Number(count);
    if (isWhole || isTooLong) this.#incomplete.delete(sender);
    return isWhole && !isTooLong ? fromStoredText(incomplete.pieces.join("")) : undefined;
  }

  /** Returns the text that a piece continues, or undefined if an earlier piece is missing. */
  #findIncomplete({ sender, number, index, nowMs }: Piece): IncompleteText | undefined {
    this.#dropOld(nowMs);
    const known = this.#incomplete.get(sender);
    if (index > 0 && known?.number === number && known.pieces.length === index) return known;
    this.#incomplete.delete(sender);
    if (index > 0) return undefined;
    const incomplete: IncompleteText = { number, pieces: [], characters: 0, since: nowMs };
    this.#incomplete.set(sender, incomplete);
    return incomplete;
  }

  #dropOld(nowMs: number): void {
    const { senders, waitMs } = this.#limits;
    for (const [sender, { since }] of this.#incomplete) {
      const isOld = nowMs - since > waitMs;
      if (isOld || this.#incomplete.size > senders) this.#incomplete.delete(sender);
    }
  }
}

interface Piece {
  readonly sender: string;
  readonly number: string;
  readonly index: number;
  readonly nowMs: number;
}
