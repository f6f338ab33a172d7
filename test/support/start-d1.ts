/**
 * D1 databases in a real workerd. A binding of miniflare crosses processes for every call; a database of `newDatabase`
 * sends whole batches through a Worker, and is four times as fast. It posts them with `node:http`, which takes a quarter
 * of the processor time of miniflare's own `dispatchFetch`.
 */
import { once } from "node:events";
import { Agent, request } from "node:http";
import { text } from "node:stream/consumers";
import { Miniflare } from "miniflare";
import type { D1Database, D1Result, D1Statement } from "../../src/stores/d1/d1-driver.ts";

export interface D1Server {
  /** An empty database. */
  newDatabase(): D1Database;
  /** Miniflare's own binding to the same database. */
  binding(database: D1Database): Promise<D1Database>;
  close(): Promise<void>;
}

/** Connections are not used again: on a busy machine, workerd may close an idle one while a request is sent on it. */
const MAX_SOCKETS = 16;

interface PlannedStatement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** Bytes are sent as base64, which is shorter than D1's list of numbers. */
const WORKER = `import { Buffer } from "node:buffer";
export default {
  async fetch(request, env) {
    const { name, statements } = await request.json();
    const database = env[name];
    const toBytes = (value) => (value?.base64 === undefined ? value : Buffer.from(value.base64, "base64"));
    const fromBytes = (_, value) =>
      typeof value?.[0] === "number" ? { base64: Buffer.from(value).toString("base64") } : value;
    const prepared = statements.map(({ text, values }) => database.prepare(text).bind(...values.map(toBytes)));
    try {
      const results = await database.batch(prepared);
      return new Response(JSON.stringify(results.map(({ results }) => ({ results })), fromBytes));
    } catch (error) {
      return Response.json({ message: error.message }, { status: 500 });
    }
  },
};`;

export async function startD1(databases: number): Promise<D1Server> {
  const names = Array.from({ length: databases }, (_, index) => `DB${index}`);
  const miniflare = new Miniflare({
    modules: true,
    script: WORKER,
    compatibilityDate: "2026-07-01",
    compatibilityFlags: ["nodejs_compat"],
    d1Databases: Object.fromEntries(names.map((name) => [name, name])),
  });
  const target: Target = { url: await miniflare.ready, agent: new Agent({ maxSockets: MAX_SOCKETS }) };
  const given = new Map<D1Database, string>();
  return {
    newDatabase() {
      const name = names[given.size];
      if (name === undefined) throw new TypeError(`startD1(${databases}) has no more databases`);
      const database = bridgeTo(target, name);
      given.set(database, name);
      return database;
    },
    binding: async (database) => miniflare.getD1Database(given.get(database) ?? ""),
    close: async () => {
      target.agent.destroy();
      await miniflare.dispose();
    },
  };
}

interface Target {
  readonly url: URL;
  readonly agent: Agent;
}

function bridgeTo(target: Target, name: string): D1Database {
  const planned = new WeakMap<D1Statement, PlannedStatement>();
  const ask = async (statements: readonly (PlannedStatement | undefined)[]): Promise<readonly D1Result[]> => {
    const body = JSON.stringify({ name, statements: statements.map(toWire) });
    return post(target, body);
  };
  const plan = (text: string, values: readonly unknown[]): D1Statement => {
    const statement: D1Statement = {
      bind: (...bound) => plan(text, bound),
      all: async () => (await ask([{ text, values }]))[0] ?? { results: [] },
    };
    planned.set(statement, { text, values });
    return statement;
  };
  return {
    prepare: (text) => plan(text, []),
    batch: (statements) => ask(statements.map((statement) => planned.get(statement))),
  };
}

/** Limits of Cloudflare's D1 that a local workerd does not enforce. */
const MAX_VALUES = 100;
const MAX_CHARACTERS = 100_000;

/** Converts a statement to JSON, with bytes as base64. Throws above the limits of D1. */
function toWire(statement: PlannedStatement | undefined): unknown {
  const { text, values } = statement ?? { text: "", values: [] };
  if (values.length > MAX_VALUES) throw new TypeError(`${values.length} values in one statement: ${text}`);
  if (text.length > MAX_CHARACTERS) throw new TypeError(`A statement of ${text.length} characters`);
  const wired = values.map((value) =>
    value instanceof Uint8Array ? { base64: Buffer.from(value).toString("base64") } : value,
  );
  return { text, values: wired };
}

/** Errors of a connection that the other side has closed. */
const CLOSED: readonly unknown[] = ["ECONNRESET", "EPIPE"];

async function post(target: Target, body: string): Promise<readonly D1Result[]> {
  const { url, agent } = target;
  const sent = request(url, { method: "POST", agent, headers: { "content-length": Buffer.byteLength(body) } });
  sent.end(body);
  const received = await once(sent, "response").catch((error: NodeJS.ErrnoException) => {
    // workerd closes an idle connection after five seconds, which on a busy machine this process can notice too late.
    if (!sent.reusedSocket || !CLOSED.includes(error.code)) throw error;
  });
  if (received === undefined) return post(target, body);
  const [answer] = received;
  const answered = await text(answer);
  if (answer.statusCode !== 200) throw new Error(JSON.parse(answered).message);
  return JSON.parse(answered, (_, value) =>
    typeof value?.base64 === "string" ? [...Buffer.from(value.base64, "base64")] : value,
  );
}
