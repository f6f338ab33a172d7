/**
 * Notifications between processes that share a PostgreSQL database; only the newest of each session is sent. After a
 * reconnect, grown sessions are found in the log and reported. Open a store on the database first: this code reads its
 * tables.
 */
import { AMOUNT, checkOptions, FUNCTION, required } from "../../core/check-options.ts";
import type { Notification, Notifications } from "../../ports/notifications.ts";
import { Listeners } from "../shared/local-channels.ts";
import { readNumberColumn, readTextColumn, type Statement, sql } from "../sql/driver.ts";
import { fromStoredText } from "../sql/stored-text.ts";
import { loadPg, type PgModule } from "./load-pg.ts";
import { PostgresDriver, scopeQuery } from "./postgres-driver.ts";
import { ReconnectingClient, type RunQuery } from "./reconnecting-client.ts";

/** Where failures are reported, and how often the connection is checked. */
export interface PostgresNotificationsOptions {
  /** Called when a listener throws, and when the connection is lost. */
  readonly onError: (error: unknown) => void;
  /** How often the connection is checked; default 15 seconds. */
  readonly heartbeatMs?: number | undefined;
}

const CHANNEL = "palimpsest";
const HEARTBEAT_MS = 15_000;
/** PostgreSQL accepts less than 8,000 bytes. */
const MAX_PAYLOAD_BYTES = 7_900;
/** Payload without a session: receivers find grown sessions themselves. */
const RESYNC = "look";

const RULES = { onError: required(FUNCTION), heartbeatMs: AMOUNT };

/**
 * Opens notifications between processes that share a PostgreSQL store.
 *
 * @example
 * ```ts
 * const url = "postgres://127.0.0.1/chats";
 * const notifications = await openPostgresNotifications(url, { onError: console.error });
 * const palimpsest = await openPalimpsest({ store: url, notifications });
 * ```
 */
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
  readonly #listeners: Listeners<Notification>;
  readonly #outgoing = new Map<string, Notification>();
  #sending: Promise<void> | undefined;
  #connection: ReconnectingClient | undefined;
  /** Key of the last entry that listeners know: one heartbeat behind, as entries become visible out of order. */
  #notifiedThrough: number | undefined;

  constructor(pg: PgModule, options: PostgresNotificationsOptions & { readonly url: string }) {
    this.#pg = pg;
    this.#options = options;
    this.#listeners = new Listeners(options.onError);
    const { url } = options;
    this.#driver = new PostgresDriver(pg, { url, connections: 2, retryForMs: 1_000, statementTimeoutMs: 10_000 });
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
    this.#connection ??= this.#connect();
    return this.#listeners.add(listener);
  }

  async close(): Promise<void> {
    this.#listeners.clear();
    await this.#sending;
    await this.#connection?.close();
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

  #connect(): ReconnectingClient {
    const { url, heartbeatMs = HEARTBEAT_MS, onError } = this.#options;
    return new ReconnectingClient(this.#pg, {
      url,
      name: "palimpsest-notifications",
      heartbeatMs,
      onConnected: async (query) => {
        const { text, values } = scopeQuery(undefined);
        await query(text, values);
        await this.#findStart();
        await query(`LISTEN ${CHANNEL}`);
        await this.#notifyMissed();
      },
      onHeartbeat: (query) => this.#checkConnection(query),
      onNotification: (payload) => this.#receive(payload),
      onError,
    });
  }

  #newest: number | undefined;

  /** Detects a dead connection. Listeners were notified of all entries up to the newest of the previous heartbeat. */
  async #checkConnection(query: RunQuery): Promise<void> {
    const [row] = await query("SELECT coalesce(max(entry_key), 0)::text AS newest FROM palimpsest.entries");
    this.#notifiedThrough = this.#newest ?? this.#notifiedThrough;
    this.#newest = Number(row?.newest ?? 0);
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
    this.#notifiedThrough = row && readNumberColumn(row, "newest");
    this.#newest = this.#notifiedThrough;
  }

  async #notifyMissed(): Promise<void> {
    if (this.#notifiedThrough === undefined) return;
    const [rows = []] = await this.#driver.read([findGrown(this.#notifiedThrough)]);
    for (const row of rows) {
      const [tenantId, sessionId] = [readTextColumn(row, "tenant"), readTextColumn(row, "id")].map(fromStoredText);
      if (tenantId === undefined || sessionId === undefined) continue;
      this.#listeners.emit({ tenantId, sessionId, seq: readNumberColumn(row, "last_seq") });
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
  return Buffer.byteLength(payload) <= MAX_PAYLOAD_BYTES ? payload : RESYNC;
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
