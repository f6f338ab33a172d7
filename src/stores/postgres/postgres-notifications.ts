/**
 * Notifications between processes that share a PostgreSQL database. Notifications of many appends are sent together,
 * only the newest of each session. After a reconnect, every session that has grown meanwhile is found in the log and
 * reported, so that listeners miss nothing for good.
 *
 * It reads the store's tables, so a store of the database must be opened first.
 */
import { setTimeout } from "node:timers/promises";
import type { Client } from "pg";
import { AMOUNT, checkOptions, FUNCTION, required } from "../../core/check-options.ts";
import type { Notification, Notifications } from "../../ports/notifications.ts";
import { Listeners } from "../shared/local-channels.ts";
import { readNumber, readText, type Statement, sql } from "../sql/driver.ts";
import { fromStoredText } from "../sql/stored-text.ts";
import { loadPg, type PgModule } from "./load-pg.ts";
import { PostgresDriver, scopeQuery } from "./postgres-driver.ts";

export interface PostgresNotificationsOptions {
  /** Called when a listener throws, and when the connection is lost. */
  readonly onError: (error: unknown) => void;
  /** How often the connection is checked; default 15 seconds. */
  readonly heartbeatMs?: number | undefined;
}

const CHANNEL = "palimpsest";
const HEARTBEAT_MS = 15_000;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 5_000;
/** PostgreSQL takes at most 8,000 bytes. */
const LONGEST_PAYLOAD_BYTES = 7_900;
/** Payload without a session: receivers look for grown sessions themselves. */
const RESYNC = "look";

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
  /**
   * Listeners know of entries up to here. It stays one heartbeat behind, because entries become visible out of order.
   */
  #notifiedThrough: number | undefined;

  constructor(pg: PgModule, options: PostgresNotificationsOptions & { readonly url: string }) {
    this.#pg = pg;
    this.#options = options;
    this.#listeners = new Listeners(options);
    const { url } = options;
    this.#driver = new PostgresDriver(pg, { url, connections: 2, patienceMs: 1_000, statementTimeoutMs: 10_000 });
  }

  /** A failure is reported and does not reject: the log has the entries. */
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
    // Collects the notifications of this turn of the event loop.
    await Promise.resolve();
    while (this.#outgoing.size > 0) {
      const payloads = [...this.#outgoing.values()].map(toPayload);
      this.#outgoing.clear();
      const notify = sql`
        SELECT count(pg_notify(${CHANNEL}, payload)) AS said
        FROM json_array_elements_text(${JSON.stringify(payloads)}::json) AS p (payload)`;
      await this.#driver.batch([{ ...notify, isRepeatable: true }]).catch(this.#options.onError);
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
      // Closing aborts the pause.
      await setTimeout(pauseMs * (0.5 + Math.random()), undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  /** Runs one connection until it ends. */
  async #listenOnce(onReady: () => void): Promise<void> {
    const { url, heartbeatMs = HEARTBEAT_MS } = this.#options;
    const { signal } = this.#closing;
    const client = new this.#pg.Client({ connectionString: url, keepAlive: true, query_timeout: 10_000 });
    const lost = new Promise<never>((_, reject) => {
      client.on("error", reject);
      client.on("end", () => reject(new Error("Connection terminated")));
    });
    // Avoids an unhandled rejection while the promise is not awaited.
    lost.catch(() => undefined);
    client.on("notification", ({ payload = "" }) => this.#receive(payload));
    try {
      await client.connect();
      const { text, values = [] } = scopeQuery(undefined);
      await client.query(text, [...values]);
      await this.#findStart();
      await client.query(`LISTEN ${CHANNEL}`);
      await this.#notifyMissed();
      onReady();
      while (!signal.aborted) {
        const heartbeat = setTimeout(heartbeatMs, undefined, { signal, ref: false }).catch(() => undefined);
        await Promise.race([lost, heartbeat]);
        if (!signal.aborted) this.#notifiedThrough = await this.#checkConnection(client);
      }
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  #newest: number | undefined;

  /** Detects a dead connection. Returns the newest entry of the previous heartbeat. */
  async #checkConnection(client: Client): Promise<number | undefined> {
    const { rows } = await client.query("SELECT coalesce(max(entry_key), 0)::text AS newest FROM palimpsest.entries");
    const before = this.#newest;
    this.#newest = Number(rows[0]?.newest ?? 0);
    return before ?? this.#notifiedThrough;
  }

  #receive(payload: string): void {
    if (payload === RESYNC) {
      this.#notifyMissed().catch(this.#options.onError);
      return;
    }
    const notification = fromPayload(payload);
    if (notification !== undefined) this.#listeners.emit(notification);
  }

  /** Starts at the newest entry: listeners read the log before they wait for notifications. */
  async #findStart(): Promise<void> {
    if (this.#notifiedThrough !== undefined) return;
    const [[row] = []] = await this.#driver.read([FIND_NEWEST]);
    this.#notifiedThrough = row && readNumber(row, "newest");
    this.#newest = this.#notifiedThrough;
  }

  async #notifyMissed(): Promise<void> {
    if (this.#notifiedThrough === undefined) return;
    const [rows = []] = await this.#driver.read([findGrown(this.#notifiedThrough)]);
    for (const row of rows) {
      const [tenantId, sessionId] = [readText(row, "tenant"), readText(row, "id")].map(fromStoredText);
      if (tenantId === undefined || sessionId === undefined) continue;
      this.#listeners.emit({ tenantId, sessionId, seq: readNumber(row, "last_seq") });
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
  // JSON escapes NUL and lone surrogates, which the server refuses.
  const payload = JSON.stringify([tenantId, sessionId, seq]);
  return Buffer.byteLength(payload) <= LONGEST_PAYLOAD_BYTES ? payload : RESYNC;
}

/** Returns undefined for payloads of other programs on the channel. */
function fromPayload(payload: string): Notification | undefined {
  try {
    const [tenantId, sessionId, seq] = JSON.parse(payload);
    if (typeof tenantId !== "string" || typeof sessionId !== "string" || typeof seq !== "number") return undefined;
    return { tenantId, sessionId, seq };
  } catch {
    return undefined;
  }
}
