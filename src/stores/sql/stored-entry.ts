/** Stores an entry as the columns that databases query and one JSON text. */
import type { Entry, EntryDraft, TokenCounts } from "../../core/log/entry.ts";
import type { Role } from "../../core/message/message.ts";
import { messageText } from "../../core/message/message-text.ts";
import { readSearchedTextInSteps } from "../../core/message/search-text.ts";
import type { CounterId } from "../../core/tokens/counter.ts";
import type { BlobReference } from "../blobs/blob.ts";
import { findTokensAtAppend } from "../shared/weigh-stretches.ts";
import { type EntryColumns, type StoredCount, sumCount } from "./checksums.ts";
import { createDamageError, type Row, readJson, readNumberColumn, readTextColumn } from "./driver.ts";
import { fromStoredText, toStoredText } from "./stored-text.ts";

export interface StoredEntry extends EntryColumns {
  readonly type: Entry["type"];
}

/** An entry as it is read, and the blobs of its message. */
export type DetachedEntry = Entry & { readonly blobs?: readonly BlobReference[] | undefined };

type Mutable<Value> = { -readonly [Key in keyof Value]: Value[Key] };

/** The text that search compares. */
export interface SearchableText {
  readonly role: Role;
  readonly text: string;
}

/** The key without which an entry of each type cannot be read. A damaged file may lack it or contain another type. */
const REQUIRED_KEYS: Readonly<Record<Entry["type"], string | undefined>> = {
  message: "message",
  summary: "record",
  prune: "prunes",
  truncate: "coverage",
  clear: "throughSeq",
  pin: "target",
  unpin: "pinIds",
  dismiss: "messageSeq",
  undo: "undoes",
  delete: "seqs",
  request: "sections",
  note: "text",
  recall: "text",
};

export function isEntryType(type: unknown): type is Entry["type"] {
  return typeof type === "string" && Object.hasOwn(REQUIRED_KEYS, type);
}

const COLUMNS: ReadonlySet<string> = new Set(["type", "id", "at", "seq", "hash"]);

export function toStoredEntry(entry: EntryDraft | Entry): StoredEntry {
  const { type, id, at } = entry;
  const content = Object.fromEntries(Object.entries(entry).filter(([name]) => !COLUMNS.has(name)));
  const hash = entry.type === "message" ? entry.hash : null;
  const tokens = entry.type === "message" ? (findTokensAtAppend(entry) ?? null) : null;
  return { id: toStoredText(id), type, at, hash, content: JSON.stringify(content), tokens };
}

export function fromStoredEntry(row: Row): DetachedEntry {
  // The parsed value is not shared, so it becomes the entry without a copy: a view may have thousands.
  const entry = readJson(row, "content") as Mutable<DetachedEntry>;
  if (typeof entry !== "object" || entry === null)
    throw createDamageError("The column content does not contain an entry");
  entry.type = readTextColumn(row, "type") as "message";
  entry.id = fromStoredText(readTextColumn(row, "id"));
  entry.seq = readNumberColumn(row, "seq");
  entry.at = readNumberColumn(row, "at");
  const essential = REQUIRED_KEYS[entry.type];
  if (essential === undefined || !(essential in entry))
    throw createDamageError(`The entry ${JSON.stringify(entry.id)} has no content`);
  if (entry.type !== "message") return entry;
  if (!isWholeMessage(entry.message) || entry.blobs?.some((blob) => typeof blob?.name !== "string"))
    throw createDamageError(`The message ${JSON.stringify(entry.id)} has damaged parts`);
  entry.hash = readTextColumn(row, "hash");
  entry.tokens ??= {};
  const recounts = addRecounts(row, entry.recounts);
  if (recounts !== undefined) entry.recounts = recounts;
  return entry;
}

/** Returns undefined for a message without text, which cannot be found. */
export function* findSearchable(entry: EntryDraft | Entry): Generator<undefined, SearchableText | undefined> {
  if (entry.type !== "message") return undefined;
  const { normal: text } = yield* readSearchedTextInSteps(messageText(entry.message));
  return text.trim() === "" ? undefined : { role: entry.message.role, text };
}

export function toStoredCounts(
  counterId: CounterId,
  counts: readonly (readonly [seq: number, tokens: number])[],
): readonly [string, readonly StoredCount[]] {
  const id = toStoredText(counterId);
  return [id, counts.map(([seq, tokens]) => [seq, tokens, sumCount(seq, id, tokens)])];
}

/**
 * Returns the counts of a message with those that were added later, or undefined if there are none. A count that does
 * not match its checksum is left out: the message is counted again.
 */
export function addRecounts(row: Row, known: TokenCounts | undefined): TokenCounts | undefined {
  if (row.recounts === null) return undefined;
  const stored = readJson(row, "recounts") as readonly (readonly [string, number, number | null])[];
  const seq = readNumberColumn(row, "seq");
  const counts = stored.filter(([id, tokens, sum]) => sum === null || sum === sumCount(seq, id, tokens));
  if (counts.length === 0) return undefined;
  return { ...known, ...Object.fromEntries(counts.map(([id, tokens]) => [fromStoredText(id), tokens])) };
}

/** A message, part or output before it is checked: any key may be missing or wrong. */
interface UncheckedValue {
  readonly type?: unknown;
  readonly text?: unknown;
  readonly output?: UncheckedValue;
  readonly parts?: readonly UncheckedValue[];
}

export function isWholeMessage(message: UncheckedValue | null | undefined): boolean {
  return areWholeParts(message?.parts);
}

function areWholeParts(parts: readonly UncheckedValue[] | undefined): boolean {
  return Array.isArray(parts) && parts.every(isWholePart);
}

function isWholePart(part: UncheckedValue | null): boolean {
  if (part?.type === "text" || part?.type === "reasoning") return typeof part.text === "string";
  return part?.type === "tool-result" ? isWholeOutput(part.output) : typeof part?.type === "string";
}

function isWholeOutput(output: UncheckedValue | null | undefined): boolean {
  if (output?.type === "text") return typeof output.text === "string";
  return output?.type === "json" || (output?.type === "parts" && areWholeParts(output.parts));
}
