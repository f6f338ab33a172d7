/**
 * A relay over one PostgreSQL connection, direct or through a pooler in session mode: claims are advisory locks, texts
 * are notifications. Texts published without a connection are lost, as the port allows.
 */
import { randomUUID } from "node:crypto";
import type { Relay } from "../../ports/relay.ts";
import { Listeners, type RelayOptions } from "../shared/local-channels.ts";
import { AdvisoryClaims } from "./advisory-claims.ts";
import { loadPg, type PgModule } from "./load-pg.ts";
import { cutIntoPieces, PieceJoiner } from "./notify-pieces.ts";
import { ReconnectingClient, type RunQuery } from "./reconnecting-client.ts";

const CHANNEL = "palimpsest_relay";
/** Pieces sent with one statement; the pieces of one text are never split. */
const PIECES_PER_STATEMENT = 256;
/** Characters that may wait to be sent; further texts are lost. */
const MAX_WAITING_CHARACTERS = 64_000_000;

export async function openPostgresRelay(url: string, options: RelayOptions): Promise<Relay> {
  return new PostgresRelay(await loadPg(), { ...options, url });
}

interface OutgoingText {
  readonly pieces: readonly string[];
  readonly characters: number;
  readonly onSent: () => void;
}

class PostgresRelay implements Relay {
  readonly isShared = true;
  readonly #sender = randomUUID().replaceAll("-", "");
  readonly #listeners = new Listeners<string>((error) => this.#warn(error));
  readonly #joiner = new PieceJoiner();
  readonly #outgoing: OutgoingText[] = [];
  readonly #connection: ReconnectingClient;
  readonly #claims: AdvisoryClaims;
  readonly #onWarning: (text: string) => void;
  #lastWarning: string | undefined;
  #number = 0;
  #waitingCharacters = 0;
  #isSending = false;

  constructor(pg: PgModule, { url, onWarning }: RelayOptions & { readonly url: string }) {
    this.#onWarning = onWarning;
    this.#claims = new AdvisoryClaims((text, values) => this.#connection.query(text, values), onWarning);
    this.#connection = new ReconnectingClient(pg, {
      url,
      name: "palimpsest-relay",
      onConnected: (query) => this.#setUp(query),
      onHeartbeat: async (query) => {
        await query("SELECT 1");
        await this.#claims.reclaim(query);
      },
      onLost: () => this.#claims.lose(),
      onNotification: (payload) => this.#receive(payload),
      onError: (error) => this.#warn(error),
    });
  }

  async claim(key: string): Promise<boolean> {
    return this.#claims.claim(key);
  }

  async release(key: string): Promise<void> {
    // If the release fails, the connection is lost and the claim with it.
    await this.#claims.release(key).catch((error: unknown) => this.#warn(error));
  }

  async isClaimedElsewhere(key: string): Promise<boolean> {
    return this.#claims.isClaimedElsewhere(key);
  }

  async publish(text: string): Promise<void> {
    const isFull = this.#waitingCharacters + text.length > MAX_WAITING_CHARACTERS;
    if (isFull) this.#warn(new Error("Too much text is waiting to be sent; some of it is dropped."));
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
    return this.#listeners.add(listener);
  }

  async close(): Promise<void> {
    this.#listeners.clear();
    await this.#connection.close();
  }

  async #setUp(query: RunQuery): Promise<void> {
    await query(DETECT_DEAD_PEERS);
    await query(`LISTEN ${CHANNEL}`);
    await this.#claims.reclaim(query);
    this.#lastWarning = undefined;
  }

  /** Sends all waiting texts. Never rejects. */
  async #sendAll(): Promise<void> {
    this.#isSending = true;
    // Collects the texts of this turn of the event loop.
    await Promise.resolve();
    while (this.#outgoing.length > 0) {
      const batch = this.#takeBatch();
      const pieces = batch.flatMap((each) => each.pieces);
      if (this.#connection.isConnected) {
        await this.#connection.query(NOTIFY, [CHANNEL, JSON.stringify(pieces)]).catch((error) => this.#warn(error));
      }
      for (const { characters, onSent } of batch) {
        this.#waitingCharacters -= characters;
        onSent();
      }
    }
    this.#isSending = false;
  }

  #takeBatch(): readonly OutgoingText[] {
    let pieces = 0;
    const end = this.#outgoing.findIndex((each) => {
      pieces += each.pieces.length;
      return pieces >= PIECES_PER_STATEMENT;
    });
    return this.#outgoing.splice(0, end < 0 ? this.#outgoing.length : end + 1);
  }

  #receive(payload: string): void {
    if (payload.startsWith(this.#sender)) return;
    const text = this.#joiner.add(payload);
    if (text !== undefined) this.#listeners.emit(text);
  }

  /** Warns once about an unavailable server, not with every attempt to reach it. */
  #warn(error: unknown): void {
    const text = `The connection between the servers failed: ${error instanceof Error ? error.message : String(error)}`;
    if (text !== this.#lastWarning) this.#onWarning(text);
    this.#lastWarning = text;
  }
}

const NOTIFY = "SELECT count(pg_notify($1, payload)) FROM json_array_elements_text($2::json) AS p (payload)";

/** Detects vanished machines: within about 20 seconds their connection ends, and their claims with it. */
const DETECT_DEAD_PEERS = `
  SELECT set_config('tcp_keepalives_idle', '10', false), set_config('tcp_keepalives_interval', '3', false),
    set_config('tcp_keepalives_count', '3', false)`;
