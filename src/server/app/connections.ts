/**
 * Limits connections, in total and from each address. At a limit, the server closes a connection that it is not
 * answering, from the address that has the most connections. So clients that only connect or send slowly cannot lock
 * others out. A new connection has to send the head of a request in time.
 */
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { networkOf, type Proxies } from "../access/client-address.ts";
import { refuseUpgrade } from "../access/guard-upgrade.ts";
import { RefusedRequest } from "../http/answer-error.ts";
import { abandonConnection, isClosing } from "../http/close-connection.ts";
import { readIncomingHead } from "../http/request-head.ts";

const MAX_REFUSED = 100;
/**
 * If an address has this many times the connections of the new connection's address, the server closes one of them even
 * while answering it.
 */
const UNFAIR_SHARE = 10;

export interface ConnectionLimits {
  readonly connections: number;
  readonly connectionsPerAddress: number;
  /** Time limit for the head of a connection's first request. */
  readonly headMs: number;
}

interface Connection {
  readonly address: string;
  /** Runs until the first request. */
  readonly timer: NodeJS.Timeout;
  /** Running requests; undefined for a WebSocket. */
  readonly requests: Set<IncomingMessage | undefined>;
}

type Kind = (connection: Connection, socket: Socket) => boolean;

const isIdle: Kind = ({ requests }, socket) => requests.size === 0 || isClosing(socket);
const isSending: Kind = ({ requests }) => [...requests].every((request) => request?.complete === false);
const isAny: Kind = () => true;
/** The kinds of connections that the server is not answering. */
const WAITING: readonly Kind[] = [isIdle, isSending];

export class Connections {
  readonly #limits: ConnectionLimits;
  readonly #proxies: Proxies;
  readonly #open = new Map<Socket, Connection>();
  /** The connections of each address, the longest idle first. */
  readonly #byAddress = new Map<string, Set<Socket>>();
  readonly #refused = new Set<Socket>();
  /** Running requests of each client behind a proxy. */
  readonly #forwarded = new Map<string, number>();

  constructor(limits: ConnectionLimits, proxies: Proxies) {
    this.#limits = limits;
    this.#proxies = proxies;
  }

  get sockets(): Iterable<Socket> {
    return [...this.#open.keys(), ...this.#refused];
  }

  /** Accepts a new connection, or refuses it if no other one may be closed for it. */
  add(socket: Socket): void {
    const { connections, connectionsPerAddress, headMs } = this.#limits;
    const address = networkOf(socket.remoteAddress ?? "");
    const own = this.#byAddress.get(address) ?? new Set();
    // A proxy has one address for all its clients.
    const isFull = own.size >= connectionsPerAddress && !this.#proxies.isProxy(address);
    const hasRoom =
      (!isFull || this.#close(own, WAITING)) && (this.#open.size < connections || this.#makeRoom(own.size));
    if (!hasRoom) return void this.#refuse(socket);
    const timer = setTimeout(() => refuseUpgrade(socket, tooSlow()), headMs);
    this.#open.set(socket, { address, timer, requests: new Set() });
    this.#byAddress.set(address, own.add(socket));
    socket.once("close", () => this.#remove(socket));
  }

  /** The client has time to read why it was refused, unless many others are refused after it. */
  #refuse(socket: Socket): void {
    refuseUpgrade(socket, tooMany());
    this.#refused.add(socket);
    socket.once("close", () => this.#refused.delete(socket));
    const [oldest] = this.#refused.size > MAX_REFUSED ? this.#refused : [];
    oldest?.destroy();
  }

  /** Records that a request of the connection has started, or without a request that it became a WebSocket. */
  start(socket: Socket, request?: IncomingMessage): void {
    const connection = this.#open.get(socket);
    clearTimeout(connection?.timer);
    connection?.requests.add(request);
  }

  /** Throws if a client behind a proxy has too many running requests. Returns a function for the request's end. */
  admit(incoming: IncomingMessage): () => void {
    if (!this.#proxies.isProxy(incoming.socket.remoteAddress ?? "")) return () => undefined;
    const client = networkOf(this.#proxies.findClient(readIncomingHead(incoming)) ?? "");
    if ((this.#forwarded.get(client) ?? 0) >= this.#limits.connectionsPerAddress) throw tooMany();
    add(this.#forwarded, client, 1);
    return () => add(this.#forwarded, client, -1);
  }

  finish(socket: Socket, request: IncomingMessage): void {
    const connection = this.#open.get(socket);
    if (connection === undefined) return;
    connection.requests.delete(request);
    const own = this.#byAddress.get(connection.address);
    if (own?.delete(socket) === true) own.add(socket);
  }

  /**
   * Closes one connection, of an address with many: a waiting one, or else one that the server is answering, if its
   * address has far more connections than that of the new one.
   */
  #makeRoom(ownCount: number): boolean {
    const all = [...this.#byAddress.values()].toSorted((one, other) => other.size - one.size);
    const maxCount = all[0]?.size ?? 0;
    const closeOne = (isAllowed: (size: number) => boolean, kinds: readonly Kind[]): boolean =>
      all.some((sockets) => isAllowed(sockets.size) && this.#close(sockets, kinds));
    return (
      closeOne((size) => size * UNFAIR_SHARE >= maxCount, WAITING) ||
      closeOne((size) => size >= UNFAIR_SHARE * (ownCount + 1), [isAny]) ||
      closeOne((size) => size >= ownCount, WAITING)
    );
  }

  /** Closes the first connection of the first kind that has one. */
  #close(sockets: ReadonlySet<Socket>, kinds: readonly Kind[]): boolean {
    for (const isKind of kinds) {
      for (const socket of sockets) {
        const connection = this.#open.get(socket);
        if (connection === undefined || !isKind(connection, socket)) continue;
        this.#remove(socket);
        abandonConnection(socket);
        return true;
      }
    }
    return false;
  }

  #remove(socket: Socket): void {
    const { address, timer } = this.#open.get(socket) ?? {};
    clearTimeout(timer);
    this.#open.delete(socket);
    const own = this.#byAddress.get(address ?? "");
    own?.delete(socket);
    if (own?.size === 0) this.#byAddress.delete(address ?? "");
  }
}

function add(counts: Map<string, number>, key: string, change: number): void {
  const count = (counts.get(key) ?? 0) + change;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}

function tooSlow(): RefusedRequest {
  return new RefusedRequest("request-too-slow", "The head of the request arrived too slowly.");
}

function tooMany(): RefusedRequest {
  return new RefusedRequest("too-many-requests", "Too many connections are busy. Try again in a moment.", {
    headers: { "retry-after": "1" },
  });
}
