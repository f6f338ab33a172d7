/**
 * Several processes that write to one SQLite file, each in its own session and in a shared one, with a pause after
 * every append. No process may get an error that the file is busy, or wait for long.
 */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { EMPTY_HEAD } from "../../src/core/log/head.ts";
import { openSqliteStore } from "../../src/stores/sqlite/open-sqlite-store.ts";
import { mustBe, roundFigure, type StorePart, type StoreRequest, timesOf } from "./part.ts";
import type { WriterFigures, WriterTask } from "./write-apart.ts";

const PROCESSES = 4;
const PAUSE_MS = 5;
const APPENDS = 1_000;
const QUICK_APPENDS = 200;
const MAX_P99_MS = 20;

export async function measureProcesses({ folder, isQuick, say }: StoreRequest): Promise<StorePart> {
  const path = join(folder, "processes.db");
  const appends = isQuick ? QUICK_APPENDS : APPENDS;
  await createSessions(path);
  const alone = await write([{ path, sessionIds: ["own-0", "shared"], appends, pauseMs: PAUSE_MS, name: "alone" }]);
  const tasks = Array.from({ length: PROCESSES }, (_, index) => ({
    path,
    sessionIds: [`own-${index}`, "shared"],
    appends,
    pauseMs: PAUSE_MS,
    name: `writer-${index}`,
  }));
  const together = await write(tasks);
  const failures = together.flatMap((figures) => figures.failures);
  const times = timesOf(together.flatMap(({ appendMs }) => appendMs));
  const aloneTimes = timesOf(alone.flatMap(({ appendMs }) => appendMs));
  say(`${PROCESSES} processes: p99 ${times.p99Ms.toFixed(1)} ms, ${failures.length} failures`);
  return {
    rows: [
      rowOf("1 process", { ...aloneTimes, failed: alone.flatMap((figures) => figures.failures).length }),
      rowOf(`${PROCESSES} processes`, { ...times, failed: failures.length }),
    ],
    musts: [
      mustBe({
        text: `failures of ${PROCESSES} processes on one file`,
        value: failures.length,
        unit: "",
        atMost: 0,
      }),
      mustBe({
        text: `append by ${PROCESSES} processes on one file, p99`,
        value: times.p99Ms,
        unit: " ms",
        atMost: MAX_P99_MS,
        beside: `one process alone ${aloneTimes.p99Ms.toFixed(1)} ms`,
      }),
    ],
    notes: [
      `processes: ${appends} appends each with ${PAUSE_MS} ms after every one, alternately to its own session and to a shared one${failures.length === 0 ? "" : `; failed: ${failures[0]}`}`,
    ],
  };
}

async function createSessions(path: string): Promise<void> {
  const store = await openSqliteStore(path);
  const tenant = store.tenant("local");
  const own = Array.from({ length: PROCESSES }, (_, index) => `own-${index}`);
  for (const id of [...own, "shared"]) await tenant.createSession({ id, createdAt: 0 }, EMPTY_HEAD);
  await store.close();
}

async function write(tasks: readonly WriterTask[]): Promise<readonly WriterFigures[]> {
  const script = fileURLToPath(new URL("./write-apart.ts", import.meta.url));
  return Promise.all(
    tasks.map(async (task) => {
      const { stdout } = await promisify(execFile)(process.execPath, [script, JSON.stringify(task)]);
      return JSON.parse(stdout) as WriterFigures;
    }),
  );
}

function rowOf(
  name: string,
  { count, p50Ms, p99Ms, maxMs, failed }: ReturnType<typeof timesOf> & { readonly failed: number },
) {
  return {
    part: "processes",
    case: `TenantStore.append, SQLite, ${name}`,
    messages: count,
    p50Ms: roundFigure(p50Ms),
    p99Ms: roundFigure(p99Ms),
    remark: `slowest ${roundFigure(maxMs)} ms, ${failed} failed`,
  };
}
