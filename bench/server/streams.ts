/**
 * Five hundred clients follow the events of a session with twenty events a second. Each of them should get all
 * events, and the server's event loop should stay free.
 */
import { setTimeout as pause } from "node:timers/promises";
import { mustBe, roundFigure, type StorePart, timesOf } from "../store/part.ts";
import { type ServerRequest, toMegabytes } from "./part.ts";
import { appendMessage, createSession } from "./send-requests.ts";
import { startClients } from "./start-clients.ts";
import { startServer } from "./start-process.ts";

const CLIENTS = 500;
const EVENTS_A_SECOND = 20;
const SECONDS = { quick: 5, usual: 30, long: 300 } as const;
const MARK = "event: append";
/** Time for the last events to arrive. */
const SETTLE_MS = 2_000;

export async function measureStreams({ folder, size, say }: ServerRequest): Promise<StorePart> {
  const seconds = SECONDS[size];
  const server = await startServer({ store: "memory:", home: folder });
  await createSession(server.url, "watched");
  const address = `${server.url}/api/events?sessionId=watched`;
  const clients = startClients({ url: address, clients: CLIENTS, how: "follow", rounds: 1, mark: MARK });
  await clients.next();
  const before = await server.readFigures();
  const sentCount = await sayAll(server.url, seconds);
  await pause(SETTLE_MS);
  const after = await server.readFigures();
  clients.go();
  const report = await clients.next();
  await clients.ended();
  await server.end();
  if (report.type !== "end") throw new Error("the clients sent an unexpected report");
  const firstByte = timesOf(report.firstByteMs);
  const missed = report.events.reduce((sum, receivedCount) => sum + (sentCount - receivedCount), 0);
  say(`${CLIENTS} streams, ${sentCount} events each: ${missed} missed, ${report.errors} errors`);
  return {
    rows: [
      {
        part: "load",
        case: `${CLIENTS} streams of ${EVENTS_A_SECOND} events/s, ${seconds} s`,
        requests: CLIENTS,
        perSecond: Math.round((CLIENTS * sentCount) / seconds),
        p50Ms: roundFigure(firstByte.p50Ms),
        p99Ms: roundFigure(firstByte.p99Ms),
        loopP99Ms: roundFigure(after.loopP99Ms),
        rssStartMb: toMegabytes(before.rssBytes),
        rssEndMb: toMegabytes(after.rssBytes),
        errors: report.errors,
        lost: missed,
      },
    ],
    musts: [
      mustBe({ text: "streams: errors and missed events", value: report.errors + missed, unit: "", atMost: 0 }),
      mustBe({ text: "streams: time to the first byte, p99", value: firstByte.p99Ms, unit: " ms", atMost: 1_500 }),
      mustBe({ text: "streams: delay of the event loop, p99", value: after.loopP99Ms, unit: " ms", atMost: 50 }),
    ],
    notes: [
      `streams: perSecond counts events that were delivered, p50Ms and p99Ms are times to the first byte of ${CLIENTS} clients that connect at the same time`,
    ],
  };
}

/** Sends at a fixed pace, however long an append takes; returns the number of events. */
async function sayAll(url: string, seconds: number): Promise<number> {
  const count = seconds * EVENTS_A_SECOND;
  const startedAt = performance.now();
  const saying: Promise<void>[] = [];
  for (let index = 0; index < count; index += 1) {
    const due = startedAt + (index * 1_000) / EVENTS_A_SECOND;
    await pause(Math.max(0, due - performance.now()));
    saying.push(appendMessage(url, { id: "watched", text: `Thing ${index} happened.` }));
  }
  await Promise.all(saying);
  return count;
}
