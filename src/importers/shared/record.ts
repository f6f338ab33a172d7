/** One record of a file: a line of JSON Lines, an item of a JSON list, or a whole JSON object. */

export interface RecordPlace {
  /** Where it is, for people: `line 17`, `[3]`. */
  readonly place: string;
  readonly line?: number | undefined;
}

export interface SourceRecord extends RecordPlace {
  readonly value: unknown;
}

export interface BrokenRecord extends RecordPlace {
  readonly problem: string;
}

export type ReadRecord = SourceRecord | BrokenRecord;

/** Larger records are skipped, so that memory stays bounded. */
export const MAX_RECORD_BYTES = 64_000_000;
/** Deeper values are refused, because functions that walk a value are recursive. */
const MAX_DEPTH = 200;

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: false });

export function parseRecord(bytes: Uint8Array, place: RecordPlace): ReadRecord {
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    return { ...place, problem: "it is not UTF-8" };
  }
  try {
    const value: unknown = JSON.parse(text);
    return isTooDeep(value)
      ? { ...place, problem: `it is nested deeper than ${MAX_DEPTH} levels` }
      : { ...place, value };
  } catch {
    return { ...place, problem: "it is not JSON" };
  }
}

export function tooLarge(what: string): string {
  return `the ${what} is larger than ${MAX_RECORD_BYTES / 1_000_000} MB`;
}

export function isBlank(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0x20 || (byte >= 0x09 && byte <= 0x0d));
}

/** Walks the value level by level, without recursion. */
function isTooDeep(root: unknown): boolean {
  let level: unknown[] = [root];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) return true;
    level = level.flatMap((value) => (typeof value === "object" && value !== null ? Object.values(value) : []));
    level = level.filter((value) => typeof value === "object" && value !== null);
  }
  return false;
}
