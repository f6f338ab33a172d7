/**
 * Reads entries from rows, and never returns changed text. A message whose row matches neither its checksum nor its
 * hash becomes a marker; any other damaged entry is left out. A warning names each, and no row is changed.
 */
import type { Entry, MessageEntry } from "../../core/log/entry.ts";
import { createUnreadableEntry, isUnreadable } from "../../core/log/unreadable-entry.ts";
import { hashMessage } from "../../core/message/hash-message.ts";
import { type ChecksumState, compareEntry } from "./checksums.ts";
import { type Row, readNumberColumn, waitForEventLoop } from "./driver.ts";
import { isDamageError, type SqlReader } from "./sql-context.ts";
import { type AttachEntryOptions, attachEntries } from "./stored-blobs.ts";
import { type DetachedEntry, fromStoredEntry } from "./stored-entry.ts";
import { fromStoredText } from "./stored-text.ts";

/** Returns an entry for each row, or undefined for one that cannot be shown at all. */
export async function readStoredRows(
  rows: readonly Row[],
  options: AttachEntryOptions,
): Promise<readonly (Entry | undefined)[]> {
  const { contents } = options.sql;
  if (contents !== undefined) return contents.readEntries(rows, options);
  const read = rows.map(findEntry);
  const lost = new Set<string>();
  const present = read.filter((entry) => entry !== undefined);
  const attached = await attachEntries(present, { ...options, onLost: ({ id }) => lost.add(id) });
  if (present.length === rows.length && rows.every((row) => compareEntry(row) === "matches")) return attached;
  const results: (Entry | undefined)[] = [];
  let next = 0;
  for (const [index, row] of rows.entries()) {
    const detached = read[index];
    const entry = detached === undefined ? undefined : attached[next++];
    const canHash = !(lost.has(entry?.id ?? "") || (options.onlyTexts === true && detached?.blobs !== undefined));
    results.push(proveEntry({ row, entry, state: compareEntry(row), canHash }, options.sql));
    // Rows without a checksum are hashed, which takes time in proportion to their texts.
    if (index % HASHED_AT_ONCE === HASHED_AT_ONCE - 1) await waitForEventLoop();
  }
  return results;
}

const HASHED_AT_ONCE = 100;

/** Reads the entries that can be shown; a damaged message becomes a marker. */
export async function readStoredEntries(rows: readonly Row[], options: AttachEntryOptions): Promise<readonly Entry[]> {
  const entries = await readStoredRows(rows, options);
  return entries.every((entry) => entry !== undefined) ? entries : entries.filter((entry) => entry !== undefined);
}

interface StoredRow {
  /** Undefined if the row has no content that can be read. */
  readonly entry?: DetachedEntry | undefined;
  readonly state: ChecksumState;
}

/** Decodes a row without its blobs, and compares its checksum. */
export function readRow(row: Row): StoredRow {
  const entry = findEntry(row);
  return { entry, state: entry === undefined ? "changed" : compareEntry(row) };
}

function findEntry(row: Row): DetachedEntry | undefined {
  try {
    return fromStoredEntry(row);
  } catch (error) {
    if (!isDamageError(error)) throw error;
    return undefined;
  }
}

interface Proof extends Pick<StoredRow, "state"> {
  readonly row: Row;
  readonly entry: Entry | undefined;
  /** False for a message without all of its content, which cannot be compared with its hash. */
  readonly canHash: boolean;
}

function proveEntry({ row, entry, state, canHash }: Proof, sql: SqlReader): Entry | undefined {
  const isUnchecked = state === "absent" && (!canHash || entry?.type !== "message");
  if (entry !== undefined && (state === "matches" || isUnchecked)) return entry;
  const isIntact = entry?.type === "message" && (isEmptied(entry) || matchesHash(entry));
  if (isIntact && state === "absent") return entry;
  const shown = isIntact ? keepText(entry) : makeMarker(row, entry);
  sql.warnings.warn(describeChange(row, isIntact ? "its text is intact" : describeEffect(shown)));
  return shown;
}

/** Leaves out everything that the hash does not cover. The message is counted again. */
function keepText({ type, id, seq, at, message, hash, erased }: MessageEntry): MessageEntry {
  return { type, id, seq, at, message, hash, tokens: {}, ...(erased && { erased }) };
}

function describeEffect(marker: MessageEntry | undefined): string {
  return marker === undefined ? "it is left out" : "prompts show a marker in its place";
}

/** An erased message has no text that could be wrong. */
function isEmptied({ erased, message }: MessageEntry): boolean {
  return erased === true && message.parts.length === 0;
}

/** A changed byte may make a message impossible to hash. */
export function matchesHash({ message, hash }: MessageEntry): boolean {
  try {
    return hashMessage(message) === hash;
  } catch {
    return false;
  }
}

/** Only messages have a hash; a changed byte may have hit the type. */
export function makeMarker(row: Row, entry: Entry | undefined): MessageEntry | undefined {
  if (row.type !== "message" && typeof row.hash !== "string") return undefined;
  const role = entry?.type === "message" && entry.message.role === "assistant" ? "assistant" : "user";
  const id = typeof row.id === "string" ? fromStoredText(row.id) : undefined;
  const at = typeof row.at === "number" ? row.at : 0;
  const storedHash = typeof row.hash === "string" ? row.hash : undefined;
  return createUnreadableEntry({ seq: readNumberColumn(row, "seq"), at, role, id, storedHash });
}

export function describeChange(row: Row, effect: string): string {
  const what = row.type === "message" ? "message" : "entry";
  const { id, seq, session_key: key } = row;
  return (
    `The ${what} ${JSON.stringify(id)} does not match its checksum or hash: it is damaged or was changed outside of ` +
    `Palimpsest; ${effect}. Restore it from a backup. Its stored content is in the table entries, in the row with ` +
    `session_key ${key} and seq ${seq}.`
  );
}

export function isShown(entry: Entry): boolean {
  return entry.type !== "message" || !isUnreadable(entry);
}
