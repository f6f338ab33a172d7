/**
 * Limits connections, in total and from each address. At a limit, the connection that has been idle longest is closed,
 * so that clients which only connect cannot lock others out. A new connection has to send the head of a request in
 * time.
 */
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Proxies } from "../access/client-address.ts";
import { refuseUpgrade } from "../access/guard-upgrade.ts";
import { RefusedRequest } from "../http/answer-error.ts";
import { readIncomingHead } from "../http/request-head.ts";

/** Time for a client to read why it was refused. */
const LINGER_MS = 1_000;

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
  /** Running requests, and 1 for a WebSocket. */
  requests: number;
  /** Bytes received when it became idle. */
  bytesRead: number;
}

export class Connections {
  readonly #limits: ConnectionLimits;
  readonly #proxies: Proxies;
  readonly #open = new Map<Socket, Connection>();
  readonly #perAddress = new Map<string, number>();
  /** Longest idle first. */
  readonly #idle = new Set<Socket>();
  /** Running requests of each client behind a proxy. */
  readonly #forwarded = new Map<string, number>();

  constructor(limits: ConnectionLimits, proxies: Proxies) {
    this.#limits = limits;
    this.#proxies = proxies;
  }

  get sockets(): Iterable<Socket> {
    return this.#open.keys();
  }

  /** Accepts a new connection, or refuses it if every other one is busy. */
  add(socket: Socket): void {
    const { connections, connectionsPerAddress, headMs } = this.#limits;
    const address = socket.remoteAddress ?? "";
    // A proxy has one address for all its clients.
    const ofAddress = this.#proxies.isProxy(address) ? 0 : (this.#perAddress.get(address) ?? 0);
    const hasRoom =
      (ofAddress < connectionsPerAddress || this.#makeRoom(address)) &&
      (this.#open.size < connections || this.#makeRoom());
    if (!hasRoom) {
      refuse(socket, tooMany());
      return;
    }
    const timer = setTimeout(() => refuse(socket, tooSlow()), headMs);
    this.#open.set(socket, { address, timer, requests: 0, bytesRead: 0 });
    add(this.#perAddress, address, 1);
    this.#idle.add(socket);
    socket.once("close", () => this.#remove(socket));
  }

  /** Records that a request of the connection has started. */
  start(socket: Socket): void {
    const connection = this.#open.get(socket);
    if (connection === undefined) return;
    clearTimeout(connection.timer);
    connection.requests += 1;
    this.#idle.delete(socket);
  }

  /** Throws if a client behind a proxy has too many running requests. Returns a function for the request's end. */
  admit(incoming: IncomingMessage): () => void {
    if (!this.#proxies.isProxy(incoming.socket.remoteAddress ?? "")) return () => undefined;
    const client = this.#proxies.findClient(readIncomingHead(incoming)) ?? "";
    if ((this.#forwarded.get(client) ?? 0) >= this.#limits.connectionsPerAddress) throw tooMany();
    add(this.#forwarded, client, 1);
    return () => add(this.#forwarded, client, -1);
  }

  finish(socket: Socket): void {
    const connection = this.#open.get(socket);
    if (connection === undefined) return;
    connection.requests -= 1;
    connection.bytesRead = socket.bytesRead;
    if (connection.requests === 0) this.#idle.add(socket);
  }

  /** Closes the connection idle for the longest time; one that is sending a head comes last. */
  #makeRoom(address?: string): boolean {
    const mayClose = (socket: Socket) => address === undefined || this.#open.get(socket)?.address === address;
    const isSilent = (socket: Socket) => socket.bytesRead === this.#open.get(socket)?.bytesRead;
    const idle = [...this.#idle].filter(mayClose);
    const socket = idle.find(isSilent) ?? idle[0];
    if (socket === undefined) return false;
    this.#remove(socket);
    socket.destroy();
    return true;
  }

  #remove(socket: Socket): void {
    const connection = this.#open.get(socket);
    if (connection === undefined) return;
    clearTimeout(connection.timer);
    this.#open.delete(socket);
    this.#idle.delete(socket);
    add(this.#perAddress, connection.address, -1);
  }
}

function add(counts: Map<string, number>, key: string, change: number): void {
  const count = (counts.get(key) ?? 0) + change;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}

function refuse(socket: Socket, error: RefusedRequest): void {
  refuseUpgrade(socket, error);
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

function tooSlow(): RefusedRequest {
  return new RefusedRequest("request-too-slow", "The head of the request arrived too slowly.");
}

function tooMany(): RefusedRequest {
  return new RefusedRequest("too-many-requests", "Too many connections are busy. Try again in a moment.", {
    headers: { "retry-after": "1" },
  });
}
