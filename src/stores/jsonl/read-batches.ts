/**
 * Puts lines together to the batches they were written in. A batch that was cut off at the end of the file is not
 * given: nobody was told that it was stored. A line that is damaged inside the file takes only itself with it.
 */
import { type BatchPart, decodeLine, isUnwritten } from "./line.ts";
import type { RawLine } from "./line-file.ts";
import { kindOfLost } from "./lost-line.ts";
import type { LineCodec, StoredLine } from "./stored-line.ts";

export interface ScannedLine {
  readonly offset: number;
  readonly length: number;
  readonly bytes: Buffer | undefined;
  /** What the line says, or what is wrong with it. */
  readonly line: StoredLine | string;
  /** What a damaged line seems to have been, where it took a place; a number of `LINE_KINDS`. */
  readonly lostKind?: number | undefined;
}

export interface ScannedBatch {
  readonly lines: readonly ScannedLine[];
  /** Where the next batch begins. */
  readonly end: number;
  /** False for a last line of somebody else's that lacks its newline. */
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
      // Something was written after it, so it was whole when it was acknowledged.
      yield batchOf(pending, true);
      pending = [];
    }
    pending.push(scanned);
    next = [index + 1, count];
    if (isTorn || index + 1 < count) continue;
    yield batchOf(pending, raw.isTerminated);
    pending = [];
    next = [0, 1];
  }
}

interface ReadLine {
  readonly scanned: ScannedLine;
  /** Undefined for a damaged line: it is taken for the next one of its batch. */
  readonly part: BatchPart | undefined;
  readonly isTorn: boolean;
}

function readLine({ bytes, offset, length }: RawLine, codec: LineCodec): ReadLine {
  const place = { offset, length, bytes };
  const damaged = (reason: string): ReadLine => ({
    // Where others add lines without numbers, nobody can say whether one that is none of theirs took a place.
    scanned: { ...place, line: reason, lostKind: codec.needsSum ? kindOfLost(bytes) : undefined },
    part: undefined,
    isTorn: bytes !== undefined && isUnwritten(bytes),
  });
  const decoded = bytes === undefined ? "it is longer than any line" : decodeLine(bytes);
  if (typeof decoded === "string") return damaged(decoded);
  if (codec.needsSum && !decoded.hasSum) return damaged("it has no checksum");
  const line = codec.decode(decoded.value);
  if (line === undefined) return damaged("it is no line of this format");
  return { scanned: { ...place, line }, part: decoded.part, isTorn: false };
}

function batchOf(lines: readonly ScannedLine[], isTerminated: boolean): ScannedBatch {
  const last = lines.at(-1);
  const end = last === undefined ? 0 : last.offset + last.length + (isTerminated ? 1 : 0);
  return { lines, end, isTerminated };
}
