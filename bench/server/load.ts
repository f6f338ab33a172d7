/**
 * The load of `bench server`, in its own process: autocannon with one connection for each session, which repeatedly
 * sends a question, requests a prompt and appends an answer. Timing starts when every connection has had one answer,
 * because Node accepts new connections one by one under load. It records the acknowledged messages, to search for them
 * afterwards.
 */
import { writeFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import autocannon, { type CannonClient, type CannonRequest, type CannonResult, type CannonRun } from "autocannon";
import { timesOf } from "../store/part.ts";
import { messageAt } from "../turn-cost/conversation.ts";

export interface LoadTask {
  readonly targets: readonly { readonly url: string; readonly sessionIds: readonly string[] }[];
  readonly seconds: number;
  readonly budgetTokens: number;
  /** The file for the ids of acknowledged messages, by session. */
  readonly acknowledgedFile: string;
}

export interface LoadFigures {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  readonly perSecond: number;
  readonly requests: number;
  /** Counted over the whole time. */
  readonly errors: number;
}

export type LoadReport = { readonly type: "timing" } | { readonly type: "end"; readonly figures: LoadFigures };

const DIFFERENT_MESSAGES = 500;
const MAX_ANSWER_SECONDS = 30;
const MIN_WARMING_MS = 2_000;
const MAX_WARMING_MS = 30_000;
const messages = Array.from({ length: DIFFERENT_MESSAGES }, (_, index) => messageAt(index).content);
const acknowledged: Record<string, string[]> = {};
const answered = new Set<CannonClient>();
const timesMs: number[] = [];
let isTiming = false;

if (import.meta.main) {
  const task = JSON.parse(process.argv[2] ?? "{}") as LoadTask;
  // The load must end if its parent was killed.
  process.once("disconnect", () => process.exit());
  const runs = task.targets.map(({ url, sessionIds }) => fire(url, sessionIds, task));
  await warm(task.targets.reduce((sum, { sessionIds }) => sum + sessionIds.length, 0));
  isTiming = true;
  process.send?.({ type: "timing" } satisfies LoadReport);
  const startedAt = performance.now();
  await pause(task.seconds * 1_000);
  isTiming = false;
  const elapsedMs = performance.now() - startedAt;
  for (const run of runs) run.stop();
  const results = await Promise.all(runs);
  writeFileSync(task.acknowledgedFile, JSON.stringify(acknowledged));
  process.send?.({ type: "end", figures: figuresOf(results, elapsedMs) } satisfies LoadReport, () => process.exit());
}

function fire(url: string, sessionIds: readonly string[], { seconds, budgetTokens }: LoadTask): CannonRun {
  const waiting = [...sessionIds];
  const run = autocannon({
    url,
    connections: sessionIds.length,
    duration: MAX_WARMING_MS / 1_000 + seconds + MAX_ANSWER_SECONDS,
    timeout: MAX_ANSWER_SECONDS,
    headers: { "content-type": "application/json" },
    setupClient: (client) => talk(client, waiting.shift() ?? "", budgetTokens),
  });
  run.on("response", (client, _status, _bytes, responseMs) => {
    answered.add(client);
    if (isTiming) timesMs.push(responseMs);
  });
  return run;
}

async function warm(connections: number): Promise<void> {
  const startedAt = performance.now();
  const spentMs = () => performance.now() - startedAt;
  while (spentMs() < MIN_WARMING_MS || (answered.size < connections && spentMs() < MAX_WARMING_MS)) {
    await pause(50);
  }
}

/** One session: a question with its prompt, then the answer. */
function talk(client: CannonClient, sessionId: string, budgetTokens: number): void {
  const kept: string[] = [];
  acknowledged[sessionId] = kept;
  let turn = -1;
  const textAt = (offset: number) => messages[(turn * 2 + offset) % DIFFERENT_MESSAGES] ?? "";
  const keep = (kind: "q" | "a") => (status: number) => {
    if (status === 200) kept.push(`${sessionId}-${kind}${turn}`);
  };
  const ask = (request: CannonRequest): CannonRequest => {
    turn += 1;
    const next = { id: `${sessionId}-q${turn}`, role: "user", content: textAt(0) };
    return { ...request, body: JSON.stringify({ next, provider: "openai", budgetTokens }) };
  };
  const answer = (request: CannonRequest): CannonRequest => {
    const message = { id: `${sessionId}-a${turn}`, role: "assistant", content: textAt(1) };
    return { ...request, body: JSON.stringify({ messages: [message] }) };
  };
  const base = `/api/sessions/${sessionId}`;
  client.setRequests([
    { method: "POST", path: `${base}/prompts`, setupRequest: ask, onResponse: keep("q") },
    { method: "POST", path: `${base}/messages`, setupRequest: answer, onResponse: keep("a") },
  ]);
}

function figuresOf(results: readonly CannonResult[], elapsedMs: number): LoadFigures {
  const { count, p50Ms, p99Ms, maxMs } = timesOf(timesMs);
  return {
    p50Ms,
    p99Ms,
    maxMs,
    perSecond: (count / elapsedMs) * 1_000,
    requests: count,
    errors: results.reduce((sum, { errors, timeouts, non2xx }) => sum + errors + timeouts + non2xx, 0),
  };
}
