/**
 * Notifications between processes that share a PostgreSQL database. What many appends have to say is said together, and
 * only the newest of each session. A connection that was lost is made again with growing pauses, and then every session
 * that has grown meanwhile is told of, by the log itself: whoever listens misses nothing for good.
 *
 * It reads the store's tables, so a store of the database is opened first.
 */
import { setTimeout } from "node:timers/promises";
import type { Client } from "pg";
import { AMOUNT, checkOptions, FUNCTION, required } from "../../core/check-options.ts";
import type { Notification, Notifications } from "../../ports/notifications.ts";
import { Listeners } from "../notifications/local-notifications.ts";
import { readNumber, readText, type Statement, sql } from "../sql/driver.ts";
import { fromStoredText } from "../sql/stored-text.ts";
import { loadPg, type PgModule } from "./load-pg.ts";
import { PostgresDriver, scopeQuery } from "./postgres-driver.ts";

export interface PostgresNotificationsOptions {
  /** Told when a listener throws, and when the connection is lost. */
  readonly onError: (error: unknown) => void;
  /** How often the connection is looked after; a quarter of a minute without it. */
  readonly heartbeatMs?: number | undefined;
}

const CHANNEL = "palimpsest";
const HEARTBEAT_MS = 15_000;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 5_000;
/** PostgreSQL takes at most 8,000 bytes. */
const LONGEST_PAYLOAD_BYTES = 7_900;
/** Says that something has grown, and leaves it to the reader to find out what. */
const LOOK = "look";

const RULES = { onError: required(FUNCTION), heartbeatMs: AMOUNT };

export async function openPostgresNotifications(
  url: string,
  options: PostgresNotificationsOptions,
): Promise<Notifications> {
  checkOptions(options, RULES, "openPostgresNotifications");
  return new PostgresNotifications(await loadPg(), { ...options, url });
}

class PostgresNotifications implements Notifications {
  readonly #pg: PgModule;
  readonly #options: PostgresNotificationsOptions & { readonly url: string };
  readonly #driver: PostgresDriver;
  readonly #listeners: Listeners;
  readonly #outgoing = new Map<string, Notification>();
  #sending: Promise<void> | undefined;
  #listening: Promise<void> | undefined;
  readonly #closing = new AbortController();
  /** Entries up to here were told of. It stays a beat behind, because they become visible out of order. */
  #toldThrough: number | undefined;

  constructor(pg: PgModule, options: PostgresNotificationsOptions & { readonly url: string }) {
    this.#pg = pg;
    this.#options = options;
    this.#listeners = new Listeners(options);
    const { url } = options;
    this.#driver = new PostgresDriver(pg, { url, connections: 2, patienceMs: 1_000, statementTimeoutMs: 10_000 });
  }

  /** A hint that cannot be given is reported and is no failure: the log has what it was about. */
  async notify(notification: Notification): Promise<void> {
    const { tenantId, sessionId, seq } = notification;
    const key = JSON.stringify([tenantId, sessionId]);
    const waiting = this.#outgoing.get(key);
    if (waiting === undefined || waiting.seq < seq) this.#outgoing.set(key, notification);
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined;
    });
    await this.#sending;
  }

  listen(listener: (notification: Notification) => void): () => void {
    this.#listening ??= this.#keepListening();
    return this.#listeners.add(listener);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#listeners.clear();
    await this.#sending;
    await this.#listening;
    await this.#driver.close();
  }

  async #sendAll(): Promise<void> {
    // Whoever speaks in the same turn is heard in the same message.
    await Promise.resolve();
    while (this.#outgoing.size > 0) {
      const payloads = [...this.#outgoing.values()].map(toPayload);
      this.#outgoing.clear();
      const say = sql`
        SELECT count(pg_notify(${CHANNEL}, payload)) AS said
        FROM json_array_elements_text(${JSON.stringify(payloads)}::json) AS p (payload)`;
      await this.#driver.batch([{ ...say, isRepeatable: true }]).catch(this.#options.onError);
    }
  }

  async #keepListening(): Promise<void> {
    const { signal } = this.#closing;
    for (let pauseMs = FIRST_PAUSE_MS; !signal.aborted; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      try {
        await this.#listenOnce(() => {
          pauseMs = FIRST_PAUSE_MS;
        });
      } catch (error) {
        this.#options.onError(error);
      }
      // The abort of a pause is how it ends when this is closed.
      await setTimeout(pauseMs * (0.5 + Math.random()), undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  /** One connection, from its beginning to its end. */
  async #listenOnce(onReady: () => void): Promise<void> {
    const { url, heartbeatMs = HEARTBEAT_MS } = this.#options;
    const { signal } = this.#closing;
    const client = new this.#pg.Client({ connectionString: url, keepAlive: true, query_timeout: 10_000 });
    const lost = new Promise<never>((_, reject) => {
      client.on("error", reject);
      client.on("end", () => reject(new Error("Connection terminated")));
    });
    // Whoever is not waiting for it just then finds it rejected when it is.
    lost.catch(() => undefined);
    client.on("notification", ({ payload = "" }) => this.#hear(payload));
    try {
      await client.connect();
      const { text, values = [] } = scopeQuery(undefined);
      await client.query(text, [...values]);
      await this.#findStart();
      await client.query(`LISTEN ${CHANNEL}`);
      await this.#lookForMissed();
      onReady();
      while (!signal.aborted) {
        const beat = setTimeout(heartbeatMs, undefined, { signal, ref: false }).catch(() => undefined);
        await Promise.race([lost, beat]);
        if (!signal.aborted) this.#toldThrough = await this.#beat(client);
      }
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  #newest: number | undefined;

  /** A connection that says nothing may be gone. The answer is used at the next beat. */
  async #beat(client: Client): Promise<number | undefined> {
    const { rows } = await client.query("SELECT coalesce(max(entry_key), 0)::text AS newest FROM palimpsest.entries");
    const before = this.#newest;
    this.#newest = Number(rows[0]?.newest ?? 0);
    return before ?? this.#toldThrough;
  }

  #hear(payload: string): void {
    if (payload === LOOK) {
      this.#lookForMissed().catch(this.#options.onError);
      return;
    }
    const notification = fromPayload(payload);
    if (notification !== undefined) this.#listeners.tell(notification);
  }

  /** Nothing was missed up to here: listeners read the log before they wait for news of it. */
  async #findStart(): Promise<void> {
    if (this.#toldThrough !== undefined) return;
    const [[row] = []] = await this.#driver.read([FIND_NEWEST]);
    this.#toldThrough = row && readNumber(row, "newest");
    this.#newest = this.#toldThrough;
  }

  async #lookForMissed(): Promise<void> {
    if (this.#toldThrough === undefined) return;
    const [rows = []] = await this.#driver.read([findGrown(this.#toldThrough)]);
    for (const row of rows) {
      const [tenantId, sessionId] = [readText(row, "tenant"), readText(row, "id")].map(fromStoredText);
      if (tenantId === undefined || sessionId === undefined) continue;
      this.#listeners.tell({ tenantId, sessionId, seq: readNumber(row, "last_seq") });
    }
  }
}

const FIND_NEWEST = sql`SELECT coalesce(max(entry_key), 0) AS newest FROM palimpsest.entries`;

function findGrown(afterKey: number): Statement {
  return sql`
    SELECT s.tenant, s.id, s.last_seq FROM palimpsest.sessions s
    WHERE s.session_key IN (SELECT e.session_key FROM palimpsest.entries e WHERE e.entry_key > ${afterKey}::bigint)`;
}

function toPayload({ tenantId, sessionId, seq }: Notification): string {
  // Its escapes keep NUL and half a surrogate pair away from a server that takes neither.
  const payload = JSON.stringify([tenantId, sessionId, seq]);
  return Buffer.byteLength(payload) <= LONGEST_PAYLOAD_BYTES ? payload : LOOK;
}

/** Somebody else may use the channel for words of their own. */
function fromPayload(payload: string): Notification | undefined {
  try {
    const [tenantId, sessionId, seq] = JSON.parse(payload);
    if (typeof tenantId !== "string" || typeof sessionId !== "string" || typeof seq !== "number") return undefined;
    return { tenantId, sessionId, seq };
  } catch {
    return undefined;
  }
}
