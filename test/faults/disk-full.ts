/**
 * F4: a disk that fills up while a process writes to it. The process gets an error and loses nothing; stored entries
 * can be read; and when there is space again, the same process continues.
 */
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { seededRandom } from "../../src/testing/seeded-random.ts";
import { checkWritten, type Findings } from "../stores/check-written.ts";
import { type RunningWriter, startWriter } from "../stores/start-writer.ts";
import type { TemporaryFolder } from "../stores/temporary-folder.ts";
import type { WriterLine } from "../stores/writer-task.ts";
import { mountDisk } from "../support/small-disk.ts";
import { type FaultOptions, type FaultResult, untestedResult } from "./fault.ts";
import { openPlace, type Place } from "./place.ts";

const DISK_BYTES = 16 * 2 ** 20;
const MAX_BALLAST = 15 * 2 ** 20;
const BALLAST_VARIES = 2 ** 20;
const LOOK_EVERY_MS = 20;
const MAX_WAIT_MS = 60_000;
const FAILURES = 3;
const MORE_ACTIONS = 5;

export async function fillDisk(
  kind: "jsonl" | "sqlite",
  folder: TemporaryFolder,
  options: FaultOptions,
): Promise<FaultResult> {
  const random = seededRandom(options.seed);
  const until = performance.now() + options.longestMs;
  const counts = { acknowledged: 0, lost: 0, duplicated: 0 };
  const violations: string[] = [];
  let rounds = 0;
  for (; rounds < options.rounds && performance.now() < until; rounds += 1) {
    using disk = mountDisk(folder.newPath(), DISK_BYTES);
    if (disk.reason !== undefined) return untestedResult(kind, disk.reason);
    const ballast = MAX_BALLAST - random.integer(BALLAST_VARIES);
    const findings = await writeUntilFull(
      { kind, path: join(disk.path, "store") },
      { disk: disk.path, ballast, seed: options.seed + rounds },
    );
    counts.acknowledged += findings.acknowledged;
    counts.lost += findings.lost.length;
    counts.duplicated += findings.duplicated.length;
    violations.push(...findings.lost, ...findings.violations);
    options.onProgress(`${kind}: ${rounds + 1} of ${options.rounds} disks filled`);
  }
  return { name: kind, rounds, ...counts, violations };
}

interface Disk {
  readonly disk: string;
  /** Bytes that are reserved at the start and released when the disk is full. */
  readonly ballast: number;
  readonly seed: number;
}

async function writeUntilFull(place: Place, { disk, ballast, seed }: Disk): Promise<Findings> {
  const file = join(disk, "ballast");
  writeFileSync(file, Buffer.alloc(ballast));
  const writer = startWriter({ type: "endless", place, name: "w", seed });
  const violations: string[] = [];
  try {
    if (!(await waitFor(writer, "failed", FAILURES))) violations.push("The disk was never full.");
    // The writer may still be running, so only the acknowledgements so far are checked.
    const { lost } = await examinePlace(place, [...writer.lines]);
    violations.push(...lost.map((text) => `while it was full: ${text}`));
    rmSync(file);
    const done = countOf(writer.lines, "appended");
    if (!(await waitFor(writer, "appended", done + MORE_ACTIONS)))
      violations.push("Nothing was written after there was room.");
  } finally {
    writer.process.kill("SIGKILL");
  }
  const { complaint } = await writer.ended;
  if (complaint !== "") violations.push(complaint.slice(0, 500));
  const findings = await examinePlace(place, writer.lines);
  return { ...findings, violations: [...violations, ...findings.violations] };
}

async function waitFor({ lines }: RunningWriter, type: WriterLine["type"], count: number): Promise<boolean> {
  const until = performance.now() + MAX_WAIT_MS;
  while (countOf(lines, type) < count && performance.now() < until) await setTimeout(LOOK_EVERY_MS);
  return countOf(lines, type) >= count;
}

function countOf(lines: readonly WriterLine[], type: WriterLine["type"]): number {
  return lines.filter((line) => line.type === type).length;
}

async function examinePlace(place: Place, reports: readonly WriterLine[]): Promise<Findings> {
  const store = await openPlace(place);
  try {
    return await checkWritten(store.tenant("local"), reports);
  } finally {
    await store.close();
  }
}
