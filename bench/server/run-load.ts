/**
 * Runs one load on running servers: creates their sessions, starts the load tool, and reads the servers' resources
 * before, halfway and after. `countInLog` then counts which acknowledged messages are in the log.
 */
import { fork } from "node:child_process";
import { on } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { openPalimpsest } from "../../src/index.ts";
import { atExit } from "../shared/at-exit.ts";
import type { LoadFigures, LoadReport, LoadTask } from "./load.ts";
import { appendTurns, askOnce, createSession } from "./send-requests.ts";
import type { StartedProcess } from "./start-process.ts";

export interface LoadRequest {
  readonly folder: string;
  readonly servers: readonly StartedProcess[];
  readonly sessions: number;
  readonly seconds: number;
  /** Turns that each session has before the load. */
  readonly turnsBefore?: number | undefined;
}

export interface LoadResult extends LoadFigures {
  /** Memory of all servers together. */
  readonly rssBytes: { readonly start: number; readonly middle: number; readonly end: number };
  readonly loopP99Ms: number;
  /** CPU time of all servers, divided by the requests. Depends less on other processes than the times do. */
  readonly cpuMsPerRequest: number;
  /** The same for the main threads alone. */
  readonly mainCpuMsPerRequest: number;
  readonly acknowledged: Readonly<Record<string, readonly string[]>>;
}

export const BUDGET_TOKENS = 4_000;

export async function runLoad(request: LoadRequest): Promise<LoadResult> {
  const { folder, servers, sessions, seconds, turnsBefore = 0 } = request;
  const ids = Array.from({ length: sessions }, (_, index) => `session-${index}`);
  const targets = servers.map(({ url }, place) => ({
    url,
    sessionIds: ids.filter((_, index) => index % servers.length === place),
  }));
  for (const { url, sessionIds } of targets) await prepareSessions(url, { sessionIds, turns: turnsBefore });
  const acknowledgedFile = join(folder, "acknowledged.json");
  const load = startLoad({ targets, budgetTokens: BUDGET_TOKENS, seconds, acknowledgedFile });
  await load.next();
  const start = await readAllResources(servers);
  await pause(seconds * 500);
  const middle = await readAllResources(servers);
  const report = await load.next();
  const end = await readAllResources(servers);
  if (report.type !== "end") throw new Error("the load tool sent an unexpected report");
  return {
    ...report.figures,
    rssBytes: { start: start.rssBytes, middle: middle.rssBytes, end: end.rssBytes },
    loopP99Ms: Math.max(middle.loopP99Ms, end.loopP99Ms),
    cpuMsPerRequest: (end.cpuMs - start.cpuMs) / report.figures.requests,
    mainCpuMsPerRequest: (end.mainCpuMs - start.mainCpuMs) / report.figures.requests,
    acknowledged: readAcknowledged(acknowledgedFile),
  };
}

const PREPARED_AT_ONCE = 4;

/** Gives each session its turns and one prompt, because the first prompt of a long session folds it. */
async function prepareSessions(
  url: string,
  { sessionIds, turns }: { readonly sessionIds: readonly string[]; readonly turns: number },
): Promise<void> {
  const waiting = [...sessionIds];
  const work = async (): Promise<void> => {
    for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
      await createSession(url, id);
      await appendTurns(url, { id, turns });
      if (turns > 0) await askOnce(url, { id, budgetTokens: BUDGET_TOKENS });
    }
  };
  await Promise.all(Array.from({ length: PREPARED_AT_ONCE }, work));
}

function startLoad(task: LoadTask): { next(): Promise<LoadReport> } {
  const script = fileURLToPath(new URL("./load.ts", import.meta.url));
  const child = fork(script, [JSON.stringify(task)], { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  child.once(
    "close",
    atExit(() => child.kill("SIGKILL")),
  );
  const reports = on(child, "message", { close: ["exit"] })[Symbol.asyncIterator]();
  return {
    async next() {
      const { value, done } = await reports.next();
      if (done === true) throw new Error("the load ended without a report");
      return value[0] as LoadReport;
    },
  };
}

function readAcknowledged(file: string): Record<string, readonly string[]> {
  return JSON.parse(readFileSync(file, "utf8"));
}

async function readAllResources(servers: readonly StartedProcess[]) {
  const figures = await Promise.all(servers.map((server) => server.readFigures()));
  return {
    rssBytes: figures.reduce((sum, { rssBytes }) => sum + rssBytes, 0),
    cpuMs: figures.reduce((sum, { cpuMs }) => sum + cpuMs, 0),
    mainCpuMs: figures.reduce((sum, { mainCpuMs }) => sum + mainCpuMs, 0),
    loopP99Ms: Math.max(...figures.map(({ loopP99Ms }) => loopP99Ms)),
  };
}

export interface LogCount {
  readonly acknowledged: number;
  readonly lost: number;
  /** Messages that are more than once in the log. */
  readonly doubled: number;
  readonly compactions: number;
}

/** Reads the log directly, without a server. */
export async function countInLog(store: string, { acknowledged }: Pick<LoadResult, "acknowledged">): Promise<LogCount> {
  const palimpsest = await openPalimpsest({ store });
  let [all, lost, doubled, compactions] = [0, 0, 0, 0];
  try {
    for (const [id, kept] of Object.entries(acknowledged)) {
      const entries = await (await palimpsest.load(id)).entries({ types: ["message", "summary"] });
      const found = entries.flatMap((entry) => (entry.type === "message" ? [String(entry.message.id)] : []));
      const distinct = new Set(found);
      all += kept.length;
      lost += kept.filter((messageId) => !distinct.has(messageId)).length;
      doubled += found.length - distinct.size;
      compactions += entries.length - found.length;
    }
    return { acknowledged: all, lost, doubled, compactions };
  } finally {
    await palimpsest.close();
  }
}
