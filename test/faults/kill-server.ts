/**
 * F5: kill -9 of PostgreSQL while processes write. In every second round one of them is killed too. The others continue
 * by themselves within five seconds after the server is back, and no acknowledged write is lost.
 */
import { setTimeout } from "node:timers/promises";
import { seededRandom } from "../../src/testing/seeded-random.ts";
import { checkWritten } from "../stores/check-written.ts";
import { type RunningWriter, startWriter } from "../stores/start-writer.ts";
import type { WriterLine } from "../stores/writer-task.ts";
import type { PostgresServer } from "../support/start-postgres.ts";
import { type FaultOptions, type FaultResult, untestedResult } from "./fault.ts";
import { openPlace, type Place } from "./place.ts";

const MAX_WORK_MS = 300;
const LOOK_EVERY_MS = 5;

export async function killServer(server: PostgresServer, options: FaultOptions): Promise<FaultResult> {
  const name = "postgres";
  const { own } = server;
  if (own === undefined)
    return untestedResult(name, "The test did not start this PostgreSQL server, so it does not kill it.");
  const random = seededRandom(options.seed);
  const until = performance.now() + options.longestMs;
  const place: Place = { kind: "postgres", path: await server.newDatabase() };
  const reports: WriterLine[] = [];
  const returns: number[] = [];
  let writers = start(place, 2, 0);
  let rounds = 0;
  for (; rounds < options.rounds && performance.now() < until; rounds += 1) {
    await Promise.all(writers.map((writer) => writer.first("appended")));
    await setTimeout(random.integer(MAX_WORK_MS));
    const doomed = rounds % 2 === 0 ? writers.slice(0, 1) : [];
    await Promise.all([own.stop("kill"), ...doomed.map((writer) => end(writer, reports))]);
    writers = writers.filter((writer) => !doomed.includes(writer));
    await own.start();
    returns.push(...(await Promise.all(writers.map((writer) => measureReturn(writer, options.reconnectMs)))));
    writers = [...writers, ...start(place, doomed.length, rounds + 1)];
    options.onProgress(`${name}: ${rounds + 1} of ${options.rounds} kills`);
  }
  for (const writer of writers) await end(writer, reports);
  const store = await openPlace(place);
  const { acknowledged, lost, duplicated, violations } = await checkWritten(store.tenant("local"), reports);
  await store.close();
  const slow = returns
    .filter((ms) => ms > options.reconnectMs)
    .map((ms) => `A client reconnected after ${ms.toFixed(0)} ms.`);
  const remarks = `back after at most ${Math.max(0, ...returns).toFixed(0)} ms`;
  const counts = { name, rounds, acknowledged, lost: lost.length, duplicated: duplicated.length, remarks };
  return { ...counts, violations: [...lost, ...violations, ...slow] };
}

function start(place: Place, count: number, round: number): readonly RunningWriter[] {
  return Array.from({ length: count }, (_, index) =>
    startWriter({ type: "endless", place, name: `r${round}-${index}`, seed: round * 2 + index }),
  );
}

async function end(writer: RunningWriter, reports: WriterLine[]): Promise<void> {
  writer.process.kill("SIGKILL");
  const { complaint } = await writer.ended;
  if (complaint !== "") throw new Error(`A writer complained: ${complaint}`);
  reports.push(...writer.lines);
}

/** Measures the time from the server's return to the next acknowledgement. */
async function measureReturn({ lines }: RunningWriter, limitMs: number): Promise<number> {
  const before = countDone(lines);
  const startedAt = performance.now();
  while (countDone(lines) === before && performance.now() - startedAt < 2 * limitMs) await setTimeout(LOOK_EVERY_MS);
  return performance.now() - startedAt;
}

function countDone(lines: readonly WriterLine[]): number {
  return lines.filter(({ type }) => type === "appended" || type === "changed").length;
}
