/**
 * Measures how long recall takes in a long session: finding candidates in the store, reading them and ranking them.
 * Queries have seven words of an invented language. The first query runs before the session's words are indexed, and
 * starts the indexing in the background. After that, a cold query is the first one of a store that was just opened, and
 * a warm one uses a store that is already open. Reports wall-clock time, CPU time of this process, growth of the heap,
 * and the cost of indexing and of appending. Targets are compared with CPU time, because other work on the machine adds
 * to wall-clock time. Cold queries follow some that compile the code.
 *
 * `--messages <n>` is the length of the session (default 100,000), `--only sqlite|postgres` measures one store.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { EMPTY_HEAD } from "../src/core/log/head.ts";
import { countTokens } from "../src/core/tokens/count-tokens.ts";
import { findPassages } from "../src/engine/recall/find-passages.ts";
import type { Store, TenantStore } from "../src/ports/store.ts";
import { openPostgresStore } from "../src/stores/postgres/open-postgres-store.ts";
import { openSqliteStore } from "../src/stores/sqlite/open-sqlite-store.ts";
import { startPostgres } from "../test/support/start-postgres.ts";
import type { BenchRequest, BenchResult } from "./bench.ts";
import { type AppendCost, measureAppends } from "./recall-speed/append-cost.ts";
import { draftMessage } from "./store/drafts.ts";
import { fillStore } from "./store/fill-store.ts";
import { spokenText } from "./store/spoken-texts.ts";

const MESSAGES = 100_000;
const MESSAGES_A_BATCH = 500;
const WARM_QUERIES = 100;
const COLD_QUERIES = 40;
const BUDGET_TOKENS = 500;
/** Queries before any is measured, because they compile the code. A cold query is cold for the store, not for Node. */
const WARMING_QUERIES = 60;
const POLL_MS = 200;
const TARGET_MS = 20;
/** The heap may grow by this much over all warm queries, which is far less than the texts of the session. */
const MAX_HEAP_GROWTH_MB = 8;
const MAX_APPEND_RATIO = 1.1;
const SESSION = "long";

export async function run({ args }: BenchRequest): Promise<BenchResult> {
  const { values } = parseArgs({
    args: [...args],
    options: { messages: { type: "string" }, only: { type: "string" } },
  });
  const messages = Number(values.messages ?? MESSAGES);
  const measured: StoreMeasurement[] = [];
  if (values.only !== "postgres") measured.push(await measureSqlite(messages));
  const postgres = values.only === "sqlite" ? undefined : await measurePostgres(messages);
  if (postgres !== undefined) measured.push(postgres);
  return {
    name: "recall-speed",
    title: `Recall in a session of ${messages} messages.`,
    rows: measured.flatMap(({ rows }) => rows),
    figures: Object.fromEntries(
      measured.flatMap(({ store, warm, cold }) => [
        [`${store}, cold, p95 ms`, percentile(cold, 0.95, "ms")],
        [`${store}, cold, p95 ms of CPU`, percentile(cold, 0.95, "cpuMs")],
        [`${store}, warm, p95 ms`, percentile(warm, 0.95, "ms")],
        [`${store}, warm, p95 ms of CPU`, percentile(warm, 0.95, "cpuMs")],
      ]),
    ),
    notes: [
      ...measured.flatMap(judgeStore),
      `Each query finds its words in the index, reads at most 200 messages, and ranks them.`,
      'The row "before it is indexed" has one query, which uses the search index and the newest messages. Indexing runs in portions of a few milliseconds between other work.',
    ],
  };
}

function judgeStore({ store, cold, warm, grownMb, appends }: StoreMeasurement): readonly string[] {
  const judge = (what: string, measured: string, holds: boolean): string =>
    `must: ${store}, ${what}: ${measured}, ${holds ? "holds" : "FAILS"}`;
  const judgeTime = (state: string, timings: readonly Timing[]): string => {
    const ms = percentile(timings, 0.95, "cpuMs");
    return judge(`${state}, p95 of CPU time at most ${TARGET_MS} ms`, ms.toFixed(1), ms <= TARGET_MS);
  };
  return [
    judgeTime("cold", cold),
    judgeTime("warm", warm),
    judge(`heap grows by at most ${MAX_HEAP_GROWTH_MB} MB`, grownMb.toFixed(1), grownMb <= MAX_HEAP_GROWTH_MB),
    judge(
      `an append costs at most ${MAX_APPEND_RATIO} times as much with an index`,
      appends.ratio.toFixed(2),
      appends.ratio <= MAX_APPEND_RATIO,
    ),
    judge(
      "opening and appending need no table of the index",
      String(appends.opensWithoutIndex),
      appends.opensWithoutIndex,
    ),
  ];
}

interface StoreMeasurement {
  readonly store: string;
  readonly cold: readonly Timing[];
  readonly warm: readonly Timing[];
  readonly grownMb: number;
  readonly appends: AppendCost;
  readonly rows: BenchResult["rows"];
}

async function measureSqlite(messages: number): Promise<StoreMeasurement> {
  const folder = await mkdtemp(join(tmpdir(), "recall-speed-"));
  const path = join(folder, "long.db");
  await fillStore({ path, sessions: [{ id: SESSION, messages }], say: () => undefined });
  try {
    const database = new DatabaseSync(path, { timeout: 5_000 });
    const read = async (text: string) => database.prepare(text.replaceAll("{}", "")).all();
    const measured = await measureStore("SQLite", messages, { open: () => openSqliteStore(path), read });
    database.close();
    return measured;
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function measurePostgres(messages: number): Promise<StoreMeasurement | undefined> {
  const server = await startPostgres();
  if ("reason" in server) return undefined;
  try {
    const url = await server.newDatabase();
    await fillPostgres(url, messages);
    // PostgreSQL would do this itself after a while.
    await server.run("VACUUM ANALYZE palimpsest.entries", url);
    const read = (text: string) => server.run(text.replaceAll("{}", "palimpsest."), url);
    return await measureStore("PostgreSQL", messages, { open: () => openPostgresStore(url), read });
  } finally {
    await server.close();
  }
}

async function fillPostgres(url: string, messages: number): Promise<void> {
  const store = await openPostgresStore(url);
  const tenant = store.tenant("local");
  await tenant.createSession({ id: SESSION, createdAt: 0 }, EMPTY_HEAD);
  for (let from = 0; from < messages; from += MESSAGES_A_BATCH) {
    const length = Math.min(MESSAGES_A_BATCH, messages - from);
    const entries = Array.from({ length }, (_, offset) => {
      const index = from + offset;
      return draftMessage({ id: `message-${index}`, at: index, ...spokenText(index) });
    });
    await tenant.append(SESSION, { entries });
  }
  await store.close();
}

interface DatabaseAccess {
  open(): Promise<Store>;
  /** Runs a query; `{}` stands for the prefix of the tables' names. */
  read(text: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
}

/** Returns the time of the first query, which starts the indexing, that of the indexing, and the index's size. */
async function indexSession({ open, read }: DatabaseAccess, messages: number) {
  const store = await open();
  const first = await timed(() => recallOnce(store.tenant("local"), { index: 0, messages }));
  const indexed = await timed(async () => {
    for (let through = 0; through < messages; ) {
      await setTimeout(POLL_MS);
      const [row] = await read("SELECT max(through_seq) AS seq FROM {}word_progress");
      through = Number(row?.seq ?? 0);
    }
  });
  await store.close();
  const [size] = await read("SELECT count(*) AS entries, sum(length(places)) AS characters FROM {}word_places");
  return { first, indexed, rows: Number(size?.entries ?? 0), characters: Number(size?.characters ?? 0) };
}

async function measureStore(name: string, messages: number, database: DatabaseAccess): Promise<StoreMeasurement> {
  const { open } = database;
  const built = await indexSession(database, messages);
  const warming = await open();
  for (let index = 0; index < WARMING_QUERIES; index += 1) {
    await recallOnce(warming.tenant("local"), { index: index + 1_000, messages });
  }
  await warming.close();
  const cold: Timing[] = [];
  for (let index = 0; index < COLD_QUERIES; index += 1) {
    const opened = await open();
    cold.push(await timed(() => recallOnce(opened.tenant("local"), { index, messages })));
    await opened.close();
  }
  const store = await open();
  const tenant = store.tenant("local");
  await recallOnce(tenant, { index: 0, messages });
  const before = measureHeap();
  const warm: Timing[] = [];
  for (let index = 0; index < WARM_QUERIES; index += 1) {
    warm.push(await timed(() => recallOnce(tenant, { index: index + COLD_QUERIES, messages })));
  }
  const grownMb = (measureHeap() - before) / 1_000_000;
  const appends = await measureAppends({ store, sessionId: SESSION, run: database.read });
  await store.close();
  const row = (state: string, timings: readonly Timing[]) => ({
    store: name,
    state,
    p50Ms: percentile(timings, 0.5, "ms"),
    p95Ms: percentile(timings, 0.95, "ms"),
    cpuP50Ms: percentile(timings, 0.5, "cpuMs"),
    cpuP95Ms: percentile(timings, 0.95, "cpuMs"),
    "heap growth, MB": state === "warm" ? grownMb : null,
  });
  return {
    store: name,
    ...{ cold, warm, grownMb, appends },
    rows: [
      row("before it is indexed", [built.first]),
      row("cold", cold),
      row("warm", warm),
      {
        store: name,
        state: "indexing",
        "CPU seconds": built.indexed.cpuMs / 1_000,
        "rows of the index": built.rows,
        "characters of places": built.characters,
      },
    ],
  };
}

/** Returns the bytes of live objects. */
function measureHeap(): number {
  setFlagsFromString("--expose-gc");
  const collect: () => void = runInNewContext("gc");
  collect();
  return process.memoryUsage().heapUsed;
}

interface Timing {
  readonly ms: number;
  readonly cpuMs: number;
}

async function timed(work: () => Promise<void>): Promise<Timing> {
  const start = performance.now();
  const used = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(used);
  return { ms: performance.now() - start, cpuMs: (user + system) / 1_000 };
}

async function recallOnce(
  store: TenantStore,
  { index, messages }: { readonly index: number; readonly messages: number },
): Promise<void> {
  const words = String(spokenText((index * 7_919) % messages).content).split(" ");
  const text = `Where is ${words.slice(2, 8).join(" ")} of my ${words[15]}?`;
  const query = { text, budgetTokens: BUDGET_TOKENS, without: new Set<string>(), count: countTokens };
  await findPassages({ store, sessionId: SESSION }, query, { afterSeq: 0, throughSeq: messages });
}

function percentile(timings: readonly Timing[], share: number, key: keyof Timing): number {
  const sorted = timings.map((timing) => timing[key]).toSorted((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}
