/**
 * Outlines one generated repository in its own process, and prints the figures as JSON: reading every file, the first
 * outlines, the same again with nothing changed, one file changed, and a new thread.
 */
import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { openLocalWorkspace } from "../../src/workspace/local-workspace.ts";
import { BackgroundThread } from "../../src/workspace/thread/background-thread.ts";
import { writeRepository } from "./write-repository.ts";

export interface Span {
  readonly cpuMs: number;
  readonly wallMs: number;
  /** The longest CPU time of the main thread before it yielded. */
  readonly heldMs: number;
  /** The same in wall-clock time, which includes other processes. */
  readonly waitedMs: number;
}

export interface MapFigures {
  readonly files: number;
  readonly megabytes: number;
  readonly outlines: number;
  readonly references: number;
  readonly reading: Span;
  readonly cold: Span;
  readonly unchanged: Span;
  readonly oneChange: Span;
  /** Time of the first outline in a new thread, which a change needs once the thread has stopped. */
  readonly newThread: Span;
  readonly heapMegabytes: number;
  readonly residentMegabytes: number;
}

/** Pause after a change: a file's stamp is trusted once the file is two seconds old. */
const SETTLE_MS = 2_500;
const TIMES = 5;
/** Long enough for a stopped thread to end, so that it is not measured with the next one. */
const THREAD_ENDS_MS = 300;

async function measure(files: number): Promise<MapFigures> {
  const root = mkdtempSync(join(tmpdir(), "palimpsest-bench-workspace-"));
  try {
    const { paths, bytes } = writeRepository(root, files);
    await setTimeout(SETTLE_MS);
    const reading = await spanOf(() => readAll(root, paths));
    globalThis.gc?.();
    const before = process.memoryUsage().heapUsed;
    const workspace = await openLocalWorkspace({ root });
    const cold = await spanOf(() => workspace.listOutlines());
    const outlines = await workspace.listOutlines();
    globalThis.gc?.();
    const { heapUsed, rss } = process.memoryUsage();
    const unchanged = await middle(() => spanOf(() => workspace.listOutlines()));
    const typed = paths.filter((path) => path.endsWith(".ts"));
    const oneChange = await middle(async (time) => {
      const place = join(root, typed[(time * 31) % typed.length] ?? "");
      appendFileSync(place, `\nexport function later${time}(): number {\n  return rise1x1(${time});\n}\n`);
      return spanOf(() => workspace.listOutlines());
    });
    const newThread = await middle(startThread);
    return {
      files,
      megabytes: bytes / 1e6,
      outlines: outlines.length,
      references: outlines.reduce((sum, { refersTo }) => sum + refersTo.length, 0),
      reading,
      cold,
      unchanged,
      oneChange,
      newThread,
      heapMegabytes: (heapUsed - before) / 1e6,
      residentMegabytes: rss / 1e6,
    };
  } finally {
    rmSync(root, { recursive: true });
  }
}

async function startThread(): Promise<Span> {
  const thread = new BackgroundThread({ timeoutMs: 60_000, idleMs: 1, maxHeapMegabytes: 512 });
  const source = "export function tide(): number {\n  return 1;\n}\n";
  const span = await spanOf(() => thread.run({ type: "outline", path: "tide.ts", source }));
  await setTimeout(THREAD_ENDS_MS);
  return span;
}

async function readAll(root: string, paths: readonly string[]): Promise<void> {
  for (const path of paths) await readFile(join(root, path), "utf8");
}

/** Returns the run with the median time, and the longest blocks of all runs. */
async function middle(act: (time: number) => Promise<Span>): Promise<Span> {
  const spans: Span[] = [];
  for (let time = 1; time <= TIMES; time += 1) spans.push(await act(time));
  const chosen = spans.toSorted((left, right) => left.cpuMs - right.cpuMs)[Math.floor(TIMES / 2)];
  if (chosen === undefined) throw new TypeError("Nothing was measured.");
  const most = (key: "heldMs" | "waitedMs"): number => Math.max(...spans.map((span) => span[key]));
  return { ...chosen, heldMs: most("heldMs"), waitedMs: most("waitedMs") };
}

async function spanOf(act: () => Promise<unknown>): Promise<Span> {
  let [heldMs, waitedMs] = [0, 0];
  let last = { thread: process.threadCpuUsage(), at: performance.now() };
  const tick = setInterval(() => {
    const { user, system } = process.threadCpuUsage(last.thread);
    heldMs = Math.max(heldMs, (user + system) / 1_000);
    waitedMs = Math.max(waitedMs, performance.now() - last.at - 1);
    last = { thread: process.threadCpuUsage(), at: performance.now() };
  }, 1);
  const cpu = process.cpuUsage();
  const start = performance.now();
  await act();
  const wallMs = performance.now() - start;
  const { user, system } = process.cpuUsage(cpu);
  clearInterval(tick);
  return { cpuMs: (user + system) / 1_000, wallMs, heldMs, waitedMs };
}

if (import.meta.main) process.stdout.write(JSON.stringify(await measure(Number(process.argv[2]))));
