/**
 * A relay between processes that share a PostgreSQL database, over one connection of each: claims are its advisory
 * locks, words are its notifications. What is said while there is no connection is lost, as the port allows.
 *
 * The connection must be one with the server itself, or a pooler that keeps it for the whole session.
 */
import { randomUUID } from "node:crypto";
import type { Relay } from "../../ports/relay.ts";
import type { RelayOptions } from "../relay/open-relay.ts";
import { AdvisoryClaims } from "./advisory-claims.ts";
import { type Ask, LastingConnection } from "./lasting-connection.ts";
import { loadPg, type PgModule } from "./load-pg.ts";
import { cutIntoPieces, PieceJoiner } from "./notify-pieces.ts";

const CHANNEL = "palimpsest_relay";
/** Pieces that are sent with one statement, if they are not those of one text. */
const PIECES_AT_ONCE = 256;
/** Characters that wait to be sent; what comes beyond them is lost. */
const MOST_WAITING = 64_000_000;

export async function openPostgresRelay(url: string, options: RelayOptions): Promise<Relay> {
  return new PostgresRelay(await loadPg(), { ...options, url });
}

interface Outgoing {
  readonly pieces: readonly string[];
  readonly characters: number;
  readonly onSent: () => void;
}

class PostgresRelay implements Relay {
  readonly isShared = true;
  readonly #sender = randomUUID().replaceAll("-", "");
  readonly #listeners = new Set<{ readonly listener: (text: string) => void }>();
  readonly #joiner = new PieceJoiner();
  readonly #outgoing: Outgoing[] = [];
  readonly #connection: LastingConnection;
  readonly #claims: AdvisoryClaims;
  readonly #onWarning: (text: string) => void;
  #told: string | undefined;
  #number = 0;
  #waitingCharacters = 0;
  #isSending = false;

  constructor(pg: PgModule, { url, onWarning }: RelayOptions & { readonly url: string }) {
    this.#onWarning = onWarning;
    this.#claims = new AdvisoryClaims((text, values) => this.#connection.ask(text, values), onWarning);
    this.#connection = new LastingConnection(pg, {
      url,
      name: "palimpsest-relay",
      onConnected: (ask) => this.#setUp(ask),
      onBeat: async (ask) => {
        await ask("SELECT 1");
        await this.#claims.takeAgain(ask);
      },
      onLost: () => this.#claims.lose(),
      onNotification: (payload) => this.#hear(payload),
      onError: (error) => this.#warn(error),
    });
  }

  async claim(key: string): Promise<boolean> {
    return this.#claims.claim(key);
  }

  async release(key: string): Promise<void> {
    // Where it cannot be said the connection is lost, and the claim with it.
    await this.#claims.release(key).catch((error: unknown) => this.#warn(error));
  }

  async isClaimedElsewhere(key: string): Promise<boolean> {
    return this.#claims.isClaimedElsewhere(key);
  }

  async publish(text: string): Promise<void> {
    const isFull = this.#waitingCharacters + text.length > MOST_WAITING;
    if (isFull) this.#warn(new Error("Too much waits to be said; some of it is left out."));
    if (isFull || !this.#connection.isConnected) return;
    this.#number += 1;
    const pieces = cutIntoPieces(text, { sender: this.#sender, number: this.#number });
    await new Promise<void>((resolve) => {
      this.#waitingCharacters += text.length;
      this.#outgoing.push({ pieces, characters: text.length, onSent: resolve });
      if (!this.#isSending) void this.#sendAll();
    });
  }

  listen(listener: (text: string) => void): () => void {
    const added = { listener };
    this.#listeners.add(added);
    return () => void this.#listeners.delete(added);
  }

  async close(): Promise<void> {
    this.#listeners.clear();
    await this.#connection.close();
  }

  async #setUp(ask: Ask): Promise<void> {
    await ask(NOTICE_THE_DEAD);
    await ask(`LISTEN ${CHANNEL}`);
    await this.#claims.takeAgain(ask);
    this.#told = undefined;
  }

  /** Never rejects. */
  async #sendAll(): Promise<void> {
    this.#isSending = true;
    // Whoever speaks in the same turn is heard with the same statement.
    await Promise.resolve();
    while (this.#outgoing.length > 0) {
      const batch = this.#takeBatch();
      const pieces = batch.flatMap((each) => each.pieces);
      if (this.#connection.isConnected) {
        await this.#connection.ask(SAY, [CHANNEL, JSON.stringify(pieces)]).catch((error) => this.#warn(error));
      }
      for (const { characters, onSent } of batch) {
        this.#waitingCharacters -= characters;
        onSent();
      }
    }
    this.#isSending = false;
  }

  #takeBatch(): readonly Outgoing[] {
    let pieces = 0;
    const end = this.#outgoing.findIndex((each) => {
      pieces += each.pieces.length;
      return pieces >= PIECES_AT_ONCE;
    });
    return this.#outgoing.splice(0, end < 0 ? this.#outgoing.length : end + 1);
  }

  #hear(payload: string): void {
    if (payload.startsWith(this.#sender)) return;
    const text = this.#joiner.add(payload);
    if (text === undefined) return;
    for (const { listener } of [...this.#listeners]) {
      try {
        listener(text);
      } catch (error) {
        this.#warn(error);
      }
    }
  }

  /** A server that is away is told of once, not with every try to reach it. */
  #warn(error: unknown): void {
    const text = `Between the servers something failed: ${error instanceof Error ? error.message : String(error)}`;
    if (text !== this.#told) this.#onWarning(text);
    this.#told = text;
  }
}

const SAY = "SELECT count(pg_notify($1, payload)) FROM json_array_elements_text($2::json) AS p (payload)";

/** A machine that vanishes says no farewell. Within some 20 seconds its connection is gone, and its claims with it. */
const NOTICE_THE_DEAD = `
  SELECT set_config('tcp_keepalives_idle', '10', false), set_config('tcp_keepalives_interval', '3', false),
    set_config('tcp_keepalives_count', '3', false)`;
