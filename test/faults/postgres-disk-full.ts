/**
 * F4 on PostgreSQL, over HTTP: a disk of the database server is full. If the tables have no space, writes are refused
 * with 507, and reads work. If the write-ahead log has none, PostgreSQL exits, and requests are refused with 503 until
 * it is started again. Either way nothing that was acknowledged is missing, and the Palimpsest server continues by
 * itself.
 */
import { randomBytes } from "node:crypto";
import { chmodSync, chownSync, mkdirSync, rmSync, statfsSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { type SeededRandom, seededRandom } from "../../src/testing/seeded-random.ts";
import { checkWritten } from "../stores/check-written.ts";
import type { TemporaryFolder } from "../stores/temporary-folder.ts";
import { type WriterLine, wordsOf } from "../stores/writer-task.ts";
import { mountDisk } from "../support/small-disk.ts";
import { type PostgresServer, startPostgres } from "../support/start-postgres.ts";
import { startTestServer, type TestResponse, type TestServer } from "../support/start-server.ts";
import { type FaultOptions, type FaultResult, RECONNECT_MS, untestedResult } from "./fault.ts";
import { openPlace } from "./place.ts";

/** The part of the server that is on the small disk: its whole folder, only the tables, or only the write-ahead log. */
export const FULL_PARTS = ["data", "tables", "log"] as const;
export type FullPart = (typeof FULL_PARTS)[number];

/** An empty server has 40 MB, its write-ahead log 16 MB. */
const DISK_BYTES = { data: 256 * 2 ** 20, tables: 40 * 2 ** 20, log: 40 * 2 ** 20 };
const FREE_BYTES = 1_000_000;
const FREE_VARIES = 4_000_000;
const SESSIONS = ["a", "b", "c", "d"];
const REFUSALS = 3;
const MAX_APPENDS = 2_000;
const MAX_TEXT_BYTES = 20_000;

interface Scene {
  readonly part: FullPart;
  readonly server: TestServer;
  readonly postgres: PostgresServer;
  readonly random: SeededRandom;
  readonly reports: WriterLine[];
  /** Ids that a response reported as not written. */
  readonly refused: Set<string>;
  readonly violations: string[];
  readonly counts: { refused: number; unanswered: number; messages: number; sessions: number; ended: number };
}

export async function fillPostgres(
  part: FullPart,
  folder: TemporaryFolder,
  options: FaultOptions,
): Promise<FaultResult> {
  const name = `postgres, ${part}`;
  const random = seededRandom(options.seed);
  const until = performance.now() + options.longestMs;
  const sums = { acknowledged: 0, lost: 0, duplicated: 0 };
  const counts = { refused: 0, unanswered: 0, messages: 0, sessions: 0, ended: 0 };
  const violations: string[] = [];
  let rounds = 0;
  for (; rounds < options.rounds && performance.now() < until; rounds += 1) {
    using mounted = mountDisk(folder.newPath(), DISK_BYTES[part]);
    const { path: disk, reason } = mounted;
    if (reason !== undefined) return untestedResult(name, reason);
    // PostgreSQL runs as another user.
    chmodSync(dirname(disk), 0o711);
    chmodSync(disk, 0o777);
    const onDisk = { data: { folder: disk }, tables: {}, log: { logFolder: join(disk, "log") } }[part];
    const postgres = await startPostgres({ isDurable: true, ...onDisk });
    if ("reason" in postgres) return untestedResult(name, `PostgreSQL cannot be started here: ${postgres.reason}`);
    if (postgres.own === undefined)
      return untestedResult(name, "The test did not start this PostgreSQL server, so it does not fill its disk.");
    try {
      const url = part === "tables" ? await newSmallDatabase(postgres, disk) : await postgres.newDatabase();
      const scene = { part, postgres, random, reports: [], refused: new Set<string>(), violations, counts };
      const found = await fillAndEmpty(url, { disk, scene });
      sums.acknowledged += found.acknowledged;
      sums.lost += found.lost.length;
      sums.duplicated += found.duplicated.length;
      violations.push(...found.lost, ...found.violations);
    } finally {
      await postgres.close();
    }
    options.onProgress(`${name}: ${rounds + 1} of ${options.rounds} disks filled`);
  }
  return { name, rounds, ...sums, violations, remarks: describe(counts) };
}

function describe({ refused, unanswered, messages, sessions, ended }: Scene["counts"]): string {
  const deleted = `${sessions} sessions and ${messages} messages deleted while it was full`;
  return `${refused} answered 507; ${unanswered} answered 503; ${deleted}; PostgreSQL ended itself ${ended} times`;
}

async function newSmallDatabase(postgres: PostgresServer, disk: string): Promise<string> {
  const folder = join(disk, "tables");
  mkdirSync(folder);
  const [place] = await postgres.run("SHOW data_directory");
  const { uid, gid } = statSync(String(place?.data_directory));
  chownSync(folder, uid, gid);
  await postgres.run(`CREATE TABLESPACE small LOCATION '${folder}'`);
  const url = new URL(await postgres.newDatabase());
  await postgres.run(`ALTER DATABASE ${url.pathname.slice(1)} SET TABLESPACE small`);
  return url.href;
}

async function fillAndEmpty(
  url: string,
  { disk, scene: begun }: { readonly disk: string; readonly scene: Omit<Scene, "server"> },
) {
  await using server = await startTestServer({ store: url });
  const scene: Scene = { ...begun, server };
  const { random, violations } = scene;
  for (const id of SESSIONS) {
    await server.ask("POST", "/api/sessions", { id });
    await say(scene, { session: id, turn: 0, bytes: 10 });
  }
  // The first deletion of a database needs new pages in indexes that are empty until then.
  await server.ask("POST", "/api/sessions/d/messages", { messages: { role: "user", content: "Gone.", id: "gone" } });
  await server.ask("DELETE", "/api/sessions/d/messages/gone");
  const ballast = join(disk, "ballast");
  const { bavail, bsize } = statfsSync(disk);
  writeFileSync(ballast, Buffer.alloc(bavail * bsize - FREE_BYTES - random.integer(FREE_VARIES)));
  await Promise.all(SESSIONS.map((session) => appendUntilFull(scene, session)));
  const isRunning = await isAnswering(scene);
  if (isRunning) await useWhenFull(scene);
  rmSync(ballast);
  if (!isRunning) {
    scene.counts.ended += 1;
    await scene.postgres.own?.stop("kill");
    await scene.postgres.own?.start();
  }
  await expectAppends(scene);
  const store = await openPlace({ kind: "postgres", path: url });
  const tenant = store.tenant("local");
  const findings = await checkWritten(tenant, scene.reports);
  for (const session of SESSIONS) {
    const stored = new Set((await tenant.readEntries(session, { types: ["message"] })).map(({ id }) => id));
    for (const id of scene.refused) if (stored.has(id)) violations.push(`${id} was refused, and is there`);
  }
  await store.close();
  return findings;
}

interface Words {
  readonly session: string;
  readonly turn: number;
  readonly bytes: number;
}

/** Appends random bytes, which PostgreSQL cannot compress. */
async function say(scene: Scene, { session, turn, bytes }: Words): Promise<TestResponse> {
  const id = `${session}-${turn}/0/1`;
  const content = `${wordsOf(id)} ${randomBytes(bytes).toString("base64")}`;
  const answered = await scene.server.ask("POST", `/api/sessions/${session}/messages`, {
    messages: { role: "user", content, id },
  });
  const { status, body } = answered;
  if (status === 200) scene.reports.push({ type: "appended", session, ids: [id], seqs: [body.messages[0].seq] });
  else checkRefusal(scene, answered);
  if (status === 507 && body.error.details.outcome !== "unknown") scene.refused.add(id);
  return answered;
}

/** 507 for a full disk, 503 if PostgreSQL is not running; a retry can help with both. */
function checkRefusal({ part, violations, counts }: Scene, { status, body }: TestResponse): void {
  if (status === 507) counts.refused += 1;
  else counts.unanswered += 1;
  const { code, retryable, details } = body.error;
  const isExpected = code === "store-unavailable" && retryable === true;
  const isFull = details?.reason === "disk-full";
  if (!isExpected || (status === 507) !== isFull || (status !== 507 && status !== 503))
    violations.push(`an append answered ${status}: ${JSON.stringify(body)}`);
  // PostgreSQL ended while it wrote its log, which may contain the message.
  if (part === "log" && isFull && details.outcome !== "unknown") violations.push('The outcome is not "unknown".');
}

async function appendUntilFull(scene: Scene, session: string): Promise<void> {
  let refusals = 0;
  for (let turn = 1; refusals < REFUSALS && turn < MAX_APPENDS; turn += 1) {
    const { status } = await say(scene, { session, turn, bytes: scene.random.integer(MAX_TEXT_BYTES) });
    if (status !== 200) refusals += 1;
    // PostgreSQL is not running: every further request would wait for it.
    if (status === 503) return;
  }
  if (refusals < REFUSALS) scene.violations.push("The disk was never full.");
}

async function isAnswering({ postgres }: Scene): Promise<boolean> {
  return postgres.run("SELECT 1").then(
    () => true,
    () => false,
  );
}

/** Checks that reads work, and that a deletion works or its response reports that the disk is full. */
async function useWhenFull({ server, reports, violations, counts }: Scene): Promise<void> {
  for (const path of ["", "/messages", "/view", "/export", "/budget", "/usage"]) {
    const { status } = await server.ask("GET", `/api/sessions/a${path}`);
    if (status !== 200) violations.push(`GET ${path} on a full disk: ${status}`);
  }
  const remove = async (path: string, what: "messages" | "sessions") => {
    const { status, body } = await server.ask("DELETE", `/api/sessions/${path}`);
    if (status === 200) counts[what] += 1;
    else if (status !== 507) violations.push(`a deletion answered ${status}: ${JSON.stringify(body)}`);
    return status === 200;
  };
  const id = "a-0/0/1";
  if (await remove(`a/messages/${encodeURIComponent(id)}`, "messages"))
    reports.push({ type: "erasing", session: "a", ids: [id] }, { type: "erased", session: "a", ids: [id] });
  if (await remove("b", "sessions"))
    reports.push({ type: "deleting", session: "b" }, { type: "deleted", session: "b" });
}

async function expectAppends(scene: Scene): Promise<void> {
  const until = performance.now() + RECONNECT_MS;
  for (let turn = MAX_APPENDS; ; turn += 1) {
    const { status } = await say(scene, { session: "c", turn, bytes: MAX_TEXT_BYTES });
    if (status === 200) return;
    if (performance.now() > until) return void scene.violations.push("Nothing was written after there was room.");
    await setTimeout(100);
  }
}
