/**
 * Checksums of rows: a row that was damaged or changed outside of Palimpsest does not match its own. They detect changed
 * bytes, not forgery, and cost far less than the hash of a message. Entries, heads and counts of older versions have
 * none.
 */
import { crc32 } from "node:zlib";
import type { Role } from "../../core/message/message.ts";
import { findNumberColumn, type Row, rawSql, type SqlValue, type Statement, sql } from "./driver.ts";

/** `absent`: the row was written by an older version, without a checksum. */
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
export function checksumEntry({ id, type, at, hash, tokens, content }: EntryColumns): number {
  const others = type + id + (hash ?? "");
  // One call takes less time than two, unless it has to copy a long text.
  const sum = content.length < LONG_TEXT ? crc32(others + content) : crc32(content, crc32(others));
  // Numbers are added, because turning them into text takes longer than the checksum.
  return sum + Math.floor(at) + TOKENS_WEIGHT * (tokens ?? -1);
}

const LONG_TEXT = 2_000;

/** Compares the columns of an entry's row: seq, session_key, id, type, at, hash, tokens, content, checksum. */
export function compareEntry(row: Row): ChecksumState {
  const { checksum, seq, session_key: key, id, type, at, hash, tokens, content } = row;
  if (checksum === null) return "absent";
  if (typeof id !== "string" || typeof type !== "string" || typeof content !== "string") return "changed";
  if (typeof at !== "number") return "changed";
  const columns = { id, type, at, hash: hash as string | null, tokens: tokens as number | null, content };
  return checksum === checksumEntry(columns) + Number(seq) + Number(key) ? "matches" : "changed";
}

/** The columns of a head that determine which entries a view reads. */
export interface HeadColumns {
  readonly head: string;
  readonly floorSeq: number;
  readonly foldedThroughSeq: number;
  /** The lower of `floorSeq` and `foldedThroughSeq`: at or below it, only kept entries are in the view. */
  readonly viewFromSeq: number;
  /** Seqs at or below `viewFromSeq` that the view keeps, as a JSON list. */
  readonly kept: string;
}

export function checksumHead({ head, floorSeq, foldedThroughSeq, viewFromSeq, kept }: HeadColumns): number {
  return crc32(head, crc32(`${floorSeq}\n${foldedThroughSeq}\n${viewFromSeq}\n${kept}\n`));
}

/** Compares the columns of `findHead`. */
export function compareHead(row: Row): ChecksumState {
  if (row.checksum === null || row.checksum === undefined) return "absent";
  const { head, floor_seq: floorSeq, folded_through_seq: foldedThroughSeq, view_from_seq: viewFromSeq, kept } = row;
  const expected = checksumHead({ head, floorSeq, foldedThroughSeq, viewFromSeq, kept } as HeadColumns);
  return row.checksum === expected ? "matches" : "changed";
}

/** A count that was added later: the seq of its message, the tokens, and their checksum. */
export type StoredCount = readonly [seq: number, tokens: number, checksum: number];

export function sumCount(seq: number, counterId: string, tokens: number): number {
  return crc32(`${seq}\n${counterId}\n${tokens}`);
}

/** Columns of a session in its checksum, and their weights. A time counts in whole milliseconds, a role as a number. */
const WEIGHTS = {
  last_seq: 1,
  message_count: 3,
  epoch: 5,
  fork_at_seq: 7,
  inherited_messages: 11,
  created_at: 13,
  updated_at: 17,
  first_seq: 19,
  parent_key: 23,
  first_role: 29,
} as const;

type Figure = keyof typeof WEIGHTS;

const ROLES: readonly unknown[] = ["system", "user", "assistant", "tool"] satisfies readonly Role[];
const ROLE_NUMBERS = rawSql(ROLES.map((role, index) => `WHEN '${role}' THEN ${index + 1}`).join(" "));

/** Columns that never change. `lineage` is a JSON list. */
interface SessionIdentity {
  readonly id: string;
  readonly inheritedSummaryId: string | null;
  readonly lineage: string;
}

export function checksumSession(figures: Partial<Row>, { id, inheritedSummaryId, lineage }: SessionIdentity): number {
  // PostgreSQL adds spaces to JSON.
  const identity = sumText(`${id}\n${inheritedSummaryId ?? ""}\n${lineage.replaceAll(" ", "")}`);
  return Object.entries(WEIGHTS).reduce((sum, [name, weight]) => sum + weight * toFigure(figures[name]), identity);
}

function toFigure(value: SqlValue | undefined): number {
  return typeof value === "number" ? Math.floor(value) : ROLES.indexOf(value) + 1;
}

/** Sums columns, as the checksum of a session does. */
export function sumColumns(columns: Partial<Record<Figure, Statement>>): Statement {
  return Object.entries(columns).reduce((sum, [name, value]) => {
    const weight = rawSql(`${WEIGHTS[name as Figure]}`);
    return sql`${sum} + ${weight} * coalesce(${selectFigure(name as Figure, value)}, 0)`;
  }, sql`0`);
}

function selectFigure(name: Figure, value: Statement): Statement {
  if (name === "first_role") return sql`CASE ${value} ${ROLE_NUMBERS} END`;
  return name === "created_at" || name === "updated_at" ? sql`CAST(floor(${value}) AS bigint)` : value;
}

/** Sets columns of a session, and adjusts its checksum by the difference, so that a wrong checksum stays wrong. */
export function setFigures(columns: Partial<Record<Figure, Statement>>): Statement {
  const names = Object.keys(columns) as readonly Figure[];
  const before = Object.fromEntries(names.map((name) => [name, rawSql(name)]));
  const moved = sql`checksum = checksum + (${sumColumns(columns)}) - (${sumColumns(before)})`;
  return Object.entries(columns).reduce((set, [name, value]) => sql`${set}, ${rawSql(name)} = ${value}`, moved);
}

/** Compares the columns of `findSession` and `listSessions`, except title and preview. */
export function compareSession(row: Row): ChecksumState {
  const stored = findNumberColumn(row, "checksum");
  if (stored === undefined) return "absent";
  const { id, inherited_summary_id: inheritedSummaryId, lineage } = row;
  const expected = checksumSession(row, { id, inheritedSummaryId, lineage } as SessionIdentity);
  return stored === expected ? "matches" : "changed";
}

const TEXT_FACTOR = 31;
/** A prime, so that each changed character changes the sum. */
const TEXT_MODULUS = 2_147_483_647;

/** Sums a title, a preview or an id. Not a CRC, because a migration computes it for existing rows in plain SQL. */
export function sumText(text: string | null): number {
  if (text === null) return 0;
  let sum = 1;
  for (const character of text) sum = (TEXT_FACTOR * sum + (character.codePointAt(0) ?? 0)) % TEXT_MODULUS;
  return sum;
}

/** Compares the title or the preview of a session. */
export function compareText(row: Row, name: "title" | "preview"): ChecksumState {
  const stored = findNumberColumn(row, `${name}_checksum`);
  if (stored === undefined) return "absent";
  const text = row[name] ?? null;
  const isText = text === null || typeof text === "string";
  return isText && stored === sumText(text) ? "matches" : "changed";
}
