/** A line is a JSON object that ends in its checksum and contains its index in its batch. */
import { crc32 } from "node:zlib";
import { PalimpsestError } from "../../core/errors.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../core/message/json.ts";

/** Longer lines are not read into memory. Larger content belongs in a blob. */
export const MAX_LINE_BYTES = 64 * 2 ** 20;

/** Position of a line in its file, without its newline. */
export interface LinePlace {
  readonly offset: number;
  readonly length: number;
}

/** Index of the line in its batch, and size of the batch. */
export type BatchPart = readonly [index: number, count: number];

export interface DecodedLine {
  readonly value: JsonObject;
  readonly part: BatchPart;
  /** False for lines of other programs. */
  readonly hasSum: boolean;
}

const SUM_KEY = ',"crc32":"';
const PART_KEY = ',"part":[';
/** The key, eight digits, a quote and a brace. */
const SUM_BYTES = SUM_KEY.length + 10;
const PART = /,"part":\[\d{1,10},\d{1,10}\]$/;
const PART_BYTES = PART_KEY.length + 22;
const ALONE: BatchPart = [0, 1];

/** Encodes the lines of one write, each with its newline. Refuses lines that are too long to be read back. */
export function encodeBatch(values: readonly JsonObject[]): readonly Buffer[] {
  const lines = values.map((value, index) => {
    const body = JSON.stringify(value).slice(0, -1);
    const part = values.length === 1 ? "" : `${PART_KEY}${index},${values.length}]`;
    return addChecksum(Buffer.from(body + part));
  });
  if (lines.every(({ length }) => length <= MAX_LINE_BYTES)) return lines;
  throw new PalimpsestError("message-invalid", `An entry is larger than ${MAX_LINE_BYTES} bytes. Split it.`);
}

/** Returns the line as if it had been written alone, with a newline. `line` has none. */
export function detachFromBatch(line: Buffer): Buffer {
  if (!endsInSum(line)) return Buffer.concat([line, Buffer.from("\n")]);
  const body = line.subarray(0, -SUM_BYTES);
  const part = PART.exec(body.toString("latin1", Math.max(0, body.length - PART_BYTES)));
  return addChecksum(body.subarray(0, body.length - (part?.[0].length ?? 0)));
}

/** Returns the value of a line without its newline, or a description of the problem. */
export function decodeLine(line: Buffer): DecodedLine | string {
  const hasSum = endsInSum(line);
  if (
    hasSum &&
    checksumOf(line.subarray(0, -SUM_BYTES)) !== line.toString("latin1", line.length - 10, line.length - 2)
  ) {
    return "its checksum does not match";
  }
  try {
    const value: JsonValue = JSON.parse(line.toString());
    if (!isJsonObject(value)) return "it is not a JSON object";
    return { value, part: isPart(value.part) ? value.part : ALONE, hasSum };
  } catch {
    return "it is not JSON";
  }
}

/** Returns the checksum of any bytes in eight hexadecimal digits. */
export function checksumOf(bytes: Buffer): string {
  return crc32(bytes).toString(16).padStart(8, "0");
}

function addChecksum(body: Buffer): Buffer {
  return Buffer.concat([body, Buffer.from(`${SUM_KEY}${checksumOf(body)}"}\n`)]);
}

function endsInSum(line: Buffer): boolean {
  const at = line.length - SUM_BYTES;
  return at > 0 && line.toString("latin1", at, at + SUM_KEY.length) === SUM_KEY && line.at(-1) === 0x7d;
}

function isPart(value: unknown): value is BatchPart {
  if (!Array.isArray(value) || value.length !== 2) return false;
  const [index, count] = value;
  return Number.isInteger(index) && Number.isInteger(count) && index >= 0 && index < count;
}
