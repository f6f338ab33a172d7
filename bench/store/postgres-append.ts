/**
 * Measures appends of single messages to PostgreSQL by sixteen concurrent clients, each in its own session. Compares our
 * store with one prepared insert and commit for each message in a bare table. The server writes to the disk before it
 * answers.
 */
import { Pool } from "pg";
import { EMPTY_HEAD } from "../../src/core/log/head.ts";
import { openPostgresStore } from "../../src/stores/postgres/open-postgres-store.ts";
import type { PostgresServer } from "../../test/support/start-postgres.ts";
import { messageAt } from "../turn-cost/conversation.ts";
import { draftMessage } from "./drafts.ts";
import { measureTime, mustBe, roundFigure, type StorePart, type StoreRequest, type Times, timesOf } from "./part.ts";

const CLIENTS = 16;
const MESSAGES_EACH = 1_000;
const QUICK_MESSAGES_EACH = 250;
const WARMING = 50;
const DIFFERENT_MESSAGES = 500;
const MIN_APPENDS_PER_SECOND = 2_000;
const MAX_P99_MS = 25;

type Append = (client: number, index: number) => Promise<unknown>;

interface AppendFigures extends Times {
  readonly perSecond: number;
}

export async function measurePostgresAppends(
  { isQuick, say }: StoreRequest,
  server: PostgresServer | undefined,
): Promise<StorePart> {
  const each = isQuick ? QUICK_MESSAGES_EACH : MESSAGES_EACH;
  const bare = server && (await measureBare(await server.newDatabase(), each));
  if (bare !== undefined) say(`bare table, ${CLIENTS} clients: ${Math.round(bare.perSecond)}/s`);
  const ours = server && (await measureOurs(await server.newDatabase(), each));
  if (ours !== undefined) say(`TenantStore.append, ${CLIENTS} clients: ${Math.round(ours.perSecond)}/s`);
  const beside = bare && ours && `bare table ${Math.round(bare.perSecond)}/s, p99 ${bare.p99Ms.toFixed(1)} ms`;
  return {
    rows: [
      ...(bare === undefined ? [] : [rowOf("bare table, one insert and commit", bare)]),
      ...(ours === undefined ? [] : [rowOf("TenantStore.append", ours)]),
    ],
    musts: [
      mustBe({
        text: `appends to Postgres by ${CLIENTS} clients`,
        value: ours?.perSecond,
        unit: "/s",
        atLeast: MIN_APPENDS_PER_SECOND,
        beside,
      }),
      mustBe({
        text: `appends to Postgres by ${CLIENTS} clients, p99`,
        value: ours?.p99Ms,
        unit: " ms",
        atMost: MAX_P99_MS,
        beside,
      }),
    ],
    notes: [
      `postgres: ${CLIENTS} clients in one process with ${CLIENTS} connections, a session each, fsync on; the server is on the same cores`,
    ],
  };
}

const messages = Array.from({ length: DIFFERENT_MESSAGES }, (_, index) => messageAt(index));

function contentOf(index: number) {
  return messages[index % DIFFERENT_MESSAGES] ?? messageAt(index);
}

async function measureOurs(url: string, each: number): Promise<AppendFigures> {
  const store = await openPostgresStore(url, { connections: CLIENTS });
  try {
    const tenant = store.tenant("local");
    for (let client = 0; client < CLIENTS; client += 1) {
      await tenant.createSession({ id: `session-${client}`, createdAt: 0 }, EMPTY_HEAD);
    }
    return await measureClients(each, (client, index) => {
      const draft = draftMessage({ id: `message-${index}`, at: index, ...contentOf(index) });
      return tenant.append(`session-${client}`, { entries: [draft] });
    });
  } finally {
    await store.close();
  }
}

async function measureBare(url: string, each: number): Promise<AppendFigures> {
  const pool = new Pool({ connectionString: url, max: CLIENTS });
  try {
    await pool.query(
      "CREATE TABLE said (seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, role text, content text)",
    );
    return await measureClients(each, (_, index) => {
      const { role, content } = contentOf(index);
      const text = "INSERT INTO said (role, content) VALUES ($1, $2)";
      return pool.query({ name: "say", text, values: [role, content] });
    });
  } finally {
    await pool.end();
  }
}

async function measureClients(each: number, append: Append): Promise<AppendFigures> {
  const clients = Array.from({ length: CLIENTS }, (_, client) => client);
  const inTurn = async (client: number, from: number, through: number) => {
    const appendMs: number[] = [];
    for (let index = from; index < through; index += 1)
      appendMs.push((await measureTime(() => append(client, index))).ms);
    return appendMs;
  };
  await Promise.all(clients.map((client) => inTurn(client, 0, WARMING)));
  const { ms, result } = await measureTime(() =>
    Promise.all(clients.map((client) => inTurn(client, WARMING, WARMING + each))),
  );
  const times = timesOf(result.flat());
  return { ...times, perSecond: (times.count / ms) * 1_000 };
}

function rowOf(name: string, { count, perSecond, p50Ms, p99Ms }: AppendFigures) {
  return {
    part: "postgres",
    case: `${name}, Postgres, ${CLIENTS} clients`,
    messages: count,
    perSecond: Math.round(perSecond),
    p50Ms: roundFigure(p50Ms),
    p99Ms: roundFigure(p99Ms),
  };
}
