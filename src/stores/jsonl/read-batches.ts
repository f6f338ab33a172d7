/** Groups lines into batches. A batch cut off at the end was never acknowledged and is left out. */
import { type BatchPart, decodeLine, type LinePlace } from "./line.ts";
import type { RawLine } from "./line-file.ts";
import type { LineCodec, StoredLine } from "./stored-line.ts";

/** Content of a damaged line: a message of the user or the assistant, or another entry. */
export type LostEntry = "user" | "assistant" | "other";

export interface ScannedLine extends LinePlace {
  readonly bytes?: Buffer | undefined;
  /** The line, or a description of its fault. */
  readonly line: StoredLine | string;
  /** Set for a damaged line that contained an entry. */
  readonly lost?: LostEntry | undefined;
}

export interface ScannedBatch {
  readonly lines: readonly ScannedLine[];
  /** Offset of the next batch. */
  readonly end: number;
  /** False if another program's last line has no newline. */
  readonly isTerminated: boolean;
}

export async function* readBatches(
  rawLines: AsyncIterable<RawLine>,
  codec: LineCodec,
): AsyncGenerator<ScannedBatch, void> {
  let pending: ScannedLine[] = [];
  let next: BatchPart = [0, 1];
  for await (const raw of rawLines) {
    if (raw.length === 0 && pending.length === 0) {
      yield { lines: [], end: raw.offset + 1, isTerminated: true };
      continue;
    }
    const { scanned, part, isTorn } = readLine(raw, codec);
    if (!raw.isTerminated && (part === undefined || codec.needsSum)) return;
    const [index, count] = part ?? next;
    if (pending.length > 0 && (count !== next[1] || index < next[0])) {
      // A later write follows, so this batch was whole when it was acknowledged.
      yield toBatch(pending, true);
      pending = [];
    }
    pending.push(scanned);
    next = [index + 1, count];
    if (isTorn || index + 1 < count) continue;
    yield toBatch(pending, raw.isTerminated);
    pending = [];
    next = [0, 1];
  }
}

interface ReadLine {
  readonly scanned: ScannedLine;
  /** Undefined for a damaged line, which is assumed to be the next one of its batch. */
  readonly part: BatchPart | undefined;
  readonly isTorn: boolean;
}

function readLine({ bytes, offset, length }: RawLine, codec: LineCodec): ReadLine {
  const place = { offset, length, bytes };
  const damaged = (reason: string): ReadLine => ({
    // Other programs add lines without seqs, so a damaged line of theirs may not have been an entry.
    scanned: { ...place, line: reason, lost: codec.needsSum ? guessLostEntry(bytes) : undefined },
    part: undefined,
    // JSON has no raw NUL: the space was reserved, and the bytes were never written.
    isTorn: bytes?.includes(0) ?? false,
  });
  const decoded = bytes === undefined ? "it is longer than a line may be" : decodeLine(bytes);
  if (typeof decoded === "string") return damaged(decoded);
  if (codec.needsSum && !decoded.hasSum) return damaged("it has no checksum");
  const line = codec.decode(decoded.value);
  if (line === undefined) return damaged("it is not a line of this format");
  return { scanned: { ...place, line }, part: decoded.part, isTorn: false };
}

function toBatch(lines: readonly ScannedLine[], isTerminated: boolean): ScannedBatch {
  const last = lines.at(-1);
  const end = last === undefined ? 0 : last.offset + last.length + (isTerminated ? 1 : 0);
  return { lines, end, isTerminated };
}

/** Only the start of a damaged line is searched for what it contained. */
const SEARCHED_BYTES = 2 ** 16;
const ENTRY = /^\{"kind":"entry"|"entry":\{/;
const OTHER_LINE = /^\{"kind":"(?:session|head|counts|lease)"|"(?:header|head)":\{|"(?:counterId|fence)":/;
const OTHER_ENTRY = /"entry":\{[^{}]*?"type":"(?:summary|prune|truncate|clear|pin|unpin|undo|delete|request|note)"/;
const ASSISTANT = /"message":\{[^{}]*?"role":"assistant"/;

/** Guesses the content of a damaged line. Undefined for a line without an entry; an unclear one counts as a message. */
export function guessLostEntry(bytes: Buffer | undefined): LostEntry | undefined {
  const text = bytes?.toString("latin1", 0, SEARCHED_BYTES) ?? "";
  if (!ENTRY.test(text) && OTHER_LINE.test(text)) return undefined;
  if (OTHER_ENTRY.test(text)) return "other";
  return ASSISTANT.test(text) ? "assistant" : "user";
}
