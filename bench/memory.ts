/**
 * The memory of processes that run for a long time: of a server without requests, of a server for each of ten thousand
 * sessions that it has answered, and of a worker that folds a thousand sessions. Each is a process of its own on SQLite.
 *
 * `--quick` uses a tenth of the sessions, `--folder <path>` is for the stores.
 */
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { BenchRequest, BenchResult } from "./bench.ts";
import { type FoldFigures, measureFolds } from "./memory/measure-folds.ts";
import { appendTurns, createSession } from "./server/send-requests.ts";
import { startServer } from "./server/start-process.ts";
import { loadText, machineText, makeFolder, sayAs } from "./shared/surroundings.ts";
import { mustBe, roundFigure } from "./store/part.ts";
import type { RequiredFigure } from "./turn-cost/judge-turn-cost.ts";

const say = sayAs("memory");
const SESSIONS = { server: 10_000, worker: 1_000 } as const;
const QUICK_SHARE = 10;
/** A server collects the garbage of its start after a second. */
const SETTLE_MS = 4_000;
/** Sessions that are created before the first measurement, so that code and caches are loaded. */
const WARMING_SESSIONS = 500;
const TURNS = 5;
const REQUESTS_AT_ONCE = 16;
const MAX_IDLE_MB = 120;
const MAX_SESSION_BYTES = 20_000;
const MAX_GROWTH = 1.1;

export interface MemoryResult extends BenchResult {
  readonly musts: readonly RequiredFigure[];
}

export async function run({ args }: BenchRequest): Promise<MemoryResult> {
  const share = args.includes("--quick") ? QUICK_SHARE : 1;
  const folder = makeFolder(args);
  const server = await measureServer(folder, SESSIONS.server / share);
  say(`idle ${megabytes(server.idleBytes)} MB, ${Math.round(server.sessionBytes)} bytes a session`);
  const folds = await measureFolds(join(folder, "folds.db"), { sessions: SESSIONS.worker / share, say });
  const musts = judge(server, folds);
  return {
    name: "memory",
    title: "Memory of a server and a worker.",
    rows: [
      { process: "server, idle", "resident MB": megabytes(server.idleBytes) },
      {
        process: `server, ${server.sessions} sessions answered`,
        "resident MB": megabytes(server.rssBytes),
        "bytes a session": Math.round(server.sessionBytes),
      },
      {
        process: `worker, ${folds.sessions} sessions folded`,
        "resident MB": megabytes(folds.rssEndBytes),
        "heap growth": roundFigure(folds.heapEndBytes / folds.heapMiddleBytes),
      },
    ],
    notes: [
      ...musts.map(
        ({ text, target, measured, holds }) => `must: ${text} ${target}: ${measured}, ${holds ? "holds" : "MISSES"}`,
      ),
      `bytes a session: growth of the heap after a garbage collection, for sessions of ${TURNS * 2} messages and a prompt.`,
      "heap growth: the heap after all folds, relative to that after half of them, each after a garbage collection.",
      `Node ${process.version}, ${machineText()}, load ${loadText()} at the end.`,
    ],
    musts,
  };
}

interface ServerFigures {
  readonly sessions: number;
  readonly idleBytes: number;
  readonly rssBytes: number;
  readonly sessionBytes: number;
}

async function measureServer(folder: string, sessions: number): Promise<ServerFigures> {
  const server = await startServer({ store: `sqlite:${join(folder, "server.db")}`, home: folder });
  await pause(SETTLE_MS);
  const { rssBytes: idleBytes } = await server.readFigures();
  await answerSessions(server.url, { from: 0, to: WARMING_SESSIONS });
  const before = await server.collect();
  await answerSessions(server.url, { from: WARMING_SESSIONS, to: WARMING_SESSIONS + sessions });
  const after = await server.collect();
  await server.end();
  return {
    sessions,
    idleBytes,
    rssBytes: after.rssBytes,
    sessionBytes: (after.heapBytes - before.heapBytes) / sessions,
  };
}

async function answerSessions(
  url: string,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<void> {
  let next = from;
  const work = async (): Promise<void> => {
    for (let index = next++; index < to; index = next++) {
      const id = `session-${index}`;
      await createSession(url, id);
      await appendTurns(url, { id, turns: TURNS });
      const response = await fetch(`${url}/api/sessions/${id}/view`);
      if (!response.ok) throw new Error(`the view of ${id} answered ${response.status}`);
      await response.arrayBuffer();
      if (index % 1_000 === 0) say(`${index} sessions`);
    }
  };
  await Promise.all(Array.from({ length: REQUESTS_AT_ONCE }, work));
}

function judge({ idleBytes, sessionBytes, sessions }: ServerFigures, folds: FoldFigures): readonly RequiredFigure[] {
  const growth = folds.heapEndBytes / folds.heapMiddleBytes;
  return [
    mustBe({ text: "idle server", value: idleBytes / 1e6, unit: " MB", atMost: MAX_IDLE_MB }),
    mustBe({ text: `each of ${sessions} sessions`, value: sessionBytes, unit: " bytes", atMost: MAX_SESSION_BYTES }),
    mustBe({ text: "sessions that the worker folded", value: folds.folded, unit: "", atLeast: folds.sessions }),
    mustBe({ text: "heap of the worker, second half of the folds", value: growth, unit: "x", atMost: MAX_GROWTH }),
  ];
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 1e5) / 10;
}
