/**
 * Three hundred clients disconnect in the middle of a stream, twenty times. The server must free everything that they
 * used. Earlier rounds are not measured: the heap first grows to the size that this many clients need.
 */
import { setTimeout as pause } from "node:timers/promises";
import { mustBe, roundFigure, type StorePart, timesOf } from "../store/part.ts";
import { type ServerRequest, toMegabytes } from "./part.ts";
import { createSession } from "./send-requests.ts";
import { startClients } from "./start-clients.ts";
import { type StartedProcess, startServer } from "./start-process.ts";

const CLIENTS = 300;
const ROUNDS = 20;
const WARMING_ROUNDS = { quick: 5, usual: 60, long: 180 } as const;
const MAX_CHANGE = 0.1;
const MAX_WAIT_MS = 10_000;

export async function measureDrops({ folder, size, say }: ServerRequest): Promise<StorePart> {
  const warming = WARMING_ROUNDS[size];
  const rounds = warming + ROUNDS;
  const server = await startServer({ store: "memory:", home: folder });
  await createSession(server.url, "watched");
  const idle = await server.readFigures();
  const task = { url: `${server.url}/api/events`, clients: CLIENTS, how: "drop", rounds, mark: "event:" } as const;
  const clients = startClients(task);
  const rss: number[] = [];
  let report = await clients.next();
  for (; report.type === "round"; report = await clients.next()) {
    rss.push((await settled(server, idle.sockets)).rssBytes);
    clients.go();
  }
  await clients.ended();
  const after = await settled(server, idle.sockets);
  const streams = await readStreams(server.url);
  const exitCode = await server.end();
  if (report.type !== "end") throw new Error("the clients sent an unexpected report");
  const warm = rss.slice(warming - 1);
  const change = (warm.at(-1) ?? 0) / (warm[0] ?? 1) - 1;
  const left = Math.max(0, after.sockets - idle.sockets) + (streams ?? 0);
  say(`${CLIENTS} clients left ${rounds} times: ${left} still open, memory ${(change * 100).toFixed(1)} %`);
  const firstByte = timesOf(report.firstByteMs);
  return {
    rows: [
      {
        part: "load",
        case: `${CLIENTS} clients drop mid-stream, ${rounds} times`,
        requests: CLIENTS * rounds,
        p50Ms: roundFigure(firstByte.p50Ms),
        p99Ms: roundFigure(firstByte.p99Ms),
        loopP99Ms: roundFigure(after.loopP99Ms),
        rssStartMb: toMegabytes(warm[0] ?? 0),
        rssEndMb: toMegabytes(warm.at(-1) ?? 0),
        errors: report.errors,
      },
    ],
    musts: [
      mustBe({ text: "disconnects: connections and streams still open", value: left, unit: "", atMost: 0 }),
      mustBe({ text: "disconnects: memory change, either way", value: Math.abs(change), unit: "", atMost: MAX_CHANGE }),
      mustBe({
        text: "disconnects: errors and unclean exits",
        value: report.errors + Math.abs(exitCode ?? 1),
        unit: "",
        atMost: 0,
      }),
    ],
    notes: [
      `drops: memory over the last ${ROUNDS} rounds of ${rounds}; held connections by the process's own list${streams === undefined ? "" : ", streams by its metrics"}`,
    ],
  };
}

/** Returns the figures when all sockets are closed, because the server notices a closed connection a little later. */
async function settled(server: StartedProcess, sockets: number) {
  const until = performance.now() + MAX_WAIT_MS;
  for (;;) {
    const figures = await server.readFigures();
    if (figures.sockets <= sockets || performance.now() > until) return figures;
    await pause(50);
  }
}

/** Returns how many streams the server reports as open; undefined if it does not report them. */
async function readStreams(url: string): Promise<number | undefined> {
  const response = await fetch(`${url}/metrics`, { headers: { connection: "close" } });
  const text = await response.text();
  const gauges = [...text.matchAll(/^\w*active_streams\w*(?:\{[^}]*\})? (\d+)/gm)];
  return gauges.length === 0 ? undefined : gauges.reduce((sum, [, value]) => sum + Number(value), 0);
}
