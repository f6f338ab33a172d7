/**
 * F5 over HTTP: kill -9 of PostgreSQL under a server whose clients append, make prompts, delete messages and delete
 * sessions. A request is answered, or refused with a 503 that asks for a retry; the same request then succeeds. The
 * server is not restarted, and no acknowledged write is lost or stored twice.
 */
import { setTimeout } from "node:timers/promises";
import { type SeededRandom, seededRandom } from "../../src/testing/seeded-random.ts";
import { checkWritten } from "../stores/check-written.ts";
import { type WriterLine, wordsOf } from "../stores/writer-task.ts";
import type { PostgresServer } from "../support/start-postgres.ts";
import { startTestServer, type TestResponse, type TestServer } from "../support/start-server.ts";
import { type FaultOptions, type FaultResult, untestedResult } from "./fault.ts";
import { openPlace } from "./place.ts";

const CLIENTS = 6;
const MAX_WORK_MS = 400;
/** In every third round PostgreSQL is unavailable for longer than the server waits for it. */
const LONG_ABSENCE_MS = 6_500;
const RETRY_MS = 50;
const BUDGET_TOKENS = 1_000;

interface Scene {
  readonly server: TestServer;
  readonly reports: WriterLine[];
  readonly violations: string[];
  readonly counts: { refused: number; prompts: number };
  isOver: boolean;
}

export async function killServerOverHttp(postgres: PostgresServer, options: FaultOptions): Promise<FaultResult> {
  const name = "postgres, over HTTP";
  const { own } = postgres;
  if (own === undefined)
    return untestedResult(name, "The test did not start this PostgreSQL server, so it does not kill it.");
  const random = seededRandom(options.seed);
  const until = performance.now() + options.longestMs;
  const path = await postgres.newDatabase();
  await using server = await startTestServer({ store: path, engine: { budgetTokens: BUDGET_TOKENS } });
  const scene: Scene = { server, reports: [], violations: [], counts: { refused: 0, prompts: 0 }, isOver: false };
  const clients = Array.from({ length: CLIENTS }, (_, index) => useServer(scene, `s${index}`, random));
  const returns: number[] = [];
  let rounds = 0;
  for (; rounds < options.rounds && performance.now() < until; rounds += 1) {
    await waitForMore(scene, options.reconnectMs);
    await setTimeout(random.integer(MAX_WORK_MS));
    await own.stop("kill");
    if (rounds % 3 === 2) await setTimeout(LONG_ABSENCE_MS);
    await own.start();
    returns.push(await waitForMore(scene, options.reconnectMs));
    options.onProgress(`${name}: ${rounds + 1} of ${options.rounds} kills`);
  }
  scene.isOver = true;
  await Promise.all(clients);
  const store = await openPlace({ kind: "postgres", path });
  const { acknowledged, lost, duplicated, violations } = await checkWritten(store.tenant("local"), scene.reports);
  await store.close();
  const slow = returns
    .filter((ms) => ms > options.reconnectMs)
    .map((ms) => `The server was back after ${ms.toFixed(0)} ms.`);
  const counts = { name, rounds, acknowledged, lost: lost.length, duplicated: duplicated.length };
  return {
    ...counts,
    violations: [...lost, ...violations, ...scene.violations, ...slow],
    remarks: `${describe(scene)}; back after at most ${Math.max(0, ...returns).toFixed(0)} ms`,
  };
}

function describe({ reports, counts: { refused, prompts } }: Scene): string {
  const count = (type: WriterLine["type"]) => reports.filter((line) => line.type === type).length;
  const deleted = `${count("erased")} messages and ${count("deleted")} sessions deleted`;
  return `${count("appended")} appends, ${prompts} prompts, ${deleted}; ${refused} refused with 503 and repeated`;
}

/** Waits for the next acknowledgement, and returns how long that took. */
async function waitForMore({ reports }: Scene, limitMs: number): Promise<number> {
  const countDone = () => reports.filter(({ type }) => type === "appended").length;
  const [before, startedAt] = [countDone(), performance.now()];
  while (countDone() === before && performance.now() - startedAt < 2 * limitMs) await setTimeout(1);
  return performance.now() - startedAt;
}

/**
 * Repeats a request until it is answered. If the first answer was lost, the session may already exist or be deleted.
 */
async function insist(
  { server, violations, counts }: Scene,
  ask: { readonly method: string; readonly path: string; readonly body?: unknown },
): Promise<TestResponse> {
  for (let attempt = 1; ; attempt += 1) {
    const answered = await server.ask(ask.method, `/api/sessions${ask.path}`, ask.body);
    const { status, body } = answered;
    const isDone = ask.method === "DELETE" ? status === 404 : ask.path === "" && status === 409;
    if (status === 200 || (isDone && attempt > 1)) return answered;
    if (status !== 503 || body.error.retryable !== true || answered.headers.get("retry-after") === null) {
      violations.push(`${ask.method} ${ask.path} answered ${status}: ${JSON.stringify(body)}`);
      return answered;
    }
    counts.refused += 1;
    await setTimeout(RETRY_MS);
  }
}

async function useServer(scene: Scene, session: string, random: SeededRandom): Promise<void> {
  const { reports } = scene;
  await insist(scene, { method: "POST", path: "", body: { id: session } });
  for (let turn = 0; !scene.isOver; turn += 1) {
    const id = await say(scene, session, turn);
    const choice = random.integer(10);
    if (choice < 3) {
      await insist(scene, { method: "POST", path: `/${session}/prompts`, body: {} });
      scene.counts.prompts += 1;
    } else if (choice === 3) {
      reports.push({ type: "erasing", session, ids: [id] });
      await insist(scene, { method: "DELETE", path: `/${session}/messages/${encodeURIComponent(id)}` });
      reports.push({ type: "erased", session, ids: [id] });
    } else if (choice === 4) await createAndDelete(scene, `${session}-${turn}-extra`);
  }
}

async function say(scene: Scene, session: string, turn: number): Promise<string> {
  const id = `${session}-${turn}/0/1`;
  const content = `${wordsOf(id)} ${"It was said over HTTP. ".repeat(6)}`;
  const { status, body } = await insist(scene, {
    method: "POST",
    path: `/${session}/messages`,
    body: { messages: [{ id, role: "user", content }] },
  });
  if (status === 200) scene.reports.push({ type: "appended", session, ids: [id], seqs: [body.messages[0].seq] });
  return id;
}

async function createAndDelete(scene: Scene, session: string): Promise<void> {
  await insist(scene, { method: "POST", path: "", body: { id: session } });
  await say(scene, session, 0);
  scene.reports.push({ type: "deleting", session });
  await insist(scene, { method: "DELETE", path: `/${session}` });
  scene.reports.push({ type: "deleted", session });
}
