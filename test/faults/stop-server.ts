/**
 * F13: SIGTERM to a server while many clients append and request prompts. It exits by itself within ten seconds with
 * code 0; it answers the requests that it accepted, without a server error; acknowledged writes are stored afterwards.
 */
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { seededRandom } from "../../src/testing/seeded-random.ts";
import { checkWritten } from "../stores/check-written.ts";
import { type WriterLine, wordsOf } from "../stores/writer-task.ts";
import type { FaultOptions, FaultResult } from "./fault.ts";
import { openPlace, type Place } from "./place.ts";
import type { ServingLine } from "./serving-child.ts";
import { startChild } from "./start-child.ts";

const SCRIPT = join(import.meta.dirname, "serving-child.ts");
const CLIENTS = 16;
const MAX_WORK_MS = 500;
const DRAIN_MS = 10_000;
/** How often to poll for the first acknowledgement, so that the server is stopped under load and not at its start. */
const LOOK_EVERY_MS = 5;

interface ServerTally {
  readonly reports: WriterLine[];
  readonly violations: string[];
  refused: number;
  cut: number;
}

export async function stopServer(name: string, place: Place, options: FaultOptions): Promise<FaultResult> {
  const random = seededRandom(options.seed);
  const until = performance.now() + options.longestMs;
  const seen: ServerTally = { reports: [], violations: [], refused: 0, cut: 0 };
  const times: number[] = [];
  let rounds = 0;
  for (; rounds < options.rounds && performance.now() < until; rounds += 1) {
    times.push(await stopOnce(place, { round: rounds, workMs: random.integer(MAX_WORK_MS), seen }));
    options.onProgress(`${name}: ${rounds + 1} of ${options.rounds} ends`);
  }
  const store = await openPlace(place);
  const { acknowledged, lost, duplicated, violations } = await checkWritten(store.tenant("local"), seen.reports);
  await store.close();
  const remarks = `ended after at most ${Math.max(0, ...times).toFixed(0)} ms; ${seen.refused} refused, ${seen.cut} found it gone`;
  const counts = { name, rounds, acknowledged, lost: lost.length, duplicated: duplicated.length, remarks };
  return { ...counts, violations: [...lost, ...violations, ...seen.violations] };
}

async function stopOnce(
  place: Place,
  { round, workMs, seen }: { readonly round: number; readonly workMs: number; readonly seen: ServerTally },
): Promise<number> {
  const address = place.kind === "postgres" ? place.path : `${place.kind}:${place.path}`;
  const child = startChild<ServingLine>({ script: SCRIPT, task: { store: address } });
  const { port } = await child.first("ready");
  const clients = Array.from({ length: CLIENTS }, (_, index) =>
    useServer(`http://127.0.0.1:${port}`, { session: `r${round}-${index}`, seen }),
  );
  const before = seen.reports.length;
  for (
    const startedAt = performance.now();
    seen.reports.length === before && performance.now() - startedAt < DRAIN_MS;
  ) {
    await setTimeout(LOOK_EVERY_MS);
  }
  await setTimeout(workMs);
  const startedAt = performance.now();
  child.process.kill("SIGTERM");
  const { code, signal, complaint } = await child.ended;
  const ms = performance.now() - startedAt;
  await Promise.all(clients);
  if (code !== 0) seen.violations.push(`It ended with ${code ?? signal}: ${complaint}`);
  if (complaint !== "") seen.violations.push(`It complained: ${complaint}`);
  if (ms > DRAIN_MS) seen.violations.push(`It took ${ms.toFixed(0)} ms to end.`);
  return ms;
}

interface ResponseBody {
  readonly messages?: readonly { readonly seq: number }[] | undefined;
  readonly error?: { readonly code: string; readonly message: string } | undefined;
}

/** Sends requests in sequence until the server is gone or reports its shutdown. */
async function useServer(
  url: string,
  { session, seen }: { readonly session: string; readonly seen: ServerTally },
): Promise<void> {
  const post = async (path: string, body: object) => {
    const headers = { "content-type": "application/json" };
    const response = await fetch(`${url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    const answered: ResponseBody = JSON.parse(await response.text());
    return { status: response.status, body: answered };
  };
  const isOver = ({ status, body }: Awaited<ReturnType<typeof post>>): boolean => {
    if (status === 200) return false;
    if (status === 503 && body.error?.code === "stopping") seen.refused += 1;
    else seen.violations.push(`${session}: ${status} ${body.error?.message}`);
    return true;
  };
  try {
    if (isOver(await post("/api/sessions", { id: session }))) return;
    for (let turn = 0; ; turn += 1) {
      const id = `${session}-${turn}/0/1`;
      const messages = [{ id, role: "user", content: wordsOf(id) }];
      const answer = await post(`/api/sessions/${session}/messages`, { messages });
      if (isOver(answer)) return;
      const seqs = (answer.body.messages ?? []).map(({ seq }) => seq);
      seen.reports.push({ type: "appended", session, ids: [id], seqs });
      if (turn % 4 === 3 && isOver(await post(`/api/sessions/${session}/prompts`, {}))) return;
    }
  } catch {
    // Nothing was acknowledged: the connection was refused, or closed between two requests.
    seen.cut += 1;
  }
}
