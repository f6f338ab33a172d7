/**
 * One connection that is made again, with growing pauses, whenever it is lost. What belongs to a connection (locks,
 * channels) is set up anew each time before anybody else may use it. A statement whose answer was lost is sent again on
 * the next one, so only those may be sent here that do no harm twice.
 */
import { setTimeout } from "node:timers/promises";
import type { Client } from "pg";
import type { PgModule } from "./load-pg.ts";
import { findReason, OPEN_ENDED, toStoreError } from "./postgres-failure.ts";

export type Ask = (text: string, values?: readonly unknown[]) => Promise<readonly Readonly<Record<string, unknown>>[]>;

export interface LastingConnectionOptions {
  readonly url: string;
  /** What it is called in the server's list of connections. */
  readonly name: string;
  /** Sets up what belongs to the connection. */
  readonly onConnected: (ask: Ask) => Promise<void>;
  /** Asked every few seconds: a connection that says nothing may be gone. */
  readonly onBeat: (ask: Ask) => Promise<void>;
  readonly onLost: () => void;
  readonly onNotification: (payload: string) => void;
  /** Told each time that there is no connection. */
  readonly onError: (error: unknown) => void;
}

const NAME = "PostgreSQL";
const BEAT_MS = 5_000;
const ANSWER_MS = 10_000;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 5_000;
/** How long a statement waits for a connection. */
const PATIENCE_MS = 5_000;
/** For a farewell that nobody may be there to hear. */
const END_MS = 1_000;

export class LastingConnection {
  readonly #pg: PgModule;
  readonly #options: LastingConnectionOptions;
  readonly #closing = new AbortController();
  readonly #waiting = new Set<() => void>();
  readonly #running: Promise<void>;
  #client: Client | undefined;
  /** Gives the connection up that is there now. */
  #lose: (error: unknown) => void = () => undefined;

  constructor(pg: PgModule, options: LastingConnectionOptions) {
    this.#pg = pg;
    this.#options = options;
    this.#running = this.#keepConnected();
  }

  get isConnected(): boolean {
    return this.#client !== undefined;
  }

  /** Waits for a connection that is just being made, and tries again on the next one. */
  readonly ask: Ask = async (text, values = []) => {
    const until = performance.now() + PATIENCE_MS;
    for (;;) {
      const client = this.#client ?? (await this.#waitForClient(until - performance.now()));
      if (client === undefined) throw toStoreError(new Error("Connection terminated"), { name: NAME });
      try {
        return (await client.query(text, [...values])).rows;
      } catch (error) {
        const isLost = isOpenEnded(error);
        // What was asked may have been done there; nothing of it stays when the connection ends.
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
    for (let pauseMs = FIRST_PAUSE_MS; !signal.aborted; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      try {
        await this.#connectOnce(() => {
          pauseMs = FIRST_PAUSE_MS;
        });
      } catch (error) {
        if (!signal.aborted) this.#options.onError(error);
      }
      // The abort of a pause is how it ends when this is closed.
      await setTimeout(pauseMs * (0.5 + Math.random()), undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  /** One connection, from its beginning to its end. */
  async #connectOnce(onReady: () => void): Promise<void> {
    const { url, name, onConnected, onBeat, onLost, onNotification } = this.#options;
    const { signal } = this.#closing;
    const client = new this.#pg.Client({
      connectionString: url,
      keepAlive: true,
      pipeline: true,
      query_timeout: ANSWER_MS,
      connectionTimeoutMillis: ANSWER_MS,
      fallback_application_name: name,
    });
    const lost = this.#watch(client);
    client.on("notification", ({ payload = "" }) => onNotification(payload));
    const ask: Ask = async (text, values = []) => (await client.query(text, [...values])).rows;
    try {
      await client.connect();
      await onConnected(ask);
      this.#client = client;
      this.#wake();
      onReady();
      while (!signal.aborted) {
        const beat = setTimeout(BEAT_MS, undefined, { signal, ref: false }).catch(() => undefined);
        await Promise.race([lost, beat]);
        if (!signal.aborted) await onBeat(ask);
      }
    } finally {
      this.#client = undefined;
      onLost();
      const end = client.end().catch(() => undefined);
      await Promise.race([end, setTimeout(END_MS, undefined, { ref: false })]);
    }
  }

  /** Rejects when the connection is lost, or somebody gives it up. */
  #watch(client: Client): Promise<never> {
    const lost = new Promise<never>((_, reject) => {
      this.#lose = reject;
      client.on("error", reject);
      client.on("end", () => reject(new Error("Connection terminated")));
    });
    // Whoever is not waiting for it just then finds it rejected when it is.
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

function isOpenEnded(error: unknown): boolean {
  const reason = findReason(error);
  return reason !== undefined && OPEN_ENDED.has(reason);
}
