/**
 * Two hundred concurrent sessions that append and prompt: on SQLite with one server, on PostgreSQL with two servers and
 * a worker, and with one. A server built from LangGraph's packages gets the same requests by the same tool, one after
 * the other, in rounds. Sessions start empty and reach about thirty turns, or have some hundred turns before.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { NOTHING_MEASURED, roundFigure, type StorePart } from "../store/part.ts";
import { messageTokens } from "../turn-cost/conversation.ts";
import { judgeLoad, judgeRate, type Round, rateOf } from "./judge-load.ts";
import { type ServerRequest, toMegabytes } from "./part.ts";
import { BUDGET_TOKENS, countInLog, runLoad } from "./run-load.ts";
import { type PeerMedium, type StartedProcess, startPeer, startServer, startWorker } from "./start-process.ts";

const SESSIONS = 200;
const SIZES = {
  quick: { sessions: SESSIONS, seconds: 5, rounds: 1 },
  usual: { sessions: SESSIONS, seconds: 40, rounds: 2 },
  long: { sessions: SESSIONS, seconds: 120, rounds: 2 },
} as const;
const MAX_P99_MS = { sqlite: 400, postgres: 600 } as const;
/** Least rate of sessions with the most turns, relative to those with the fewest. */
const MIN_FLATNESS = 0.9;
/** Least rate of two servers on these cores, relative to one. */
const MIN_TWO_SERVERS = 0.9;
const PEER_TURNS = 500;

type Medium = "sqlite" | "postgres";

export const measureSqlite = (request: ServerRequest): Promise<StorePart> => measure(request, "sqlite");

export async function measurePostgres(request: ServerRequest): Promise<StorePart> {
  if (request.postgres !== undefined) return measure(request, "postgres");
  const note = "postgres: not measured, because PostgreSQL could not be started";
  const unmeasured = { name: "postgres", turnsBefore: 0, maxP99Ms: MAX_P99_MS.postgres, ours: [], theirs: [] };
  return { ...NOTHING_MEASURED, musts: judgeLoad(unmeasured), notes: [note] };
}

const OUR_NAMES = { sqlite: "Palimpsest, SQLite", postgres: "Palimpsest, Postgres" } as const;
const PEER_NAMES = {
  "sqlite-full": "LangGraph, SQLite, as durable, 1 server",
  sqlite: "LangGraph, SQLite, default settings, 1 server",
  postgres: "LangGraph, Postgres, 2 servers",
} as const;

interface Task {
  readonly request: ServerRequest;
  readonly medium: Medium;
  readonly turnsBefore: number;
  readonly note: (name: string, round: Round) => Round;
}

async function measure(request: ServerRequest, medium: Medium): Promise<StorePart> {
  const { sessions, seconds } = SIZES[request.size];
  const rows: StorePart["rows"][number][] = [];
  const musts: StorePart["musts"][number][] = [];
  const rates: (number | undefined)[] = [];
  for (const turnsBefore of request.turns) {
    const note = (name: string, round: Round): Round => {
      const { perSecond, p99Ms, errors } = round.loaded;
      const before = turnsBefore === 0 ? "" : `, ${turnsBefore} turns before`;
      request.say(
        `${name}${before}: ${Math.round(perSecond)} requests/s, p99 ${p99Ms.toFixed(0)} ms, ${errors} errors`,
      );
      rows.push(rowOf(`${name}${before}`, round));
      return round;
    };
    const played = await playCase({ request, medium, turnsBefore, note });
    musts.push(...played.musts);
    rates.push(played.rate);
  }
  if (rates.length > 1) {
    const text = `${medium}: requests/s with ${request.turns.at(-1)} turns before, compared with ${request.turns[0]}`;
    musts.push(judgeRate(text, { rate: rates.at(-1), base: rates[0], atLeast: MIN_FLATNESS }));
  }
  return {
    rows,
    // Memory that is filled for the first time is not counted as growth.
    musts: request.size === "quick" ? musts.filter(({ text }) => !text.includes("memory")) : musts,
    notes: [
      `${medium}: ${sessions} connections of autocannon, a session each, ${seconds} s a round after each was answered once; alternately a prompt of at most ${BUDGET_TOKENS} tokens with its question, and an answer; messages of ${messageTokens} tokens; the tool runs on the same cores; cpuMs and mainCpuMs are the CPU time of a request, of all threads and of the main thread; errors of a peer are connections that it never accepted`,
    ],
  };
}

async function playCase(task: Task): Promise<Pick<StorePart, "musts"> & { readonly rate: number | undefined }> {
  const { request, medium, turnsBefore, note } = task;
  const { rounds } = SIZES[request.size];
  const servers = medium === "sqlite" ? 1 : 2;
  // Only a peer with the same guarantees is compared; the other one is only shown.
  const [equal, ...others]: readonly PeerMedium[] = medium === "sqlite" ? ["sqlite-full", "sqlite"] : [medium];
  const [ours, theirs, alone]: [Round[], Round[], Round[]] = [[], [], []];
  for (let round = 0; round < rounds; round += 1) {
    ours.push(note(describeOurs(medium, servers), await playOurs(task, { round, servers })));
    if (medium === "postgres") alone.push(note(describeOurs(medium, 1), await playOurs(task, { round, servers: 1 })));
    // With more turns a peer answers a few requests a second.
    if (!request.hasPeers || equal === undefined || turnsBefore > PEER_TURNS) continue;
    theirs.push(note(PEER_NAMES[equal], await playPeer(task, { round, medium: equal })));
    for (const other of others) note(PEER_NAMES[other], await playPeer(task, { round, medium: other }));
  }
  const name = turnsBefore === 0 ? medium : `${medium}, ${turnsBefore} turns before`;
  const musts = judgeLoad({ name, turnsBefore, maxP99Ms: MAX_P99_MS[medium], ours, theirs });
  const rate = rateOf(ours);
  if (alone.length === 0) return { musts, rate };
  const text = `${name}: requests/s of two servers compared with one`;
  return { musts: [...musts, judgeRate(text, { rate, base: rateOf(alone), atLeast: MIN_TWO_SERVERS })], rate };
}

function describeOurs(medium: Medium, servers: number): string {
  const worker = medium === "postgres" ? ", 1 worker" : "";
  return `${OUR_NAMES[medium]}, ${servers} server${servers === 1 ? "" : "s"}${worker}`;
}

interface OurRound {
  readonly round: number;
  readonly servers: number;
}

async function playOurs({ request, medium, turnsBefore }: Task, { round, servers: count }: OurRound): Promise<Round> {
  const { folder, size, postgres } = request;
  const { sessions, seconds } = SIZES[size];
  const place = join(folder, `ours-${medium}-${turnsBefore}-${count}-${round}`);
  mkdirSync(place);
  const store = medium === "sqlite" ? `sqlite:${join(place, "chats.db")}` : ((await postgres?.newDatabase()) ?? "");
  const shared = { store, home: place, ...(medium === "postgres" ? { jobs: "pg-boss" as const } : {}) };
  const servers: StartedProcess[] = [];
  for (let index = 0; index < count; index += 1) servers.push(await startServer(shared));
  const worker = medium === "sqlite" ? [] : [await startWorker(shared)];
  const loaded = await runLoad({ folder: place, servers, sessions, seconds, turnsBefore });
  const exitCodes = await endAll([...servers, ...worker]);
  return { loaded, counted: await countInLog(store, loaded), exitCodes };
}

interface PeerRound {
  readonly round: number;
  readonly medium: PeerMedium;
}

async function playPeer({ request, turnsBefore }: Task, { round, medium }: PeerRound): Promise<Round> {
  const { folder, size, postgres } = request;
  const { sessions, seconds } = SIZES[size];
  const place = join(folder, `peer-${medium}-${turnsBefore}-${round}`);
  mkdirSync(place);
  const address = medium === "postgres" ? ((await postgres?.newDatabase()) ?? "") : join(place, "threads.db");
  const servers = [await startPeer(medium, address)];
  if (medium === "postgres") servers.push(await startPeer(medium, address));
  const loaded = await runLoad({ folder: place, servers, sessions, seconds, turnsBefore });
  return { loaded, counted: undefined, exitCodes: await endAll(servers) };
}

function endAll(processes: readonly StartedProcess[]): Promise<readonly (number | null)[]> {
  return Promise.all(processes.map((each) => each.end()));
}

function rowOf(name: string, { loaded, counted }: Round): StorePart["rows"][number] {
  const { rssBytes, perSecond, p50Ms, p99Ms, requests, errors, loopP99Ms, cpuMsPerRequest, mainCpuMsPerRequest } =
    loaded;
  return {
    part: "load",
    case: name,
    requests,
    perSecond: Math.round(perSecond),
    p50Ms: roundFigure(p50Ms),
    p99Ms: roundFigure(p99Ms),
    cpuMs: roundFigure(cpuMsPerRequest),
    mainCpuMs: roundFigure(mainCpuMsPerRequest),
    loopP99Ms: roundFigure(loopP99Ms),
    rssStartMb: toMegabytes(rssBytes.start),
    rssMiddleMb: toMegabytes(rssBytes.middle),
    rssEndMb: toMegabytes(rssBytes.end),
    errors,
    lost: counted?.lost ?? null,
    compactions: counted?.compactions ?? null,
  };
}
