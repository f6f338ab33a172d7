/**
 * Single messages, each durable when it is acknowledged (WAL, synchronous FULL), with the search index: through the
 * store, and through a session, compared with one insert and commit for each message in a bare file. The event loop
 * runs once between two appends, as in a server, so that the rate includes the indexing.
 */
import { createReadStream } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { DatabaseSync } from "node:sqlite";
import { setImmediate as nextLoop } from "node:timers/promises";
import { EMPTY_HEAD } from "../../src/core/log/head.ts";
import { openPalimpsest } from "../../src/index.ts";
import { openSqliteStore } from "../../src/stores/sqlite/open-sqlite-store.ts";
import type { TurnMessage } from "../turn-cost/contestant.ts";
import { draftMessage } from "./drafts.ts";
import { measureTime, mustBe, roundFigure, type StorePart, type StoreRequest, timesOf } from "./part.ts";

const MESSAGES = 10_000;
const QUICK_MESSAGES = 3_000;
/** Rounds of all cases in turn, so that a busy moment of the machine affects all of them. */
const ROUNDS = 5;
const WARMING = 200;
const MAX_P99_MS = 10;
const MIN_APPENDS_PER_SECOND = 2_000;
const MIN_INDEXED_APPENDS_PER_SECOND = 1_000;

type Append = (message: TurnMessage, index: number) => Promise<unknown> | unknown;

interface Case {
  readonly name: string;
  start(path: string): Promise<{ readonly append: Append; close(): Promise<void> | void }>;
}

const BARE = "bare file, one insert and commit";
const STORE = "TenantStore.append";
const SESSION = "session.append";

const CASES: readonly Case[] = [
  { name: BARE, start: async (path) => startBare(path) },
  {
    name: STORE,
    async start(path) {
      const store = await openSqliteStore(path);
      const tenant = store.tenant("local");
      await tenant.createSession({ id: "one", createdAt: 0 }, EMPTY_HEAD);
      const append: Append = ({ role, content }, index) =>
        tenant.append("one", { entries: [draftMessage({ id: `message-${index}`, at: index, role, content })] });
      return { append, close: () => store.close() };
    },
  },
  {
    name: SESSION,
    async start(path) {
      const palimpsest = await openPalimpsest({ store: `sqlite:${path}` });
      const session = await palimpsest.session("one");
      return { append: ({ role, content }) => session.append([{ role, content }]), close: () => palimpsest.close() };
    },
  },
];

interface AppendFigures {
  readonly name: string;
  readonly appendMs: number[];
  readonly roundsPerSecond: number[];
  /** CPU time of one append and its share of the index, in each round. */
  readonly roundsCpuMs: number[];
}

interface Round {
  readonly appendMs: readonly number[];
  readonly perSecond: number;
  readonly cpuMs: number;
}

export async function measureAppends(request: StoreRequest): Promise<StorePart> {
  const messages = await readMessages(request.conversationFile, request.isQuick ? QUICK_MESSAGES : MESSAGES);
  const measured: AppendFigures[] = CASES.map(({ name }) => ({
    name,
    appendMs: [],
    roundsPerSecond: [],
    roundsCpuMs: [],
  }));
  for (let round = 0; round < ROUNDS; round += 1) {
    const share = messages.slice((round * messages.length) / ROUNDS, ((round + 1) * messages.length) / ROUNDS);
    for (const [index, { name, start }] of CASES.entries()) {
      const path = join(request.folder, `append-${index}-${round}.db`);
      const { appendMs, perSecond, cpuMs } = await measureCase(await start(path), share);
      measured[index]?.appendMs.push(...appendMs);
      measured[index]?.roundsPerSecond.push(perSecond);
      measured[index]?.roundsCpuMs.push(cpuMs);
      request.say(`${name}: ${Math.round(perSecond)}/s`);
    }
  }
  return {
    rows: measured.map(({ name, appendMs, roundsPerSecond, roundsCpuMs }) => ({
      part: "append",
      case: `${name}, SQLite`,
      messages: appendMs.length,
      perSecond: Math.round(middle(roundsPerSecond)),
      p50Ms: roundFigure(timesOf(appendMs).p50Ms),
      p99Ms: roundFigure(timesOf(appendMs).p99Ms),
      cpuMs: roundFigure(middle(roundsCpuMs)),
      remark: name === BARE ? null : "indexed in the background",
    })),
    musts: mustsOf(measured),
    notes: [
      `append: ${ROUNDS} rounds of all cases in turn on new files, the median round's rate; includes the time between two appends, in which texts are indexed; FULL, WAL; cpuMs is the CPU time of one append with its share of the index`,
    ],
  };
}

async function measureCase(
  { append, close }: Awaited<ReturnType<Case["start"]>>,
  messages: readonly TurnMessage[],
): Promise<Round> {
  for (const [index, message] of messages.slice(0, WARMING).entries()) await append(message, -1 - index);
  const appendMs: number[] = [];
  const before = process.cpuUsage();
  const { ms: wholeMs } = await measureTime(async () => {
    for (const [index, message] of messages.entries()) {
      const { ms } = await measureTime(() => append(message, index));
      appendMs.push(ms);
      await nextLoop();
    }
  });
  const { user, system } = process.cpuUsage(before);
  await close();
  const count = messages.length;
  return { appendMs, perSecond: (count / wholeMs) * 1_000, cpuMs: (user + system) / 1_000 / count };
}

function startBare(path: string) {
  const database = new DatabaseSync(path);
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
    CREATE TABLE said (seq INTEGER PRIMARY KEY, role TEXT NOT NULL, content TEXT NOT NULL) STRICT`);
  const insert = database.prepare("INSERT INTO said (role, content) VALUES (?, ?)");
  const append: Append = ({ role, content }) => insert.run(role, content);
  return { append, close: () => database.close() };
}

function mustsOf(measured: readonly AppendFigures[]) {
  const find = (name: string) => measured.find((each) => each.name === name);
  const rate = (name: string) => middle(find(name)?.roundsPerSecond ?? []);
  const beside = `bare file ${Math.round(rate(BARE))}/s`;
  return [
    ...[STORE, SESSION].map((name) =>
      mustBe({
        text: `durable single appends on SQLite through ${name}`,
        value: rate(name),
        unit: "/s",
        atLeast: MIN_APPENDS_PER_SECOND,
        beside: `${beside}, ${(rate(name) / rate(BARE)).toFixed(2)} of it`,
      }),
    ),
    mustBe({
      text: `session.append with an up-to-date index, rate`,
      value: rate(SESSION),
      unit: "/s",
      atLeast: MIN_INDEXED_APPENDS_PER_SECOND,
    }),
    mustBe({
      text: "session.append with an up-to-date index, p99",
      value: timesOf(find(SESSION)?.appendMs ?? []).p99Ms,
      unit: " ms",
      atMost: MAX_P99_MS,
      beside: `bare file ${timesOf(find(BARE)?.appendMs ?? []).p99Ms.toFixed(2)} ms`,
    }),
  ];
}

function middle(values: readonly number[]): number {
  return timesOf(values).p50Ms;
}

async function readMessages(path: string, count: number): Promise<readonly TurnMessage[]> {
  const messages: TurnMessage[] = [];
  for await (const line of createInterface({ input: createReadStream(path) })) {
    messages.push(JSON.parse(line) as TurnMessage);
    if (messages.length === count) break;
  }
  return messages;
}
