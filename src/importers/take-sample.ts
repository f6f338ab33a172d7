/** Reads the beginning of a file, as far as it takes to see how the file is written. */
import { isObject } from "../core/check-value.ts";
import type { FileSample } from "./shared/format.ts";
import type { PeekedBytes } from "./shared/read-bytes.ts";
import { isBlank, MAX_RECORD_BYTES, parseRecord } from "./shared/record.ts";
import { ListScan } from "./shared/split-list.ts";

const SAMPLE_BYTES = 128_000;
const MAX_SAMPLE_RECORDS = 100;
const NEWLINE = 0x0a;

type Shaped = Pick<FileSample, "shape" | "records">;

export async function takeSample(bytes: PeekedBytes, name: string | undefined): Promise<FileSample> {
  let head = await bytes.holdBytes(SAMPLE_BYTES);
  let shaped = readHead(head, bytes.isEnded);
  // A long first record, or an object on several lines, is needed whole.
  while (shaped === undefined && !bytes.isEnded && bytes.length < MAX_RECORD_BYTES) {
    head = await bytes.holdBytes(bytes.length * 2);
    shaped = readHead(head, bytes.isEnded);
  }
  const base = (name ?? "").split(/[\\/]/).at(-1) ?? "";
  const text = new TextDecoder().decode(head.subarray(0, SAMPLE_BYTES));
  const { shape, records } = shaped ?? { shape: "object", records: [] };
  const isOneRecord = shape === "object" || (shape === "lines" && records.length === 1 && bytes.isEnded);
  return { shape, records, text, isOneRecord, name: base.toLowerCase() };
}

/** Returns undefined if more bytes are needed. */
function readHead(head: Uint8Array, isWhole: boolean): Shaped | undefined {
  const start = new TextDecoder().decode(head.subarray(0, MAX_SAMPLE_RECORDS)).trimStart()[0];
  const lines = parseLines(head, isWhole);
  if (lines.isFirstWhole || lines.isMostlyObjects) return { shape: "lines", records: lines.values };
  if (start === "[") return readList(head, isWhole);
  if (start !== "{") return { shape: "text", records: [] };
  if (!isWhole) return undefined;
  const read = parseRecord(head, { place: "" });
  return { shape: "object", records: "value" in read ? [read.value] : [] };
}

function readList(head: Uint8Array, isWhole: boolean): Shaped | undefined {
  const items = new ListScan().add(head).flatMap((item) => ("value" in item ? [item.value] : []));
  return items.length === 0 && !isWhole ? undefined : { shape: "list", records: items.slice(0, MAX_SAMPLE_RECORDS) };
}

interface HeadLines {
  readonly values: readonly unknown[];
  /** The first line is a whole object. */
  readonly isFirstWhole: boolean;
  /** At least half of the lines are objects, although the first one is broken. */
  readonly isMostlyObjects: boolean;
}

function parseLines(head: Uint8Array, isWhole: boolean): HeadLines {
  const values: unknown[] = [];
  let [start, lines, objects, isFirstWhole] = [0, 0, 0, false];
  while (start < head.length && lines < MAX_SAMPLE_RECORDS) {
    const next = head.indexOf(NEWLINE, start);
    if (next < 0 && !isWhole) break;
    const line = head.subarray(start, next < 0 ? head.length : next);
    start = next < 0 ? head.length : next + 1;
    if (isBlank(line)) continue;
    lines += 1;
    const read = parseRecord(line, { place: "" });
    if ("value" in read) values.push(read.value);
    if ("value" in read && isObject(read.value)) [objects, isFirstWhole] = [objects + 1, isFirstWhole || lines === 1];
  }
  return { values, isFirstWhole, isMostlyObjects: objects > 0 && objects * 2 >= lines };
}
