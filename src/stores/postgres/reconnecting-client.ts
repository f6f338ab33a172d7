/**
 * One connection that reconnects with growing pauses. What belongs to a connection (locks, channels) is set up again
 * before other statements run on it. A statement whose answer was lost is sent again, so every statement sent here must
 * be repeatable.
 */
import { setTimeout } from "node:timers/promises";
import type { Client } from "pg";
import type { PgModule } from "./load-pg.ts";
import { hasUnknownOutcome, toStoreError } from "./postgres-failure.ts";

export type RunQuery = (
  text: string,
  values?: readonly unknown[],
) => Promise<readonly Readonly<Record<string, unknown>>[]>;

export interface ReconnectingClientOptions {
  readonly url: string;
  /** Application name in the server's list of connections. */
  readonly name: string;
  /** Sets up locks and channels on a new connection. */
  readonly onConnected: (query: RunQuery) => Promise<void>;
  /** Called at each heartbeat, to notice a dead connection. */
  readonly onHeartbeat: (query: RunQuery) => Promise<void>;
  /** Default: five seconds. */
  readonly heartbeatMs?: number | undefined;
  readonly onLost?: (() => void) | undefined;
  readonly onNotification: (payload: string) => void;
  /** Called with each failure to connect. */
  readonly onError: (error: unknown) => void;
}

const NAME = "PostgreSQL";
const HEARTBEAT_MS = 5_000;
const ANSWER_TIMEOUT_MS = 10_000;
const FIRST_PAUSE_MS = 50;
const MAX_PAUSE_MS = 5_000;
const CONNECT_WAIT_MS = 5_000;
/** How long to wait for a clean end of the connection. */
const END_TIMEOUT_MS = 1_000;

export class ReconnectingClient {
  readonly #pg: PgModule;
  readonly #options: ReconnectingClientOptions;
  readonly #closing = new AbortController();
  readonly #waiting = new Set<() => void>();
  readonly #running: Promise<void>;
  #client: Client | undefined;
  /** Gives up the current connection. */
  #lose: (error: unknown) => void = () => undefined;

  constructor(pg: PgModule, options: ReconnectingClientOptions) {
    this.#pg = pg;
    this.#options = options;
    this.#running = this.#keepConnected();
  }

  get isConnected(): boolean {
    return this.#client !== undefined;
  }

  /** Waits for a connection, and repeats the statement on the next one if the answer is lost. */
  readonly query: RunQuery = async (text, values = []) => {
    const until = performance.now() + CONNECT_WAIT_MS;
    for (;;) {
      const client = this.#client ?? (await this.#waitForClient(until - performance.now()));
      if (client === undefined) throw toStoreError(new Error("Connection terminated"), { name: NAME });
      try {
        return (await client.query(text, [...values])).rows;
      } catch (error) {
        const isLost = hasUnknownOutcome(error);
        // The statement may have run; its effects end with the connection.
        if (isLost) this.#giveUp(client, error);
        if (!isLost || performance.now() >= until) throw toStoreError(error, { name: NAME });
      }
    }
  };

  async close(): Promise<void> {
    this.#closing.abort();
    this.#wake();
    await this.#running;
  }

  async #keepConnected(): Promise<void> {
    const { signal } = this.#closing;
    for (let pauseMs = FIRST_PAUSE_MS; !signal.aborted; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
      try {
        await this.#connectOnce(() => {
          pauseMs = FIRST_PAUSE_MS;
        });
      } catch (error) {
        if (!signal.aborted) this.#options.onError(error);
      }
      // Closing aborts the pause.
      await setTimeout(pauseMs * (0.5 + Math.random()), undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  async #connectOnce(onReady: () => void): Promise<void> {
    const { url, name, onConnected, onHeartbeat, heartbeatMs = HEARTBEAT_MS, onLost, onNotification } = this.#options;
    const { signal } = this.#closing;
    const client = new this.#pg.Client({
      connectionString: url,
      keepAlive: true,
      pipeline: true,
      query_timeout: ANSWER_TIMEOUT_MS,
      connectionTimeoutMillis: ANSWER_TIMEOUT_MS,
      fallback_application_name: name,
    });
    const lost = this.#watch(client);
    client.on("notification", ({ payload = "" }) => onNotification(payload));
    const query: RunQuery = async (text, values = []) => (await client.query(text, [...values])).rows;
    try {
      await client.connect();
      await onConnected(query);
      this.#client = client;
      this.#wake();
      onReady();
      while (!signal.aborted) {
        const heartbeat = setTimeout(heartbeatMs, undefined, { signal, ref: false }).catch(() => undefined);
        await Promise.race([lost, heartbeat]);
        if (!signal.aborted) await onHeartbeat(query);
      }
    } finally {
      this.#client = undefined;
      onLost?.();
      const end = client.end().catch(() => undefined);
      await Promise.race([end, setTimeout(END_TIMEOUT_MS, undefined, { ref: false })]);
    }
  }

  /** Returns a promise that rejects when the connection is lost or given up. */
  #watch(client: Client): Promise<never> {
    const lost = new Promise<never>((_, reject) => {
      this.#lose = reject;
      client.on("error", reject);
      client.on("end", () => reject(new Error("Connection terminated")));
    });
    // Avoids an unhandled rejection while the promise is not awaited.
    lost.catch(() => undefined);
    return lost;
  }

  #giveUp(client: Client, error: unknown): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    this.#lose(error);
  }

  async #waitForClient(withinMs: number): Promise<Client | undefined> {
    if (this.#closing.signal.aborted || withinMs <= 0) return undefined;
    await new Promise<void>((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        this.#waiting.delete(wake);
        resolve();
      };
      const timer = globalThis.setTimeout(wake, withinMs);
      this.#waiting.add(wake);
    });
    return this.#client;
  }

  #wake(): void {
    for (const wake of [...this.#waiting]) wake();
  }
}
