/**
 * Two hundred concurrent sessions that append and prompt: on SQLite with one server, on PostgreSQL with two servers and
 * a worker. A server built from LangGraph's packages gets the same requests by the same tool, one after the other, in
 * rounds.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { mustBe, NOTHING_MEASURED, roundFigure, type StorePart } from "../store/part.ts";
import { messageTokens } from "../turn-cost/conversation.ts";
import { type ServerRequest, toMegabytes } from "./part.ts";
import { BUDGET_TOKENS, countInLog, type LoadResult, type LogCount, runLoad } from "./run-load.ts";
import { type PeerMedium, type StartedProcess, startPeer, startServer, startWorker } from "./start-process.ts";

const SESSIONS = 200;
const SIZES = {
  quick: { sessions: SESSIONS, seconds: 5, rounds: 1 },
  usual: { sessions: SESSIONS, seconds: 40, rounds: 2 },
  long: { sessions: SESSIONS, seconds: 120, rounds: 2 },
} as const;
/** Limit for the growth of the resident memory, from the middle of a run to its end. */
const MAX_GROWTH = 1.1;

type Medium = "sqlite" | "postgres";

interface Round {
  readonly loaded: LoadResult;
  readonly counted: LogCount | undefined;
  readonly exitCodes: readonly (number | null)[];
}

export const measureSqlite = (request: ServerRequest): Promise<StorePart> => measure(request, "sqlite");

export async function measurePostgres(request: ServerRequest): Promise<StorePart> {
  if (request.postgres !== undefined) return measure(request, "postgres");
  const note = "postgres: not measured, because PostgreSQL could not be started";
  return { ...NOTHING_MEASURED, musts: mustsOf("postgres", [], []), notes: [note] };
}

const OUR_NAMES = {
  sqlite: "Palimpsest, SQLite, 1 server",
  postgres: "Palimpsest, Postgres, 2 servers, 1 worker",
} as const;
const PEER_NAMES = {
  "sqlite-full": "LangGraph, SQLite, as durable, 1 server",
  sqlite: "LangGraph, SQLite, default settings, 1 server",
  postgres: "LangGraph, Postgres, 2 servers",
} as const;

async function measure(request: ServerRequest, medium: Medium): Promise<StorePart> {
  const { rounds, sessions, seconds } = SIZES[request.size];
  // Only a peer with the same guarantees is compared; the other one is only shown.
  const [equal, ...others]: readonly PeerMedium[] = medium === "sqlite" ? ["sqlite-full", "sqlite"] : [medium];
  const [ours, theirs, rows]: [Round[], Round[], StorePart["rows"][number][]] = [[], [], []];
  const note = (name: string, round: Round): Round => {
    const { perSecond, p99Ms, errors } = round.loaded;
    request.say(`${name}: ${Math.round(perSecond)} requests/s, p99 ${p99Ms} ms, ${errors} errors`);
    rows.push(rowOf(name, round));
    return round;
  };
  for (let round = 0; round < rounds; round += 1) {
    ours.push(note(OUR_NAMES[medium], await playOurs(request, medium, round)));
    if (!request.hasPeers || equal === undefined) continue;
    theirs.push(note(PEER_NAMES[equal], await playPeer(request, equal, round)));
    for (const other of others) note(PEER_NAMES[other], await playPeer(request, other, round));
  }
  const musts = mustsOf(medium, ours, theirs);
  return {
    rows,
    // Memory that is filled for the first time is not counted as growth.
    musts: request.size === "quick" ? musts.filter(({ text }) => !text.includes("memory")) : musts,
    notes: [
      `${medium}: ${sessions} connections of autocannon, a session each, ${seconds} s a round after each was answered once; alternately a prompt of at most ${BUDGET_TOKENS} tokens with its question, and an answer; messages of ${messageTokens} tokens; the tool runs on the same cores; errors of a peer are connections that it never accepted`,
    ],
  };
}

async function playOurs({ folder, size, postgres }: ServerRequest, medium: Medium, round: number): Promise<Round> {
  const { sessions, seconds } = SIZES[size];
  const place = join(folder, `ours-${medium}-${round}`);
  mkdirSync(place);
  const store = medium === "sqlite" ? `sqlite:${join(place, "chats.db")}` : ((await postgres?.newDatabase()) ?? "");
  const shared = { store, home: place };
  const servers =
    medium === "sqlite"
      ? [await startServer(shared)]
      : [await startServer({ ...shared, jobs: "pg-boss" }), await startServer({ ...shared, jobs: "pg-boss" })];
  const worker = medium === "sqlite" ? [] : [await startWorker(shared)];
  const loaded = await runLoad({ folder: place, servers, sessions, seconds });
  const exitCodes = await endAll([...servers, ...worker]);
  return { loaded, counted: await countInLog(store, loaded), exitCodes };
}

async function playPeer({ folder, size, postgres }: ServerRequest, medium: PeerMedium, round: number): Promise<Round> {
  const { sessions, seconds } = SIZES[size];
  const place = join(folder, `peer-${medium}-${round}`);
  mkdirSync(place);
  const address = medium === "postgres" ? ((await postgres?.newDatabase()) ?? "") : join(place, "threads.db");
  const servers = [await startPeer(medium, address)];
  if (medium === "postgres") servers.push(await startPeer(medium, address));
  const loaded = await runLoad({ folder: place, servers, sessions, seconds });
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

function mustsOf(medium: Medium, ours: readonly Round[], theirs: readonly Round[]): StorePart["musts"] {
  const most = (pick: (round: Round) => number | undefined) =>
    ours.length === 0 ? undefined : Math.max(...ours.map((round) => pick(round) ?? Number.POSITIVE_INFINITY));
  const rate = (rounds: readonly Round[]) => middle(rounds.map(({ loaded }) => loaded.perSecond));
  const p99 = (rounds: readonly Round[]) => middle(rounds.map(({ loaded }) => loaded.p99Ms));
  const kept = ours.reduce((sum, { counted }) => sum + (counted?.acknowledged ?? 0), 0);
  const [ourRate, theirRate] = [rate(ours), rate(theirs)];
  const beside = `${Math.round(ourRate ?? 0)}/s, p99 ${roundFigure(p99(ours))} ms; LangGraph ${Math.round(theirRate ?? 0)}/s, p99 ${roundFigure(p99(theirs))} ms`;
  const ratio = ourRate === undefined || theirRate === undefined ? undefined : ourRate / theirRate;
  return [
    mustBe({ text: `${medium}: errors`, value: most(({ loaded }) => loaded.errors), unit: "", atMost: 0 }),
    mustBe({
      text: `${medium}: acknowledged messages that are missing from the log, or in it twice`,
      value: most(({ counted }) => counted && counted.lost + counted.doubled),
      unit: "",
      atMost: 0,
      beside: `of ${kept}`,
    }),
    mustBe({
      text: `${medium}: memory at the end, relative to the middle`,
      value: most(({ loaded: { rssBytes } }) => rssBytes.end / rssBytes.middle),
      unit: "",
      atMost: MAX_GROWTH,
    }),
    mustBe({
      text: `${medium}: processes with an unclean exit`,
      value: most(({ exitCodes }) => exitCodes.filter((code) => code !== 0).length),
      unit: "",
      atMost: 0,
    }),
    ...(theirs.length === 0
      ? []
      : [
          mustBe({
            text: `${medium}: requests/s compared with LangGraph`,
            value: ratio,
            unit: "x",
            atLeast: 1,
            beside,
          }),
        ]),
  ];
}

function middle(values: readonly number[]): number | undefined {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)];
}
