/**
 * F6: workers that die at six points of a compaction, from the claim to the commit. Another worker gets the job, and in
 * the end there is exactly one record for each session.
 */
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { openPalimpsest } from "../../src/compose.ts";
import { openPgBossJobs } from "../../src/jobs/pg-boss-jobs.ts";
import { startScriptedProvider } from "../support/scripted-provider.ts";
import type { PostgresServer } from "../support/start-postgres.ts";
import { type CompactingLine, type CompactingTask, FAILURE_POINTS, JOBS, sessionAt } from "./compacting-worker.ts";
import type { FaultOptions, FaultResult } from "./fault.ts";
import { SCRIPT } from "./once.ts";
import { talkOf } from "./once-worker.ts";
import { openPlace, type Place } from "./place.ts";
import { startChild } from "./start-child.ts";

const DOOMED_AT_ONCE = 2;
const SURVIVOR_JOBS = 10;
const LOOK_EVERY_MS = 500;
/** Longer than a dead worker's lease. */
const DRAIN_MS = 120_000;

export async function killWorkers(server: PostgresServer, options: FaultOptions): Promise<FaultResult> {
  const place: Place = { kind: "postgres", path: await server.newDatabase() };
  await using provider = await startScriptedProvider(SCRIPT);
  const names = Array.from({ length: options.rounds }, (_, round) =>
    FAILURE_POINTS.map((point) => sessionAt(point, round)),
  ).flat();
  await fill(place, names);
  const died = new Set<string>();
  const start = (spared: readonly string[], concurrency: number) => {
    const task: CompactingTask = { place, url: provider.url, how: "SIGKILL", spared, concurrency };
    return startChild<CompactingLine>({ script: join(import.meta.dirname, "compacting-worker.ts"), task });
  };
  const until = performance.now() + options.longestMs;
  const violations: string[] = [];
  const isOver = () => died.size === names.length || performance.now() > until;
  const dieOneByOne = async (): Promise<void> => {
    while (!isOver()) {
      const worker = start([...died], 1);
      // The worker is killed only when all jobs have ended.
      const watch = setInterval(() => isOver() && worker.process.kill("SIGTERM"), LOOK_EVERY_MS);
      const { signal, complaint } = await worker.ended;
      clearInterval(watch);
      const last = worker.lines.findLast((line) => line.type === "reached");
      if (last !== undefined) died.add(last.session);
      else if (!isOver() || signal !== "SIGTERM") violations.push(`A worker ended by itself: ${complaint}`);
      options.onProgress(`postgres: ${died.size} of ${names.length} workers killed`);
    }
  };
  await Promise.all(Array.from({ length: DOOMED_AT_ONCE }, dieOneByOne));
  const survivor = start(names, SURVIVOR_JOBS);
  const unfinished = await drain(server, place, options);
  survivor.process.kill("SIGKILL");
  await survivor.ended;
  if (unfinished > 0) violations.push(`${unfinished} jobs were not done.`);
  return { ...(await examine(place, names, violations)), rounds: died.size };
}

/** Each session is long enough to be compacted once, and has a job. */
async function fill(place: Place, names: readonly string[]): Promise<void> {
  const palimpsest = await openPalimpsest({ store: await openPlace(place), counter: "estimate" });
  const jobs = await openPgBossJobs(place.path, { ...JOBS, onError: () => undefined });
  for (const name of names) {
    await (await palimpsest.session(name)).append(talkOf(0), { format: "palimpsest" });
    await jobs.submit({ tenantId: "local", sessionId: name, kind: "compact" });
  }
  await jobs.close();
  await palimpsest.close();
}

/** Returns how many jobs remain. */
async function drain(server: PostgresServer, { path }: Place, { onProgress }: FaultOptions): Promise<number> {
  const open = "SELECT count(*)::int AS count FROM palimpsest_jobs.job WHERE name = 'compact' AND state < 'completed'";
  const until = performance.now() + DRAIN_MS;
  for (;;) {
    const [row] = await server.run(open, path);
    const left = Number(row?.count);
    if (left === 0 || performance.now() > until) return left;
    onProgress(`postgres: ${left} jobs left`);
    await setTimeout(LOOK_EVERY_MS);
  }
}

async function examine(
  place: Place,
  names: readonly string[],
  violations: string[],
): Promise<Omit<FaultResult, "rounds">> {
  const store = await openPlace(place);
  const tenant = store.tenant("local");
  const ids = talkOf(0).map(({ id }) => id);
  const counts = { acknowledged: 0, lost: 0, duplicated: 0 };
  for (const name of names) {
    const entries = await tenant.readEntries(name, {});
    const stored = entries.filter(({ type }) => type === "message").map(({ id }) => id);
    counts.acknowledged += ids.length;
    counts.lost += ids.filter((id) => !stored.includes(id)).length;
    counts.duplicated += stored.length - new Set(stored).size;
    const records = entries.filter(({ type }) => type === "summary").length;
    if (records !== 1) violations.push(`${name}: ${records} records`);
  }
  await store.close();
  return { name: "postgres", ...counts, violations, remarks: `${names.length} sessions, one record each, six points` };
}
