/**
 * Erases the text of an entry. Its seq, id and role remain, and a mark that it was erased. A tombstone also keeps the
 * hash, so that the same message is recognized when it is sent again. A deletion removes the hash, so that the text
 * cannot be guessed.
 */
import { EMPTY_FACETS, type SummaryRecord } from "../summary/record/record.ts";
import type { Entry, EntryId } from "./entry.ts";

export type ErasureKind = "delete" | "tombstone";

/** Maps each entry to its kind of erasure. `delete` applies if both are requested. */
export function mapErasures(batch: {
  readonly erase?: readonly EntryId[] | undefined;
  readonly tombstone?: readonly EntryId[] | undefined;
}): ReadonlyMap<EntryId, ErasureKind> {
  const erasures = new Map<EntryId, ErasureKind>();
  for (const id of batch.tombstone ?? []) erasures.set(id, "tombstone");
  for (const id of batch.erase ?? []) erasures.set(id, "delete");
  return erasures;
}

export function eraseEntry(entry: Entry, erasure: ErasureKind = "delete"): Entry {
  switch (entry.type) {
    case "message": {
      const { id, role } = entry.message;
      const hash = erasure === "tombstone" ? entry.hash : "";
      const { producedUnder: _, ...rest } = entry;
      return { ...rest, message: { id, role, parts: [] }, hash, erased: true };
    }
    case "summary":
      return { ...entry, record: eraseRecord(entry.record) };
    case "undo":
      return { ...entry, summary: entry.summary && eraseRecord(entry.summary) };
    case "pin":
      return entry.target.type === "note" ? { ...entry, target: { ...entry.target, text: "" } } : entry;
    case "recall":
      return { ...entry, text: "", passages: [] };
    default:
      return entry;
  }
}

function eraseRecord(record: SummaryRecord): SummaryRecord {
  return { ...record, text: "", lines: undefined, keyPoints: [], facets: EMPTY_FACETS, instructions: undefined };
}
