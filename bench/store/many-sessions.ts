/**
 * Reads in a large store: one session of a hundred thousand messages, and a hundred thousand sessions of twenty. A
 * view, a page of the log, a list of sessions and one message by its id, at places all over the file.
 */
import { join } from "node:path";
import { fillStore } from "./fill-store.ts";
import { mustBe, type StorePart, type StoreRequest } from "./part.ts";
import type { ReadCall, Reading } from "./read-apart.ts";
import { findSlowest, readingRow, runReadings } from "./run-readings.ts";

const LONG_SESSION = 100_000;
const SESSIONS = 100_000;
const MESSAGES_EACH = 20;
/** Messages of a page. */
const PAGE = 200;
const TIMES = 300;
const QUICKER = 50;
const MAX_P99_MS = 20;
const MAX_BYTES = 300_000_000;
const PICKED = 100;

export async function measureSessions({ folder, isQuick, say }: StoreRequest): Promise<StorePart> {
  const scale = isQuick ? QUICKER : 1;
  const path = join(folder, "sessions.db");
  const [long, many] = [LONG_SESSION / scale, SESSIONS / scale];
  const sessions = Array.from({ length: many }, (_, index) => ({ id: `session-${index}`, messages: MESSAGES_EACH }));
  await fillStore({ path, sessions: [...sessions, { id: "long", messages: long }], say });
  const readings = readingsOf(long, many);
  const { readings: figures, maxMemoryBytes } = await runReadings({ path, readings, times: TIMES });
  const worst = findSlowest(figures);
  return {
    rows: figures.map((reading) => readingRow("sessions", reading, long + many * MESSAGES_EACH)),
    musts: [
      mustBe({
        text: `reads among ${many} sessions of ${MESSAGES_EACH} and one of ${long}, p99 of the slowest kind`,
        value: worst?.p99Ms,
        unit: " ms",
        atMost: MAX_P99_MS,
        beside: worst?.text,
      }),
      mustBe({
        text: "memory of the process that reads, at most",
        value: maxMemoryBytes / 1e6,
        unit: " MB",
        atMost: MAX_BYTES / 1e6,
      }),
    ],
    notes: [
      `sessions: ${TIMES} reads of each kind through the store, in a separate process, spread over the whole file`,
    ],
  };
}

function readingsOf(long: number, many: number): readonly Reading[] {
  const picked = Array.from({ length: PICKED }, (_, index) => Math.floor((index * many) / PICKED));
  const places = Array.from({ length: PICKED }, (_, index) => Math.max(PAGE, Math.floor((index * long) / PICKED)));
  const first = many * MESSAGES_EACH;
  return [
    { name: "view of a session of 20", calls: picked.map((index) => ({ verb: "readView", sessionId: named(index) })) },
    {
      name: "one message of a session of 20",
      calls: picked.map((index) => ({
        verb: "findMessage",
        sessionId: named(index),
        messageId: `message-${index * MESSAGES_EACH}`,
      })),
    },
    {
      name: `page of ${PAGE} of the long session`,
      calls: places.map((throughSeq): ReadCall => ({ verb: "readPage", sessionId: "long", throughSeq, limit: PAGE })),
    },
    {
      name: "one message of the long session",
      calls: places.map((seq) => ({ verb: "findMessage", sessionId: "long", messageId: `message-${first + seq - 1}` })),
    },
    {
      name: "list of 50 sessions",
      calls: picked.map((index) => ({
        verb: "listSessions",
        limit: 50,
        after: { id: named(index), updatedAt: (index + 1) * MESSAGES_EACH },
      })),
    },
  ];
}

function named(index: number): string {
  return `session-${index}`;
}
