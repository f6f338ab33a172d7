/**
 * An entry as columns and one JSON text. What databases look for has a column of its own; the rest is one text, because
 * the log gives entries back whole and never asks for a part of one.
 */
import type { Entry, EntryDraft, TokenCounts } from "../../core/log/entry.ts";
import type { Role } from "../../core/message/message.ts";
import { messageText } from "../../core/message/message-text.ts";
import { normaliseText } from "../../core/message/normalise-text.ts";
import type { BlobReference } from "../blobs/blob.ts";
import { weightOf } from "../weigh-entries.ts";
import { damaged, type Row, readJson, readNumber, readText } from "./driver.ts";
import { isWholeMessage } from "./is-whole.ts";
import { fromStoredText, toStoredText } from "./stored-text.ts";

export interface StoredEntry {
  readonly id: string;
  readonly type: Entry["type"];
  readonly at: number;
  /** Of messages only. */
  readonly hash: string | null;
  readonly content: string;
  /** Of messages, as they were counted when they came. */
  readonly tokens: number | null;
}

/** An entry as it is read: what was taken out of its message stands beside it. */
export type DetachedEntry = Entry & { readonly blobs?: readonly BlobReference[] | undefined };

/** What search looks at. */
export interface SearchableText {
  readonly role: Role;
  readonly text: string;
}

/** What an entry of each type is about: whoever reads one goes by it. A damaged file may hold another type, or another key. */
const ESSENTIAL: Readonly<Record<Entry["type"], string | undefined>> = {
  message: "message",
  summary: "record",
  prune: "prunes",
  truncate: "coverage",
  clear: "throughSeq",
  pin: "target",
  unpin: "pinIds",
  undo: "undoes",
  delete: "seqs",
  request: "sections",
  note: "text",
};

const COLUMNS: ReadonlySet<string> = new Set(["type", "id", "at", "seq", "hash"]);

export function toStoredEntry(entry: EntryDraft | Entry): StoredEntry {
  const { type, id, at } = entry;
  const content = Object.fromEntries(Object.entries(entry).filter(([name]) => !COLUMNS.has(name)));
  const hash = entry.type === "message" ? entry.hash : null;
  const tokens = entry.type === "message" ? (weightOf(entry) ?? null) : null;
  return { id: toStoredText(id), type, at, hash, content: JSON.stringify(content), tokens };
}

export function fromStoredEntry(row: Row): DetachedEntry {
  // The parsed value is nobody else's, so it becomes the entry: a view may have thousands of them.
  const content = readJson(row, "content") as DetachedEntry;
  const entry = Object.assign(content, {
    type: readText(row, "type"),
    id: fromStoredText(readText(row, "id")),
    seq: readNumber(row, "seq"),
    at: readNumber(row, "at"),
  }) as DetachedEntry;
  const essential = ESSENTIAL[entry.type];
  if (essential === undefined || !(essential in entry))
    throw damaged(`The entry ${JSON.stringify(entry.id)} has lost its content`);
  if (entry.type !== "message") return entry;
  if (!isWholeMessage(entry.message) || entry.blobs?.some((blob) => typeof blob?.name !== "string"))
    throw damaged(`The message ${JSON.stringify(entry.id)} has lost some of its parts`);
  const recounts = findRecounts(row, entry.recounts);
  return Object.assign(entry, { hash: readText(row, "hash") }, recounts && { recounts });
}

/** Nothing where nobody said a word: such a message cannot be found. */
export function findSearchable(entry: EntryDraft | Entry): SearchableText | undefined {
  if (entry.type !== "message") return undefined;
  const text = normaliseText(messageText(entry.message));
  return text.trim() === "" ? undefined : { role: entry.message.role, text };
}

function findRecounts(row: Row, known: TokenCounts | undefined): TokenCounts | undefined {
  if (row.recounts === null) return undefined;
  const counts = Object.entries(readJson(row, "recounts") as TokenCounts);
  if (counts.length === 0) return undefined;
  return { ...known, ...Object.fromEntries(counts.map(([id, tokens]) => [fromStoredText(id), tokens])) };
}
