/** What remains of an entry whose text its owner had removed: its place, id and role, and that it was erased. */
import type { SummaryRecord } from "../summary/record.ts";
import type { Entry } from "./entry.ts";

export function eraseEntry(entry: Entry): Entry {
  switch (entry.type) {
    case "message": {
      const { id, role } = entry.message;
      return { ...entry, message: { id, role, parts: [] }, hash: "", erased: true };
    }
    case "summary":
      return { ...entry, record: eraseRecord(entry.record) };
    case "undo":
      return { ...entry, summary: entry.summary && eraseRecord(entry.summary) };
    case "pin":
      return entry.target.type === "note" ? { ...entry, target: { ...entry.target, text: "" } } : entry;
    default:
      return entry;
  }
}

function eraseRecord(record: SummaryRecord): SummaryRecord {
  const lists = { constraints: [], decisions: [], actionItems: [], unresolved: [] };
  const facets = { ...lists, entities: [], participants: [], done: [] };
  return { ...record, text: "", lines: undefined, keyPoints: [], facets, instructions: undefined };
}
