/**
 * Reads from a large store in its own process, through the store's methods, and prints the wall-clock and CPU time of
 * each read, and the peak memory. The argument of the process describes the reads as JSON.
 */
import { existsSync, readFileSync } from "node:fs";
import type { SearchQuery, TenantStore } from "../../src/ports/store.ts";
import { openSqliteStore } from "../../src/stores/sqlite/open-sqlite-store.ts";
import { measureTime } from "./part.ts";

export interface Reading {
  readonly name: string;
  /** Calls that are used in turn until there are enough reads. */
  readonly calls: readonly ReadCall[];
}

export type ReadCall =
  | { readonly verb: "readView"; readonly sessionId: string }
  | { readonly verb: "readPage"; readonly sessionId: string; readonly throughSeq: number; readonly limit: number }
  | { readonly verb: "listSessions"; readonly limit: number; readonly after?: { id: string; updatedAt: number } }
  | { readonly verb: "findMessage"; readonly sessionId: string; readonly messageId: string }
  | { readonly verb: "search"; readonly query: SearchQuery };

export interface ReadTask {
  readonly path: string;
  readonly readings: readonly Reading[];
  /** How many reads of each kind are timed. */
  readonly times: number;
}

export interface ReadFigures {
  readonly readings: readonly ReadingFigures[];
  readonly maxMemoryBytes: number;
}

export interface ReadingFigures {
  readonly name: string;
  readonly ms: readonly number[];
  readonly cpuMs: readonly number[];
  /** How many entries, sessions or hits the last call returned. */
  readonly found: number;
}

const MEMORY_UNIT_BYTES = 1_024;
const STATUS = "/proc/self/status";
const WARMING = 3;
/** A kind of read is not repeated once its reads took this long together. */
const ENOUGH_MS = 20_000;

const { path, readings, times } = JSON.parse(process.argv[2] ?? "{}") as ReadTask;
const store = await openSqliteStore(path);
const tenant = store.tenant("local");
const figures: ReadingFigures[] = [];
for (const reading of readings) figures.push(await measure(reading));
await store.close();
const maxMemoryBytes = readPeakMemory() * MEMORY_UNIT_BYTES;
process.stdout.write(JSON.stringify({ readings: figures, maxMemoryBytes } satisfies ReadFigures));

/** Returns the peak memory of this process. `maxRSS` can include the memory of the parent process. */
function readPeakMemory(): number {
  const { maxRSS } = process.resourceUsage();
  if (!existsSync(STATUS)) return maxRSS;
  const [, most] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(STATUS, "utf8")) ?? [];
  return most === undefined ? maxRSS : Number(most);
}

async function measure({ name, calls }: Reading): Promise<ReadingFigures> {
  const ms: number[] = [];
  const cpuMs: number[] = [];
  let found = 0;
  let spentMs = 0;
  for (let round = 0; round < WARMING + times && spentMs < ENOUGH_MS; round += 1) {
    const call = calls[round % calls.length];
    if (call === undefined) break;
    const before = process.cpuUsage();
    const { ms: took, result } = await measureTime(() => read(tenant, call));
    const { user, system } = process.cpuUsage(before);
    found = result;
    spentMs += took;
    if (round < WARMING) continue;
    ms.push(took);
    cpuMs.push((user + system) / 1_000);
  }
  return { name, ms, cpuMs, found };
}

async function read(from: TenantStore, call: ReadCall): Promise<number> {
  switch (call.verb) {
    case "readView":
      return (await from.readView(call.sessionId))?.entries.length ?? 0;
    case "readPage": {
      const { sessionId, throughSeq, limit } = call;
      return (await from.readEntries(sessionId, { throughSeq, limit, newestFirst: true })).length;
    }
    case "listSessions":
      return (await from.listSessions(call)).length;
    case "findMessage":
      return (await from.findMessage(call.sessionId, call.messageId)) === undefined ? 0 : 1;
    case "search":
      return (await from.search(call.query)).length;
    default:
      return call satisfies never;
  }
}
