/** Deletes a session in a new process, and prints the CPU time of each turn of the event loop until then. */
import { setImmediate } from "node:timers/promises";
import { openSqliteStore } from "../../src/stores/sqlite/open-sqlite-store.ts";
import { measureTime } from "./part.ts";

export interface DeletionFigures {
  readonly ms: number;
  readonly stepMs: readonly number[];
}

const MICROSECONDS = 1_000;

const [path = "", sessionId = ""] = process.argv.slice(2);
const store = await openSqliteStore(path);
const tenant = store.tenant("local");
await tenant.findSession(sessionId);
const stepMs: number[] = [];
let isDone = false;
const watching = (async () => {
  while (!isDone) {
    const before = process.threadCpuUsage();
    await setImmediate();
    const { user, system } = process.threadCpuUsage(before);
    stepMs.push((user + system) / MICROSECONDS);
  }
})();
const { ms } = await measureTime(() => tenant.deleteSession(sessionId));
isDone = true;
await watching;
await store.close();
process.stdout.write(JSON.stringify({ ms, stepMs } satisfies DeletionFigures));
