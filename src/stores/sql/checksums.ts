/**
 * Checksums of rows: a row that was damaged or changed outside of Palimpsest does not match its own. They find changed
 * bytes, not a forger, and cost far less than the hash of a message. Rows of older versions have none.
 */
import { crc32 } from "node:zlib";
import { findNumber, type Row, readNumber, type Statement, sql } from "./driver.ts";

/** `matches`, or `changed`, or `absent` in a row of an older version. */
export type ChecksumState = "matches" | "changed" | "absent";

const TOKENS_WEIGHT = 3;

export interface EntryColumns {
  readonly id: string;
  readonly type: string;
  readonly at: number;
  readonly hash: string | null;
  /** Messages only: the count at append. */
  readonly tokens: number | null;
  readonly content: string;
}

/** The store adds seq and session key, which it assigns to the entry while it writes. */
export function sumEntry({ id, type, at, hash, tokens, content }: EntryColumns): number {
  // Numbers are added, because turning them into text takes longer than the checksum.
  return crc32(content, crc32(type + id + (hash ?? ""))) + Math.floor(at) + TOKENS_WEIGHT * (tokens ?? -1);
}

/** Compares the columns of an entry's row: seq, session_key, id, type, at, hash, tokens, content, checksum. */
export function compareEntry(row: Row): ChecksumState {
  // Each column is read once: reading all of them twice takes half as long as the checksum.
  const { checksum, seq, session_key: key, id, type, at, hash, tokens, content } = row;
  if (checksum === null) return "absent";
  if (typeof id !== "string" || typeof type !== "string" || typeof content !== "string") return "changed";
  if (typeof at !== "number") return "changed";
  const columns = { id, type, at, hash: hash as string | null, tokens: tokens as number | null, content };
  return checksum === sumEntry(columns) + Number(seq) + Number(key) ? "matches" : "changed";
}

/** The columns of a head that a view is read by. */
export interface HeadColumns {
  readonly head: string;
  readonly floorSeq: number;
  readonly foldedThroughSeq: number;
  /** The lower of `floorSeq` and `foldedThroughSeq`: at or below it, only kept entries are in the view. */
  readonly viewFromSeq: number;
  /** Seqs at or below `viewFromSeq` that the view keeps, as a JSON list. */
  readonly kept: string;
}

export function sumHead({ head, floorSeq, foldedThroughSeq, viewFromSeq, kept }: HeadColumns): number {
  return crc32(head, crc32(`${floorSeq}\n${foldedThroughSeq}\n${viewFromSeq}\n${kept}\n`));
}

/** Compares the columns of `findHead`. */
export function compareHead(row: Row): ChecksumState {
  if (row.checksum === null || row.checksum === undefined) return "absent";
  const { head, floor_seq: floorSeq, folded_through_seq: foldedThroughSeq, view_from_seq: viewFromSeq, kept } = row;
  const expected = sumHead({ head, floorSeq, foldedThroughSeq, viewFromSeq, kept } as HeadColumns);
  return row.checksum === expected ? "matches" : "changed";
}

/** A count that was added later: the seq of its message, the tokens, and their checksum. */
export type StoredCount = readonly [seq: number, tokens: number, checksum: number];

export function sumCount(seq: number, counterId: string, tokens: number): number {
  return crc32(`${seq}\n${counterId}\n${tokens}`);
}

/** Weights of a session's figures. Writers move the checksum by what they add, so that a wrong one stays wrong. */
const WEIGHTS = { lastSeq: 1, messageCount: 3, epoch: 5, forkAtSeq: 7, inheritedMessages: 11 } as const;

export type SessionFigures = Readonly<Record<keyof typeof WEIGHTS, number>>;

export function sumSession(figures: Partial<SessionFigures>): number {
  return Object.entries(WEIGHTS).reduce(
    (sum, [name, weight]) => sum + weight * (figures[name as keyof SessionFigures] ?? 0),
    0,
  );
}

/** Adds what a writer adds to `last_seq` and `message_count`, and moves `epoch` unless the value is NULL. */
export function moveSessionSum(added: Readonly<Record<"lastSeq" | "messageCount" | "epoch", Statement>>): Statement {
  return sql`checksum = checksum + ${added.lastSeq} + 3 * ${added.messageCount}
    + 5 * (coalesce(${added.epoch}, epoch) - epoch)`;
}

/** Compares the columns of `findSession`. */
export function compareSession(row: Row): ChecksumState {
  const stored = findNumber(row, "checksum");
  if (stored === undefined) return "absent";
  const expected = sumSession({
    lastSeq: readNumber(row, "last_seq"),
    messageCount: readNumber(row, "message_count"),
    epoch: readNumber(row, "epoch"),
    forkAtSeq: findNumber(row, "fork_at_seq") ?? 0,
    inheritedMessages: readNumber(row, "inherited_messages"),
  });
  return stored === expected ? "matches" : "changed";
}
