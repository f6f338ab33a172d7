/**
 * F2 and F3: faults that strace injects into a process that writes: it is killed at the n-th write or sync of a file,
 * or that call fails, once or every time. Acknowledged writes are stored; failed writes were not acknowledged, and
 * everything works again when the cause is gone.
 */
import { spawnSync } from "node:child_process";
import { seededRandom } from "../../src/testing/seeded-random.ts";
import { checkWritten } from "../stores/check-written.ts";
import { startWriter } from "../stores/start-writer.ts";
import type { TemporaryFolder } from "../stores/temporary-folder.ts";
import type { WriterLine } from "../stores/writer-task.ts";
import { type FaultOptions, type FaultResult, untestedResult } from "./fault.ts";
import { openPlace, type Place } from "./place.ts";

type Kind = "jsonl" | "sqlite";

const STRACE = "strace";
/** System calls of each store, and about how often each occurs in `ACTIONS` operations. */
const CALLS: Readonly<Record<Kind, readonly (readonly [call: string, times: number])[]>> = {
  jsonl: [
    ["fdatasync", 60],
    ["fsync", 20],
    ["pwrite64", 300],
    ["rename", 8],
  ],
  sqlite: [
    ["pwrite64", 300],
    ["fsync", 100],
    ["ftruncate", 15],
  ],
};
const ACTIONS = 60;
/** A process whose calls keep failing is stopped after this time. */
const MAX_LIFE_MS = 5_000;

export function killAtCalls(kind: Kind, folder: TemporaryFolder, options: FaultOptions): Promise<FaultResult> {
  return inject(kind, folder, { ...options, effects: [(call) => `inject=${call.name}:signal=KILL:when=${call.at}`] });
}

export function failCalls(kind: Kind, folder: TemporaryFolder, options: FaultOptions): Promise<FaultResult> {
  const errorOf = (name: string) => (name.includes("sync") ? "EIO" : "ENOSPC");
  const effects: readonly Effect[] = [
    ({ name, at }) => `inject=${name}:error=${errorOf(name)}:when=${at}`,
    ({ name, at }) => `inject=${name}:error=${errorOf(name)}:when=${at}+`,
  ];
  return inject(kind, folder, { ...options, effects });
}

interface Call {
  readonly name: string;
  /** Which occurrence of the call gets the fault, from 1. */
  readonly at: number;
}

/** Returns the fault in strace's syntax. */
type Effect = (call: Call) => string;

async function inject(
  kind: Kind,
  folder: TemporaryFolder,
  options: FaultOptions & { readonly effects: readonly Effect[] },
): Promise<FaultResult> {
  if (spawnSync(STRACE, ["-V"]).status !== 0) {
    return untestedResult(kind, "strace is not installed, so nothing was tried. Install it: apt-get install strace");
  }
  const random = seededRandom(options.seed);
  const until = performance.now() + options.longestMs;
  const counts = { acknowledged: 0, lost: 0, duplicated: 0 };
  const violations: string[] = [];
  let rounds = 0;
  let failed = 0;
  for (; rounds < options.rounds && performance.now() < until; rounds += 1) {
    const [name, times] = CALLS[kind][rounds % CALLS[kind].length] ?? ["fsync", 1];
    const effect = options.effects[Math.floor(rounds / CALLS[kind].length) % options.effects.length];
    const how = effect?.({ name, at: 1 + random.integer(times) }) ?? "";
    const place: Place = { kind, path: folder.newPath() };
    const { reports, complaint } = await write(place, { how, name, seed: random.integer(1_000_000) });
    failed += reports.filter(({ type }) => type === "failed").length;
    const findings = await examinePlace(place, reports);
    counts.acknowledged += findings.acknowledged;
    counts.lost += findings.lost.length;
    counts.duplicated += findings.duplicated.length;
    violations.push(...[...findings.lost, ...findings.violations, ...complaint].map((text) => `${how}: ${text}`));
    options.onProgress(`${kind}: ${rounds + 1} of ${options.rounds} calls`);
  }
  return { name: kind, rounds, ...counts, violations, remarks: `${failed} failures were reported` };
}

async function write(
  place: Place,
  { how, name, seed }: { readonly how: string; readonly name: string; readonly seed: number },
) {
  const strace = [STRACE, "-f", "-qq", "--seccomp-bpf", "-o", "/dev/null", "-e", `trace=${name}`, "-e", how];
  const writer = startWriter({ type: "endless", place, name: "w", seed, count: ACTIONS }, strace);
  const timer = setTimeout(() => stop(writer.process.pid), MAX_LIFE_MS);
  const { code, complaint } = await writer.ended;
  clearTimeout(timer);
  // A process that cannot create its store reports this and exits; a killed process reports nothing.
  const isExpectedEnd = code === 0 || code === null || complaint.includes("PalimpsestError");
  return { reports: writer.lines, complaint: isExpectedEnd ? [] : [`ended with ${code}: ${complaint.slice(0, 600)}`] };
}

/** strace does not forward the signal, so the traced process is ended first. */
function stop(pid: number | undefined): void {
  if (pid === undefined) return;
  const { stdout } = spawnSync("ps", ["--ppid", `${pid}`, "-o", "pid="], { encoding: "utf8" });
  for (const child of stdout.split("\n").map(Number)) if (child > 0) process.kill(child, "SIGKILL");
}

/** Opens the store without strace, as after a repair. */
async function examinePlace(place: Place, reports: readonly WriterLine[]) {
  const after = startWriter({ type: "endless", place, name: "after", seed: 1, count: 5 });
  const { code, complaint } = await after.ended;
  const store = await openPlace(place);
  const findings = await checkWritten(store.tenant("local"), [...reports, ...after.lines]);
  await store.close();
  const failed = after.lines.filter((line) => line.type === "failed" && line.code !== "does-not-fit");
  const isWell = code === 0 && failed.length === 0;
  const trouble = isWell
    ? []
    : [`it does not work afterwards: ${complaint.slice(0, 300)} ${JSON.stringify(failed[0])}`];
  return { ...findings, violations: [...findings.violations, ...trouble] };
}
