/** What the index keeps of a line, and what a line has outside itself. */
import { PalimpsestError } from "../../core/errors.ts";
import { hashId } from "./hash-id.ts";
import type { LineRecord } from "./line-record.ts";
import { kindNumber, LINE_FORMAT, type StoredLine } from "./stored-line.ts";

/** `nextSeq` is the place of an entry that has none; a file that holds all entries numbers them by where they stand. */
export function describeLine(
  line: StoredLine,
  { nextSeq, offset }: { readonly nextSeq: number; readonly offset: number },
): Pick<LineRecord, "kind" | "seq" | "at" | "turn" | "idHash"> {
  const facts = { kind: kindNumber(line), seq: 0, at: 0, turn: 0, idHash: hashOfLine(line) };
  if (line.kind === "entry") {
    const { entry, turn = offset } = line;
    return { ...facts, seq: entry.seq === 0 ? nextSeq : entry.seq, at: entry.at, turn };
  }
  if (line.kind === "session") return { ...facts, seq: line.header.fork?.atSeq ?? 0, at: line.header.createdAt };
  return line.kind === "lease" ? { ...facts, seq: line.fence } : facts;
}

export function hashOfLine(line: StoredLine): number {
  return hashId(line.kind === "entry" ? line.entry.id : line.sessionId);
}

/** Adds the names of the blobs that a line refers to. */
export function collectBlobs(names: Set<string>, line: StoredLine): void {
  if (line.kind !== "entry") return;
  for (const { name } of line.blobs ?? []) names.add(name);
}

export function requireKnownFormat(line: StoredLine, path: string): void {
  if (line.kind !== "session" || line.format <= LINE_FORMAT) return;
  throw newerFormat(path, line.format);
}

function newerFormat(path: string, format: number): PalimpsestError {
  const text =
    `store: ${path} was written by a newer version of Palimpsest: its format is ${format}, and this one knows ` +
    `${LINE_FORMAT}. Update Palimpsest, or choose another folder.`;
  return new PalimpsestError("config-invalid", text, { details: { key: "store", path, format } });
}
