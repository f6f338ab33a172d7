/**
 * One line of a file: a JSON object that ends in a checksum of everything before it. A batch of several lines says on
 * each which one of how many it is, so that a reader can tell a whole batch from one that a crash cut off.
 */
import { crc32 } from "node:zlib";
import type { JsonObject } from "../../core/message/json.ts";

/** Longer ones are not read into memory. What is larger belongs into a blob. */
export const LONGEST_LINE_BYTES = 64 * 2 ** 20;

/** Which line of a batch of how many. */
export type BatchPart = readonly [index: number, count: number];

export interface DecodedLine {
  readonly value: JsonObject;
  readonly part: BatchPart;
  /** False where somebody else wrote the line. */
  readonly hasSum: boolean;
}

const SUM_KEY = ',"crc32":"';
const PART_KEY = ',"part":[';
/** The key, eight digits, a quote and a brace. */
const SUM_BYTES = SUM_KEY.length + 10;
const PART = /,"part":\[\d{1,10},\d{1,10}\]$/;
/** The longest that a part can be. */
const PART_BYTES = PART_KEY.length + 22;
const ALONE: BatchPart = [0, 1];

/** One write: all lines of a batch, each with its newline. */
export function encodeBatch(values: readonly JsonObject[]): readonly Buffer[] {
  return values.map((value, index) => {
    const body = JSON.stringify(value).slice(0, -1);
    const part = values.length === 1 ? "" : `${PART_KEY}${index},${values.length}]`;
    return seal(Buffer.from(body + part));
  });
}

/** The same line as if it had been written alone. `line` carries no newline. */
export function withoutPart(line: Buffer): Buffer {
  if (!endsInSum(line)) return Buffer.concat([line, Buffer.from("\n")]);
  const body = line.subarray(0, -SUM_BYTES);
  const part = PART.exec(body.toString("latin1", Math.max(0, body.length - PART_BYTES)));
  return seal(body.subarray(0, body.length - (part?.[0].length ?? 0)));
}

/** The value of a line without its newline, or what is wrong with it. */
export function decodeLine(line: Buffer): DecodedLine | string {
  const hasSum = endsInSum(line);
  if (hasSum && sumOf(line.subarray(0, -SUM_BYTES)) !== line.toString("latin1", line.length - 10, line.length - 2)) {
    return "its checksum does not match";
  }
  try {
    const value: unknown = JSON.parse(line.toString());
    if (!isObject(value)) return "it is no JSON object";
    return { value, part: isPart(value.part) ? value.part : ALONE, hasSum };
  } catch {
    return "it is no JSON";
  }
}

/** JSON has no raw NUL: where one stands, the space was reserved and the bytes were never written. */
export function isUnwritten(line: Buffer): boolean {
  return line.includes(0);
}

function seal(body: Buffer): Buffer {
  return Buffer.concat([body, Buffer.from(`${SUM_KEY}${sumOf(body)}"}\n`)]);
}

function sumOf(bytes: Buffer): string {
  return crc32(bytes).toString(16).padStart(8, "0");
}

function endsInSum(line: Buffer): boolean {
  const at = line.length - SUM_BYTES;
  return at > 0 && line.toString("latin1", at, at + SUM_KEY.length) === SUM_KEY && line.at(-1) === 0x7d;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isPart(value: unknown): value is BatchPart {
  if (!Array.isArray(value) || value.length !== 2) return false;
  const [index, count] = value;
  return Number.isInteger(index) && Number.isInteger(count) && index >= 0 && index < count;
}
