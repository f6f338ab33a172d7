/**
 * Once: several processes see the same triggers on shared sessions, with a summarizer behind a real socket. One record
 * is written for each trigger, every call of the summarizer is accounted for, and nothing acknowledged is lost.
 */
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { Entry } from "../../src/core/log/entry.ts";
import type { TenantStore } from "../../src/ports/store.ts";
import { type ProviderScript, startScriptedProvider } from "../support/scripted-provider.ts";
import { scriptedReplies as replies } from "../support/scripted-provider-reply.ts";
import type { PostgresServer } from "../support/start-postgres.ts";
import type { FaultOptions, FaultResult } from "./fault.ts";
import {
  BUDGET_TOKENS,
  JOURNAL,
  type OnceLine,
  type OnceTask,
  type OnceTotals,
  sessionOf,
  talkOf,
} from "./once-worker.ts";
import { openPlace, type Place } from "./place.ts";
import { type RunningChild, startChild } from "./start-child.ts";

export interface OnceOptions extends Pick<FaultOptions, "onProgress" | "longestMs"> {
  readonly name: string;
  readonly place: Place;
  readonly processes: number;
  readonly triggers: number;
  /** Restarts the store when half of the work is done. */
  readonly inTheMiddle?: (() => Promise<void>) | undefined;
}

const SESSIONS = 10;
const LOOK_EVERY_MS = 100;

/** Text without a claim, so that it is valid for every stretch. */
const SUMMARY = JSON.stringify({
  summary: "They went through one service after the other and mended what was found there.",
  keyPoints: ["Every service was looked at."],
  context: { participants: [], decisions: [], actionItems: [], unresolved: [], domainEntities: [] },
});
/** Most answers are good; some are slow, and some are useless. */
export const SCRIPT: ProviderScript = (_, index) => {
  if (index % 10 === 9) return replies.whitespace();
  return index % 3 === 0 ? replies.slow(SUMMARY) : replies.text(SUMMARY);
};

export async function runOnce(options: OnceOptions): Promise<FaultResult> {
  const { place, processes, triggers, name } = options;
  await using provider = await startScriptedProvider(SCRIPT);
  const sessions = Math.min(SESSIONS, triggers);
  const workers = Array.from({ length: processes }, (_, index) => {
    const task: OnceTask = { place, url: provider.url, name: `p${index}`, sessions, triggers };
    return startChild<OnceLine>({ script: join(import.meta.dirname, "once-worker.ts"), task });
  });
  const violations = await watch(workers, options);
  const lines = workers.flatMap((worker) => worker.lines);
  const store = await openPlace(place);
  const found = await examine(store.tenant("local"), { processes, triggers, sessions });
  await store.close();
  const totals = addUp(lines);
  const failures = lines.reduce((sum, line) => sum + (line.type === "totals" ? line.failures : 0), 0);
  violations.push(...found.violations, ...findMiscounts(totals, { requests: provider.requests.length, ...found }));
  for (const line of lines) {
    if (line.type === "done" && line.tokens > BUDGET_TOKENS) violations.push(`A prompt had ${line.tokens} tokens.`);
  }
  const { calls, records, rejected, lost, unasked } = totals;
  return {
    name: `${name}, ${processes} × ${triggers}`,
    rounds: lines.filter(({ type }) => type === "done").length,
    acknowledged: found.expected,
    lost: found.lost,
    duplicated: found.duplicated,
    violations,
    remarks:
      `${found.records} records; ${calls} calls = ${records} by the model + ${rejected} rejected + ${lost} lost leases; ` +
      `${unasked} times no model was called; ${failures} failures retried`,
  };
}

/** Creates a database on a server that is restarted when half of the work is done. */
export async function createRestartingPlace(
  server: PostgresServer,
): Promise<Pick<OnceOptions, "place" | "inTheMiddle">> {
  const { own } = server;
  const inTheMiddle = async () => {
    await own?.stop("fast");
    await own?.start();
  };
  const place: Place = { kind: "postgres", path: await server.newDatabase() };
  return own === undefined ? { place } : { place, inTheMiddle };
}

type Worker = RunningChild<OnceLine>;

/** Returns the errors of the processes themselves. */
async function watch(workers: readonly Worker[], options: OnceOptions): Promise<string[]> {
  const { processes, triggers, inTheMiddle, onProgress, longestMs } = options;
  const until = performance.now() + longestMs;
  const countDone = () =>
    workers.reduce((sum, { lines }) => sum + lines.filter(({ type }) => type === "done").length, 0);
  const ends = Promise.all(workers.map(({ ended }) => ended));
  let isOver = false;
  void ends.then(() => {
    isOver = true;
  });
  let hasHappened = inTheMiddle === undefined;
  while (!isOver && performance.now() < until) {
    await setTimeout(LOOK_EVERY_MS);
    onProgress(`${options.name}: ${countDone()} of ${processes * triggers} seen`);
    if (hasHappened || countDone() < (processes * triggers) / 2) continue;
    hasHappened = true;
    await inTheMiddle?.();
  }
  const violations = isOver ? [] : ["The time was up before all processes had seen every trigger."];
  if (!hasHappened) violations.push("All work was done before the server was restarted.");
  for (const worker of workers) worker.process.kill("SIGKILL");
  for (const { code, complaint } of await ends) {
    if (code !== 0 || complaint !== "") violations.push(`A process ended with ${code}: ${complaint.slice(0, 500)}`);
  }
  return violations;
}

function addUp(lines: readonly OnceLine[]): OnceTotals {
  const totals = lines.flatMap((line) => (line.type === "totals" ? [line.totals] : []));
  const sum = (key: keyof OnceTotals) => totals.reduce((all, each) => all + each[key], 0);
  return {
    calls: sum("calls"),
    records: sum("records"),
    rejected: sum("rejected"),
    lost: sum("lost"),
    unasked: sum("unasked"),
  };
}

interface OnceFindings {
  readonly expected: number;
  readonly lost: number;
  readonly duplicated: number;
  readonly records: number;
  readonly recordsByModel: number;
  readonly violations: readonly string[];
}

async function examine(
  tenant: TenantStore,
  { processes, triggers, sessions }: Pick<OnceTask, "triggers" | "sessions"> & { readonly processes: number },
): Promise<OnceFindings> {
  const violations: string[] = [];
  const numbers = Array.from({ length: triggers }, (_, trigger) => trigger);
  const expected = new Map([
    [JOURNAL, numbers.flatMap((trigger) => Array.from({ length: processes }, (_, at) => `p${at}-${trigger}`))],
  ]);
  for (let at = 0; at < sessions; at += 1) {
    const own = numbers.filter((trigger) => trigger % sessions === at);
    expected.set(
      sessionOf(at, sessions),
      own.flatMap((trigger) => talkOf(trigger).map(({ id }) => id)),
    );
  }
  const counts = { expected: 0, lost: 0, duplicated: 0, records: 0, recordsByModel: 0 };
  for (const [id, ids] of expected) {
    const entries = await tenant.readEntries(id, {});
    const stored = entries.filter(({ type }) => type === "message").map((entry) => entry.id);
    counts.expected += ids.length;
    counts.lost += ids.filter((each) => !stored.includes(each)).length;
    counts.duplicated += stored.length - new Set(stored).size;
    if (entries.some(({ seq }, index) => seq !== index + 1)) violations.push(`${id} has a gap.`);
    const records = recordsOf(entries);
    const own = id === JOURNAL ? 0 : numbers.filter((trigger) => sessionOf(trigger, sessions) === id).length;
    if (records.length !== own) violations.push(`${id} has ${records.length} records for ${own} triggers.`);
    violations.push(...findBrokenChain(records).map((text) => `${id}: ${text}`));
    counts.records += records.length;
    counts.recordsByModel += records.filter(({ strategy }) => strategy !== "offline").length;
  }
  return { ...counts, violations };
}

function recordsOf(entries: readonly Entry[]) {
  return entries.flatMap((entry) => (entry.type === "summary" ? [entry.record] : []));
}

/** Each summary must have the previous one as its parent and cover more. */
function findBrokenChain(records: ReturnType<typeof recordsOf>): readonly string[] {
  return records.flatMap((record, index) => {
    const before = records[index - 1];
    if (record.parentId !== before?.id) return [`record ${index} does not have the previous record as its parent`];
    const isFurther = record.coverage.lastSeq > (before?.coverage.lastSeq ?? 0);
    return isFurther ? [] : [`record ${index} covers no more than the previous record`];
  });
}

function findMiscounts(
  { calls, records, rejected, lost }: OnceTotals,
  { requests, recordsByModel }: { readonly requests: number; readonly recordsByModel: number },
): readonly string[] {
  const violations: string[] = [];
  if (calls !== requests)
    violations.push(`The provider received ${requests} requests, and ${calls} calls were reported.`);
  if (records !== recordsByModel)
    violations.push(`${records} records were reported, and ${recordsByModel} are stored.`);
  if (calls !== records + rejected + lost)
    violations.push(`${calls} calls are not ${records} + ${rejected} + ${lost}.`);
  return violations;
}
