/** The lines of a file, and our own format: each line names its session, so that damage affects no other session. */
import { PalimpsestError } from "../../core/errors.ts";
import type { Entry, SessionId } from "../../core/log/entry.ts";
import type { Head } from "../../core/log/head.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../core/message/json.ts";
import type { CounterId } from "../../core/tokens/counter.ts";
import type { SessionHeader } from "../../ports/store.ts";
import type { BlobReference } from "../blobs/blob.ts";
import { isEntryType } from "../sql/stored-entry.ts";

/** Version of the line format. A file with a greater one is refused. */
export const LINE_FORMAT = 1;

export interface SessionLine {
  readonly kind: "session";
  readonly sessionId: SessionId;
  readonly format: number;
  readonly header: SessionHeader;
  /** Number of messages that a fork reads from its parent. */
  readonly inheritedMessages: number;
}

export interface HeadLine {
  readonly kind: "head";
  readonly sessionId: SessionId;
  readonly head: Head;
}

/** A seq of 0 marks a line of another program: it gets the next seq. */
export interface EntryLine {
  readonly kind: "entry";
  readonly sessionId: SessionId;
  readonly entry: Entry;
  /** Number of the entry among all entries of the tenant, stored as `turn`. Absent if one file has all entries. */
  readonly turn?: number | undefined;
  /** Blobs that were taken out of the message. */
  readonly blobs?: readonly BlobReference[] | undefined;
}

export interface CountsLine {
  readonly kind: "counts";
  readonly sessionId: SessionId;
  readonly counterId: CounterId;
  readonly counts: readonly (readonly [seq: number, tokens: number])[];
}

/** Records the fence of a granted lease. Its holder and its end are in the index only. */
export interface LeaseLine {
  readonly kind: "lease";
  readonly sessionId: SessionId;
  readonly fence: number;
}

export type StoredLine = SessionLine | HeadLine | EntryLine | CountsLine | LeaseLine;

/** Converts lines to the JSON of one file format and back. */
export interface LineCodec {
  /** Whether a line without a checksum is damaged. Lines of other programs have none. */
  readonly needsSum: boolean;
  encode(line: StoredLine): JsonObject;
  /** Returns undefined for a line that is not of this format. */
  decode(value: JsonObject): StoredLine | undefined;
}

export const ownCodec: LineCodec = {
  needsSum: true,

  encode(line) {
    const { kind, sessionId: session, ...rest } = line;
    // Stored values are JSON by their types; undefined fields are left out.
    return { kind, session, ...rest } as unknown as JsonObject;
  },

  decode(value) {
    return decodeStoredLine(value, { kind: value.kind, sessionId: value.session });
  },
};

/** Decodes the lines that all formats share. The checksum covers nested values. */
export function decodeStoredLine(
  value: JsonObject,
  { kind, sessionId }: { readonly kind: JsonValue | undefined; readonly sessionId: JsonValue | undefined },
): StoredLine | undefined {
  if (typeof sessionId !== "string") return undefined;
  const { header, head, entry, fence, counts, counterId, format, inheritedMessages, turn, blobs } = value;
  if (kind === "session" && isJsonObject(header) && typeof format === "number") {
    const inherited = typeof inheritedMessages === "number" ? inheritedMessages : 0;
    return { kind, sessionId, format, header: header as unknown as SessionHeader, inheritedMessages: inherited };
  }
  if (kind === "head" && isJsonObject(head)) return { kind, sessionId, head: head as unknown as Head };
  if (kind === "lease" && typeof fence === "number") return { kind, sessionId, fence };
  if (kind === "counts" && typeof counterId === "string" && Array.isArray(counts)) {
    return { kind, sessionId, counterId, counts: counts as unknown as CountsLine["counts"] };
  }
  if (kind !== "entry" || !isEntry(entry)) return undefined;
  const entryNumber = typeof turn === "number" ? turn : undefined;
  return { kind, sessionId, entry, turn: entryNumber, blobs: isReferences(blobs) ? blobs : undefined };
}

function isReferences(value: unknown): value is readonly BlobReference[] {
  return Array.isArray(value) && value.every((item) => isJsonObject(item) && typeof item.name === "string");
}

function isEntry(value: unknown): value is Entry {
  if (typeof value !== "object" || value === null) return false;
  const { id, seq, at, type } = value as Readonly<Record<string, unknown>>;
  return typeof id === "string" && typeof seq === "number" && typeof at === "number" && isEntryType(type);
}

export function listBlobs(line: StoredLine): readonly string[] {
  return line.kind === "entry" ? (line.blobs?.map(({ name }) => name) ?? []) : [];
}

export function refuseNewerFormat(line: StoredLine, path: string): void {
  if (line.kind !== "session" || line.format <= LINE_FORMAT) return;
  const { format } = line;
  const text =
    `store: ${path} was written by a newer version of Palimpsest: its format is ${format}, and this version supports ` +
    `${LINE_FORMAT}. Update Palimpsest, or choose another folder.`;
  throw new PalimpsestError("config-invalid", text, { details: { key: "store", path, format } });
}
