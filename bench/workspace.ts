/**
 * The cost of a repository that is shown with a conversation: generated sources in eleven languages are mapped for the
 * first time, then with nothing changed and with one file changed, in its own process. Times are CPU times of all
 * threads, next to the time for reading the same files, so that a slower machine changes both. It does not judge the
 * outlines.
 *
 * `--quick` maps 500 files instead of 5,000.
 */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { BenchRequest, BenchResult } from "./bench.ts";
import type { MapFigures, Span } from "./workspace/measure.ts";

const MAX_COLD_MS = 30_000;
const MAX_CHANGE_MS = 200;
const MAX_HELD_MS = 50;

export async function run({ args }: BenchRequest): Promise<BenchResult> {
  const figures = await measureApart(args.includes("--quick") ? 500 : 5_000);
  const { reading, cold, unchanged, oneChange, newThread } = figures;
  const held = Math.max(cold.heldMs, unchanged.heldMs, oneChange.heldMs);
  const rows = {
    "reading the files": reading,
    "first outlines": cold,
    "nothing changed": unchanged,
    "one file changed": oneChange,
    "a new thread": newThread,
  };
  return {
    name: "workspace",
    title: `A repository of ${figures.files} files, ${figures.megabytes.toFixed(1)} MB in eleven languages: outlines and references.`,
    rows: Object.entries(rows).map(([what, span]) => rowOf(what, { span, reading })),
    figures: {
      outlines: figures.outlines,
      references: figures.references,
      "heap of the map, MB": figures.heapMegabytes,
      "resident after the first outlines, both threads, MB": figures.residentMegabytes,
      [`first map at most ${MAX_COLD_MS / 1_000} s of CPU`]: holds(cold.cpuMs, MAX_COLD_MS),
      [`one file changed at most ${MAX_CHANGE_MS} ms of CPU`]: holds(oneChange.cpuMs, MAX_CHANGE_MS),
      [`the main thread held at most ${MAX_HELD_MS} ms`]: holds(held, MAX_HELD_MS),
    },
    notes: [
      "held: the most that the main thread worked between two ticks of a timer, including garbage collection.",
      "by the clock: the same including other processes; it is meaningful only on an idle machine.",
      "nothing changed, one file changed: the median of five. The change adds a definition to a file.",
      "a new thread: its start and one small file of TypeScript; a change needs it in addition after half an hour without use.",
      "resident memory contains the compiled grammars; stopping the thread frees only a small part of it.",
    ],
  };
}

function rowOf(
  what: string,
  { span, reading }: { readonly span: Span; readonly reading: Span },
): BenchResult["rows"][number] {
  return {
    what,
    "CPU ms": span.cpuMs,
    "wall ms": span.wallMs,
    "CPU over reading": span.cpuMs / reading.cpuMs,
    "main thread held ms": span.heldMs,
    "by the clock ms": span.waitedMs,
  };
}

const holds = (value: number, most: number): string => (value <= most ? "holds" : "does not hold");

const MEASURE = fileURLToPath(new URL("workspace/measure.ts", import.meta.url));

async function measureApart(files: number): Promise<MapFigures> {
  const { stdout } = await promisify(execFile)(process.execPath, ["--expose-gc", MEASURE, String(files)]);
  return JSON.parse(stdout);
}
