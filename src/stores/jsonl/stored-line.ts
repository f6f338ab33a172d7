/**
 * What a line of a file can say, whatever the file's format. Every line names its session, so that a line that is lost
 * takes nothing else with it.
 */
import type { Entry, SessionId } from "../../core/log/entry.ts";
import type { Head } from "../../core/log/head.ts";
import type { JsonObject } from "../../core/message/json.ts";
import type { CounterId } from "../../core/tokens/counter.ts";
import type { SessionHeader } from "../../ports/store.ts";
import type { BlobReference } from "../blobs/blob.ts";

/** Of lines with another number nothing is understood; a file with a greater one is refused. */
export const LINE_FORMAT = 1;

export interface SessionLine {
  readonly kind: "session";
  readonly sessionId: SessionId;
  readonly format: number;
  readonly header: SessionHeader;
  /** How many messages a fork reads of its parent. */
  readonly inheritedMessages: number;
}

export interface HeadLine {
  readonly kind: "head";
  readonly sessionId: SessionId;
  readonly head: Head;
}

/** A seq of 0 is for lines that somebody else wrote: their place is the next one. */
export interface EntryLine {
  readonly kind: "entry";
  readonly sessionId: SessionId;
  readonly entry: Entry;
  /** Its number among all of the tenant's entries, where the file does not hold all of them. */
  readonly turn?: number | undefined;
  /** What was taken out of the entry's message, and where it is. */
  readonly blobs?: readonly BlobReference[] | undefined;
}

export interface CountsLine {
  readonly kind: "counts";
  readonly sessionId: SessionId;
  readonly counterId: CounterId;
  readonly counts: readonly (readonly [seq: number, tokens: number])[];
}

/** What became of the session's lease. The newest line says who holds it, and the fence of the newest grant. */
export interface LeaseLine {
  readonly kind: "lease";
  readonly sessionId: SessionId;
  readonly fence: number;
  /** Absent after a release. Times by the wall clock. */
  readonly granted?: { readonly token: string; readonly atMs: number; readonly ttlMs: number } | undefined;
}

export type StoredLine = SessionLine | HeadLine | EntryLine | CountsLine | LeaseLine;

/** How lines are spelled in one format of files. */
export interface LineCodec {
  /** Whether a line without a checksum is damaged. Files that others write have none. */
  readonly needsSum: boolean;
  encode(line: StoredLine): JsonObject;
  /** Undefined for what is no line of this format. */
  decode(value: JsonObject): StoredLine | undefined;
}

const ENTRY_KINDS = [
  "message",
  "summary",
  "prune",
  "truncate",
  "clear",
  "pin",
  "unpin",
  "undo",
  "delete",
  "request",
  "note",
] as const satisfies readonly Entry["type"][];

/** Places of messages that cannot be read, by who said them. */
const LOST_KINDS = ["lost-user", "lost-assistant"] as const;

/**
 * In the order of their numbers in the index: only ever add at the end. `hole` is a place whose line cannot be read and
 * was no message.
 */
export const LINE_KINDS = ["hole", "session", "head", "counts", "lease", ...ENTRY_KINDS, ...LOST_KINDS] as const;
export type LineKind = (typeof LINE_KINDS)[number];

const KIND_NUMBERS: ReadonlyMap<string, number> = new Map(LINE_KINDS.map((kind, index) => [kind, index]));

export const HOLE = 0;

export function kindNumber(line: StoredLine): number {
  return KIND_NUMBERS.get(line.kind === "entry" ? line.entry.type : line.kind) ?? HOLE;
}

export function numberOfKind(kind: LineKind): number {
  return KIND_NUMBERS.get(kind) ?? HOLE;
}

const FIRST_ENTRY = numberOfKind("message");
const FIRST_LOST = numberOfKind("lost-user");
const UNMOVING: ReadonlySet<number> = new Set([numberOfKind("message"), numberOfKind("request"), numberOfKind("note")]);

export function isEntryKind(kind: number): boolean {
  return kind >= FIRST_ENTRY && kind < FIRST_LOST;
}

/** Whether a line stands there that can be read. */
export function isReadable(kind: number): boolean {
  return kind !== HOLE && kind < FIRST_LOST;
}

export function isEpochKind(kind: number): boolean {
  return isEntryKind(kind) && !UNMOVING.has(kind);
}
