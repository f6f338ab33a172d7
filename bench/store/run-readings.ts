/** Starts the process that reads, and turns its output into rows. */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { roundFigure, type StoreRow, timesOf } from "./part.ts";
import type { ReadFigures, ReadingFigures, ReadTask } from "./read-apart.ts";

export async function runReadings(task: ReadTask): Promise<ReadFigures> {
  const script = fileURLToPath(new URL("./read-apart.ts", import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [script, JSON.stringify(task)], {
    maxBuffer: 64 * 1024 * 1024,
  });
  return JSON.parse(stdout) as ReadFigures;
}

export function readingRow(part: string, { name, ms, cpuMs, found }: ReadingFigures, messages: number): StoreRow {
  const { p50Ms, p99Ms } = timesOf(ms);
  return {
    part,
    case: name,
    messages,
    p50Ms: roundFigure(p50Ms),
    p99Ms: roundFigure(p99Ms),
    cpuP99Ms: roundFigure(timesOf(cpuMs).p99Ms),
    remark: `${found} found`,
  };
}

export interface SlowestRead {
  readonly p99Ms: number;
  /** Names the slowest kind of read, and the longest CPU time of any kind, which depends less on a busy machine. */
  readonly text: string;
}

/** Returns the kind of read with the slowest p99; undefined without readings. */
export function findSlowest(readings: readonly ReadingFigures[]): SlowestRead | undefined {
  const [first] = readings
    .map(({ name, ms }) => ({ name, p99Ms: timesOf(ms).p99Ms }))
    .toSorted((left, right) => right.p99Ms - left.p99Ms);
  const cpuMs = Math.max(...readings.map((reading) => timesOf(reading.cpuMs).p99Ms));
  return first && { p99Ms: first.p99Ms, text: `${first.name}; CPU time at most ${cpuMs.toFixed(1)} ms` };
}
