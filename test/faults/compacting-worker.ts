/**
 * A process that compacts sessions, by jobs or by name, and fails at the point that a session's id names: it kills
 * itself there, or stops itself like a suspended machine. Otherwise it finishes its work.
 */
import { writeSync } from "node:fs";
import { createOpenAI } from "@ai-sdk/openai";
import { openPalimpsest } from "../../src/compose.ts";
import { openPgBossJobs } from "../../src/jobs/pg-boss-jobs.ts";
import type { Store, TenantStore } from "../../src/ports/store.ts";
import { BUDGET_TOKENS } from "./once-worker.ts";
import { openPlace, type Place } from "./place.ts";

/** The points at which the process can fail, in the order in which a job reaches them. */
export const FAILURE_POINTS = [
  "claimed",
  "before-call",
  "mid-stream",
  "after-call",
  "before-commit",
  "after-commit",
] as const;
export type FailurePoint = (typeof FAILURE_POINTS)[number];

export interface CompactingTask {
  readonly place: Place;
  /** Address of the summarizer. */
  readonly url: string;
  readonly how: "SIGKILL" | "SIGSTOP";
  /** Sessions at which the process does not fail. */
  readonly spared: readonly string[];
  /** Compacts this session once, instead of running jobs. */
  readonly session?: string | undefined;
  readonly concurrency: number;
}

export type CompactingLine =
  | { readonly type: "ready" }
  | { readonly type: "reached"; readonly session: string; readonly point: FailurePoint }
  | { readonly type: "compacted"; readonly session: string }
  /** Another writer changed the past. */
  | { readonly type: "stale"; readonly session: string };

export const sessionAt = (point: FailurePoint, round: number): string => `${round} ${point}`;

async function main(task: CompactingTask): Promise<void> {
  let current = "";
  const reach = (point: FailurePoint): void => {
    if (task.spared.includes(current) || !current.endsWith(` ${point}`)) return;
    tell({ type: "reached", session: current, point });
    process.kill(process.pid, task.how);
  };
  const ask: typeof fetch = async (input, init) => {
    reach("before-call");
    const response = await fetch(input, init);
    // The response is still streaming.
    reach("mid-stream");
    return response;
  };
  const store = watchCommits(await openPlace(task.place), reach);
  const summarizer = createOpenAI({ baseURL: `${task.url}/v1`, apiKey: "test-key", fetch: ask }).chat("gpt-4.1-mini");
  const palimpsest = await openPalimpsest({ store, summarizer, counter: "estimate", budgetTokens: BUDGET_TOKENS });
  palimpsest.on("summary", () => reach("after-call"));
  palimpsest.on("compaction", ({ sessionId }) => tell({ type: "compacted", session: sessionId }));
  palimpsest.on("compaction-end", ({ sessionId, outcome }) => {
    if (outcome === "stale") tell({ type: "stale", session: sessionId });
  });
  const compact = async (sessionId: string): Promise<void> => {
    current = sessionId;
    reach("claimed");
    await (await palimpsest.session(sessionId)).prompt();
  };
  if (task.session !== undefined) {
    tell({ type: "ready" });
    await compact(task.session);
    return palimpsest.close();
  }
  const { concurrency } = task;
  const jobs = await openPgBossJobs(task.place.path, { ...JOBS, concurrency, onError: () => undefined });
  tell({ type: "ready" });
  await jobs.work((job) => compact(job.sessionId));
}

/** Options with which pg-boss notices a dead worker as soon as its limits allow. */
export const JOBS = { attempts: 5, firstPauseSeconds: 1, heartbeatSeconds: 10, superviseSeconds: 1 };

/** Wraps a store to report each change of the past before and after it is written. */
function watchCommits(store: Store, reach: (point: FailurePoint) => void): Store {
  const watched = (tenant: TenantStore): TenantStore =>
    new Proxy(tenant, {
      get(target, key) {
        const value: unknown = Reflect.get(target, key);
        if (typeof value !== "function") return value;
        if (key !== "append") return value.bind(target);
        const append: TenantStore["append"] = async (id, batch) => {
          if (batch.expect?.fence === undefined) return target.append(id, batch);
          reach("before-commit");
          const outcome = await target.append(id, batch);
          reach("after-commit");
          return outcome;
        };
        return append;
      },
    });
  return { name: store.name, tenant: (id) => watched(store.tenant(id)), close: () => store.close() };
}

function tell(line: CompactingLine): void {
  writeSync(1, `${JSON.stringify(line)}\n`);
}

if (import.meta.main) await main(JSON.parse(process.argv[2] ?? ""));
